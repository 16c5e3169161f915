"""From played episodes to training data: filtered, counted, in a trainer's format."""

from tau_emotion_gym.tracer.conversation import Conversation, conversation
from tau_emotion_gym.tracer.export import SPLITS, ContaminationError, Counts, Settings, export, export_run
from tau_emotion_gym.tracer.filters import FILTERS, MEANINGS, NAMES, Limits, dropped_by
from tau_emotion_gym.tracer.formats import FORMATS
from tau_emotion_gym.tracer.log import Origin, origin, run_records

__all__ = [
    "FILTERS",
    "FORMATS",
    "MEANINGS",
    "NAMES",
    "SPLITS",
    "ContaminationError",
    "Conversation",
    "Counts",
    "Limits",
    "Origin",
    "Settings",
    "conversation",
    "dropped_by",
    "export",
    "export_run",
    "origin",
    "run_records",
]
