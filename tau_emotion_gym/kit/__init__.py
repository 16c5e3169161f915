"""The language a domain is written in."""

from tau_emotion_gym.kit.common import CALCULATE, THINK, TRANSFER, HandOff
from tau_emotion_gym.kit.discovery import add_folder, load, names
from tau_emotion_gym.kit.domain import Domain
from tau_emotion_gym.kit.grounding import Pointer, calculation, hand_over
from tau_emotion_gym.kit.intent import Intent, Situation, intent, missing_fill, only, placeholders
from tau_emotion_gym.kit.people import Person, Place, Registry
from tau_emotion_gym.kit.rule import (
    Context,
    Done,
    Rule,
    authentication,
    confirmation,
    one_customer,
    rule,
)
from tau_emotion_gym.kit.slot import Slot
from tau_emotion_gym.kit.task import Call, Fact, Goal, Kind, Output, Script, Task
from tau_emotion_gym.kit.text import counted, listed, long_date, short_date, usd, yours
from tau_emotion_gym.kit.tool import BadArgumentsError, Tool, ToolError, existing, read, write
from tau_emotion_gym.kit.wordings import Wishes, read_data, read_slots

__all__ = [
    "CALCULATE",
    "THINK",
    "TRANSFER",
    "BadArgumentsError",
    "Call",
    "Context",
    "Domain",
    "Done",
    "Fact",
    "Goal",
    "HandOff",
    "Intent",
    "Kind",
    "Output",
    "Person",
    "Place",
    "Pointer",
    "Registry",
    "Rule",
    "Script",
    "Situation",
    "Slot",
    "Task",
    "Tool",
    "ToolError",
    "Wishes",
    "add_folder",
    "authentication",
    "calculation",
    "confirmation",
    "counted",
    "existing",
    "hand_over",
    "intent",
    "listed",
    "load",
    "long_date",
    "missing_fill",
    "names",
    "one_customer",
    "only",
    "placeholders",
    "read",
    "read_data",
    "read_slots",
    "rule",
    "short_date",
    "usd",
    "write",
    "yours",
]
