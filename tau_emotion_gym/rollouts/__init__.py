"""Many episodes: played, logged so that nothing is lost, resumed, scored again."""

from tau_emotion_gym.rollouts.config import RunConfig, make_config, plan
from tau_emotion_gym.rollouts.folder import RunFolder, RunMismatchError, records
from tau_emotion_gym.rollouts.knobs import Budget, Knobs
from tau_emotion_gym.rollouts.lock import LockedError
from tau_emotion_gym.rollouts.progress import Progress, Summary
from tau_emotion_gym.rollouts.record import Missing, Place, Record, line_of, record_from, record_of
from tau_emotion_gym.rollouts.replay import ReplayError, replay, replayed
from tau_emotion_gym.rollouts.runner import EpisodeCrashedError, run, run_sync

__all__ = [
    "Budget",
    "EpisodeCrashedError",
    "Knobs",
    "LockedError",
    "Missing",
    "Place",
    "Progress",
    "Record",
    "ReplayError",
    "RunConfig",
    "RunFolder",
    "RunMismatchError",
    "Summary",
    "line_of",
    "make_config",
    "plan",
    "record_from",
    "record_of",
    "records",
    "replay",
    "replayed",
    "run",
    "run_sync",
]
