"""The values at the ends of a call's arguments and of its result, with their paths and kinds."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from tau_emotion_gym.kit import Call, Domain, Done, Tool
from tau_emotion_gym.world.fields import Compare, bare, compare_of, ref_of
from tau_emotion_gym.world.records import field_types


class Leaf(NamedTuple):
    """One value: where it stands ("items.0.id"), the kind of its `Ref` if it has one, and itself."""

    path: str
    kind: str | None
    value: Any


class Step(NamedTuple):
    """A call that was run, with the leaves of the arguments that it gave."""

    done: Done
    leaves: list[Leaf]


_Read = Callable[[Any, str], list[Leaf]]


def step(domain: Domain, call: Call, done: Done) -> Step:
    """A call and what it led to, as a step."""
    return Step(done, leaves(domain.tools[call.name], done.arguments, call.arguments))


def leaves(tool: Tool, arguments: Mapping[str, Any], given: Iterable[str]) -> list[Leaf]:
    """The leaves of the `given` ones among bound arguments; free text and absent values are left out."""
    readers = _readers(tool)
    return [leaf for name in given for leaf in readers[name](arguments[name], name)]


def result_leaves(tool: Tool, value: Any) -> list[Leaf]:
    """The leaves of what a tool returned; their paths begin with "result"."""
    return _reader(_result(tool))(value, "result")


@cache
def _result(tool: Tool) -> Any:
    """The type of what a tool returns."""
    return get_type_hints(tool.function, include_extras=True)["return"]


@cache
def _readers(tool: Tool) -> Mapping[str, _Read]:
    return {name: _reader(hint) for name, hint in field_types(tool.arguments).items()}


@cache
def _reader(hint: Any) -> _Read:
    """The function that finds the leaves of a value of this type."""
    kind, inner = ref_of(hint), bare(hint)
    origin, args = get_origin(inner), get_args(inner)
    if compare_of(hint) is Compare.FREE_TEXT:
        return lambda value, path: []
    if origin in (Union, UnionType):
        return _optional([arg for arg in args if arg is not NoneType], kind)
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        return _struct(inner)
    if origin in (tuple, list, set, frozenset):
        return _sequence(_reader(args[0]))
    if origin is dict:
        return _mapping(_reader(args[1]))
    return lambda value, path: [] if value is None else [Leaf(path, kind, value)]


def _optional(options: list[Any], kind: str | None) -> _Read:
    if len(options) == 1 and kind is None:
        only = _reader(options[0])
        return lambda value, path: [] if value is None else only(value, path)

    def read(value: Any, path: str) -> list[Leaf]:
        if isinstance(value, msgspec.Struct):
            return _reader(type(value))(value, path)
        return [] if value is None else [Leaf(path, kind, value)]

    return read


def _struct(struct: type[msgspec.Struct]) -> _Read:
    @cache
    def parts() -> list[tuple[str, _Read]]:
        return [(name, _reader(hint)) for name, hint in field_types(struct).items()]

    def read(value: Any, path: str) -> list[Leaf]:
        return [leaf for name, part in parts() for leaf in part(getattr(value, name), f"{path}.{name}")]

    return read


def _sequence(item: _Read) -> _Read:
    return lambda value, path: [leaf for at, part in enumerate(value) for leaf in item(part, f"{path}.{at}")]


def _mapping(item: _Read) -> _Read:
    return lambda value, path: [leaf for key, part in value.items() for leaf in item(part, f"{path}.{key}")]
