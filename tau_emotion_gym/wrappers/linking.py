"""Filling a tool's arguments from what the dialogue has shown, as an entity linker would.

Where the values of a call that the task's reference makes have all been shown, they are taken together.
Otherwise each parameter takes a value of its kind: the detail of its name that the customer gave, else the
id that was shown last and has not been tried, and where the tool only reads, else what a result showed under its
name, else the first of a closed list. Such a call can be wrong, and nothing marks it as a guess.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from tau_emotion_gym.kit import CALCULATE, BadArgumentsError, Tool
from tau_emotion_gym.tasks.graph import GENERIC
from tau_emotion_gym.tasks.provenance import as_number, defaults
from tau_emotion_gym.world.fields import bare, ref_of
from tau_emotion_gym.world.records import field_types
from tau_emotion_gym.wrappers.dialogue import Dialogue

Arguments = Mapping[str, Any]
Source = Callable[[Dialogue, str], Any]
"""(dialogue, name of the tool) → a value, or `_NOTHING`."""

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
    for name, source in _sources(tool):
        value = source(dialogue, tool.name)
        if value is _NOTHING:
            return None
        filled[name] = value
    return filled


@cache
def _sources(tool: Tool) -> tuple[tuple[str, Source], ...]:
    """The parameters without a default, each with where its value comes from."""
    optional = defaults(tool)
    types = field_types(tool.arguments).items()
    return tuple((name, _source(name, hint, free=not tool.writes)) for name, hint in types if name not in optional)


def _source(name: str, hint: Any, *, free: bool) -> Source:
    """Where a value of a parameter's type comes from; texts, figures and choices that nobody gave only when `free`."""
    inner = bare(hint)
    origin, args = get_origin(inner), get_args(inner)
    if origin in (Union, UnionType):
        return _always(None) if NoneType in args else _source(name, args[0], free=free)
    if origin in (tuple, list):
        return _one_of(_source(name, args[0], free=free))
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        return _struct(inner, free=free)
    if origin is Literal:
        return _said(name, _always(args[0] if free else _NOTHING))
    if inner is bool:
        return _said(name, _always(False if free else _NOTHING))
    shown = _shown(name, text=inner is str, otherwise=1 if inner is int else _NOTHING) if free else _always(_NOTHING)
    kind = ref_of(hint)
    if kind is None or (kind in GENERIC and not free):
        return _said(name, shown)
    found = _of_kind(kind, name, shown)
    return _said(name, found) if kind in GENERIC else _said_id(kind, name, found)


def _always(value: Any) -> Source:
    return lambda dialogue, tool: value


def _one_of(item: Source) -> Source:
    def source(dialogue: Dialogue, tool: str) -> Any:
        value = item(dialogue, tool)
        return value if value is _NOTHING else [value]

    return source


def _struct(kind: type[msgspec.Struct], *, free: bool) -> Source:
    parts = [(name, _source(name, hint, free=free)) for name, hint in field_types(kind).items()]

    def source(dialogue: Dialogue, tool: str) -> Any:
        values = {name: part(dialogue, tool) for name, part in parts}
        return _NOTHING if any(value is _NOTHING for value in values.values()) else values

    return source


def _said(name: str, otherwise: Source) -> Source:
    """The detail of this name that the customer gave last."""

    def source(dialogue: Dialogue, tool: str) -> Any:
        fact = dialogue.given.get(name)
        return otherwise(dialogue, tool) if fact is None else fact.value

    return source


def _said_id(kind: str, name: str, otherwise: Source) -> Source:
    """The id that the customer gave last, once it was shown: its own words may only describe it."""

    def source(dialogue: Dialogue, tool: str) -> Any:
        fact = dialogue.given.get(name)
        if fact is None:
            return otherwise(dialogue, tool)
        shown = fact.value in dialogue.by_kind.get(kind, ()) or fact.value in fact.spoken
        return fact.value if shown else otherwise(dialogue, tool)

    return source


def _of_kind(kind: str, name: str, otherwise: Source) -> Source:
    def source(dialogue: Dialogue, tool: str) -> Any:
        shown = dialogue.by_kind.get(kind)
        if not shown:
            return otherwise(dialogue, tool)
        return _untried(shown, [one.get(name) for one in dialogue.tried.get(tool, ())])

    return source


def _shown(name: str, *, text: bool, otherwise: Any) -> Source:
    """What a result showed last under this name, when it is of the right type."""

    def source(dialogue: Dialogue, tool: str) -> Any:
        value = dialogue.by_name.get(name)
        if value is None or isinstance(value, bool) or (as_number(value) is None) is not text:
            return otherwise
        return value

    return source


def _untried(shown: Sequence[Any], tried: Sequence[Any]) -> Any:
    """The value that was shown last and has not been tried; the last one when all have been."""
    return next((value for value in reversed(shown) if value not in tried), shown[-1])
