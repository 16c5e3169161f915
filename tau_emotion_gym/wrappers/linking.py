"""Filling a tool's arguments from what the dialogue has shown, as an entity linker would.

Where the values of a call that the task's reference makes have all been shown, they are taken together.
Otherwise each parameter takes a value of its kind: the detail of its name that the customer gave, else the
id that was shown last and has not been tried, else what a result showed under its name, else the first of
a closed list. Such a call can be wrong, and nothing marks it as a guess.
"""

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from tau_emotion_gym.kit import CALCULATE, BadArgumentsError, Tool
from tau_emotion_gym.tasks.provenance import as_number, defaults
from tau_emotion_gym.world.fields import bare, ref_of
from tau_emotion_gym.world.records import field_types
from tau_emotion_gym.wrappers.dialogue import Dialogue

Arguments = Mapping[str, Any]

_NOTHING = object()


def fill(dialogue: Dialogue, tool: Tool) -> tuple[Arguments, msgspec.Struct] | None:
    """The arguments with which a tool would be called now, plain and bound; None when nothing fits."""
    given = dialogue.pending(tool.name)
    if given is None:
        given = _figures(dialogue) if tool.name == CALCULATE else _guess(dialogue, tool)
    if given is None:
        return None
    try:
        return given, tool.bind(given)
    except BadArgumentsError:
        return None


def _figures(dialogue: Dialogue) -> Arguments | None:
    """The sum of the two amounts that were shown last."""
    amounts = dialogue.by_kind.get("money", [])[-2:]
    return {"expression": " + ".join(map(str, amounts))} if len(amounts) == 2 else None


def _guess(dialogue: Dialogue, tool: Tool) -> Arguments | None:
    filled: dict[str, Any] = {}
    optional = defaults(tool)
    for name, hint in field_types(tool.arguments).items():
        value = _NOTHING if name in optional else _value(dialogue, tool.name, name, hint)
        if value is not _NOTHING:
            filled[name] = value
        elif name not in optional:
            return None
    return filled


def _value(dialogue: Dialogue, tool: str, name: str, hint: Any) -> Any:
    """A value of a parameter's type, or `_NOTHING`."""
    inner = bare(hint)
    origin, args = get_origin(inner), get_args(inner)
    if origin in (Union, UnionType):
        return None if NoneType in args else _value(dialogue, tool, name, args[0])
    if origin in (tuple, list):
        item = _value(dialogue, tool, name, args[0])
        return item if item is _NOTHING else [item]
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        return _struct(dialogue, tool, inner)
    said = dialogue.facts(name)
    if said:
        return said[0].value
    if origin is Literal:
        return args[0]
    if inner is bool:
        return False
    if (kind := ref_of(hint)) is not None and (shown := dialogue.by_kind.get(kind)):
        return _untried(shown, [one.get(name) for one in dialogue.tried.get(tool, ())])
    shown_there = dialogue.by_name.get(name, _NOTHING)
    if (
        shown_there is _NOTHING
        or isinstance(shown_there, bool)
        or (as_number(shown_there) is None) == (inner is not str)
    ):
        return 1 if inner is int else _NOTHING
    return shown_there


def _struct(dialogue: Dialogue, tool: str, kind: type[msgspec.Struct]) -> Any:
    values = {name: _value(dialogue, tool, name, hint) for name, hint in field_types(kind).items()}
    return _NOTHING if _NOTHING in values.values() else values


def _untried(shown: Sequence[Any], tried: Sequence[Any]) -> Any:
    """The value that was shown last and has not been tried; the last one when all have been."""
    return next((value for value in reversed(shown) if value not in tried), shown[-1])
