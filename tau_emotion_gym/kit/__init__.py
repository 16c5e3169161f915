"""The language a domain is written in."""

from tau_emotion_gym.kit.common import CALCULATE, THINK, TRANSFER, HandOff
from tau_emotion_gym.kit.days import days_after, days_between
from tau_emotion_gym.kit.discovery import add_folder, load, names
from tau_emotion_gym.kit.domain import Domain
from tau_emotion_gym.kit.grounding import (
    Named,
    Pointer,
    calculation,
    fresh,
    hand_over,
    one_of,
    plus,
    told,
    total,
    untouched,
)
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
from tau_emotion_gym.kit.text import capital, clock, counted, either_case, listed, long_date, short_date, usd, yours
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
    "Named",
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
    "capital",
    "clock",
    "confirmation",
    "counted",
    "days_after",
    "days_between",
    "either_case",
    "existing",
    "fresh",
    "hand_over",
    "intent",
    "listed",
    "load",
    "long_date",
    "missing_fill",
    "names",
    "one_customer",
    "one_of",
    "only",
    "placeholders",
    "plus",
    "read",
    "read_data",
    "read_slots",
    "rule",
    "short_date",
    "told",
    "total",
    "untouched",
    "usd",
    "write",
    "yours",
]
