"""The language a domain is written in."""

from tau_emotion_gym.kit.common import CALCULATE, THINK, TRANSFER, HandOff
from tau_emotion_gym.kit.discovery import add_folder, load, names
from tau_emotion_gym.kit.domain import Domain
from tau_emotion_gym.kit.intent import Intent, Situation, intent, only, placeholders
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
from tau_emotion_gym.kit.tool import BadArgumentsError, Tool, ToolError, read, write

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
    "Registry",
    "Rule",
    "Script",
    "Situation",
    "Slot",
    "Task",
    "Tool",
    "ToolError",
    "add_folder",
    "authentication",
    "confirmation",
    "intent",
    "load",
    "names",
    "one_customer",
    "only",
    "placeholders",
    "read",
    "rule",
    "write",
]
