"""Tools: typed functions on the world, with name, description and JSON Schema read off the function."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import cycle, product
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from tau_emotion_gym.kit.schema import kinds_in, parameters_schema, parse_docstring
from tau_emotion_gym.kit.text import span
from tau_emotion_gym.world import Record, World
from tau_emotion_gym.world.fields import bare, is_day, ref_of
from tau_emotion_gym.world.records import field_types

R = TypeVar("R", bound=Record)

_NO_NUMBERS = (str, bool, bytes, date, datetime, type(None))

LARGEST_INTEGER = 2**53
"""Integers beyond this do not survive JSON readers that use doubles."""


class ToolError(Exception):
    """A domain error: its message goes back to the agent as the tool's result, and nothing has changed."""


def existing(world: World, kind: type[R], key: str, hint: str = "") -> R:
    """The record with this id.

    Args:
        world: where it is looked up.
        kind: its class, whose name in small letters stands in the message.
        key: its id.
        hint: a sentence that says which ids are valid or where they are shown.

    Raises:
        ToolError: there is none.
    """
    record = world.get(kind, key)
    if record is None:
        raise ToolError(f"There is no {kind.__name__.lower()} {key!r}. {hint}".rstrip())
    return record


class BadArgumentsError(ValueError):
    """Arguments off the tool's schema; the message says which and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A function that the agent may call.

    Attributes:
        name: the function's name.
        description: the docstring's text before its `Args:`.
        writes: True when it may change the world.
        function: called as `function(world, *arguments)`; raises `ToolError`.
        arguments: a struct type with one field per parameter.
        parameters: JSON Schema of the arguments, fully nested.
        requires: kinds of the `Ref` types among its parameters.
        produces: kinds of the `Ref` types in its result.
        says: words (lower case) by which people name this action; a consent must have named one of them. `~`
            stands for any words of the same sentence ("change ~ address").
        numeric: names of the parameters whose values may hold a number somewhere.
        dates: names of the parameters whose values may hold a day somewhere.
    """

    name: str
    description: str
    writes: bool
    function: Callable[..., Any]
    arguments: type[msgspec.Struct]
    parameters: Mapping[str, Any]
    requires: frozenset[str]
    produces: frozenset[str]
    says: tuple[str, ...]
    numeric: tuple[str, ...]
    dates: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as an OpenAI function definition."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": dict(self.parameters),
            },
        }

    def named_in(self, text: str) -> bool:
        """Whether a text names the action by one of `says`; `~` there stands for any words ("change ~ address")."""
        lowered = text.lower()
        return any(span(lowered, phrase.split(" ~ ")) for phrase in self.says)

    def bind(self, arguments: Mapping[str, Any], *, encoded: bool = False) -> msgspec.Struct:
        """Arguments as the tool's struct; numeric strings count as numbers.

        Args:
            arguments: what the tool is called with.
            encoded: they were encoded as JSON before, so that their texts are known to be valid Unicode.

        Raises:
            BadArgumentsError: with the field and the reason.
        """
        try:
            bound = msgspec.convert(arguments, self.arguments, strict=False)
            if not encoded:
                msgspec.json.encode(bound)
        except msgspec.ValidationError as error:
            raise BadArgumentsError(f"{self.name}: {error}") from None
        except UnicodeEncodeError:
            raise BadArgumentsError(f"{self.name}: holds text that is not valid Unicode") from None
        for name in self.numeric:
            _check_numbers(getattr(bound, name), f"{self.name}.{name}")
        for name in self.dates:
            _check_days(getattr(bound, name), field_types(self.arguments)[name], f"{self.name}.{name}")
        return bound

    def run(self, world: World, bound: msgspec.Struct) -> Any:
        """Call the function; on any error the world is as it was before.

        Raises:
            ToolError: what the tool itself says went wrong.
        """
        if not self.writes:
            return self.function(world, *msgspec.structs.astuple(bound))
        mark = world.savepoint()
        try:
            return self.function(world, *msgspec.structs.astuple(bound))
        except BaseException:
            world.rollback(mark)
            raise


def read(function: Callable[..., Any]) -> Tool:
    """Decorator: a tool that looks things up and changes nothing."""
    return _tool(function, writes=False, says=())


def write(*says: str) -> Callable[[Callable[..., Any]], Tool]:
    """Decorator: a tool that changes the world. `says`: words by which people name the action."""
    if not says:
        raise TypeError("write() needs the words by which people name the action, for example @write('cancel')")
    return lambda function: _tool(function, writes=True, says=tuple(word.lower() for word in says))


def _tool(function: Callable[..., Any], *, writes: bool, says: tuple[str, ...]) -> Tool:
    hints = get_type_hints(function, include_extras=True)
    result = hints.pop("return")
    parameters = list(inspect.signature(function).parameters.values())[1:]
    name = function.__name__
    fields = [
        (p.name, hints[p.name]) if p.default is inspect.Parameter.empty else (p.name, hints[p.name], p.default)
        for p in parameters
    ]
    struct = msgspec.defstruct(name, fields, frozen=True, forbid_unknown_fields=True)
    description, notes = parse_docstring(function)
    if missing := [p.name for p in parameters if p.name not in notes]:
        raise TypeError(f"tool {name}: the docstring's Args do not describe {missing}")
    kinds = [kinds_in(hints[p.name]) for p in parameters]
    return Tool(
        name=name,
        description=description,
        writes=writes,
        function=function,
        arguments=struct,
        parameters=parameters_schema(struct, notes),
        requires=frozenset().union(*kinds),
        produces=kinds_in(result),
        says=says,
        numeric=tuple(p.name for p in parameters if _is_numeric(hints[p.name])),
        dates=tuple(p.name for p in parameters if _holds_days(hints[p.name])),
    )


def _is_numeric(hint: Any) -> bool:
    """Whether values of this type may hold a number somewhere."""
    inner = bare(hint)
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        return any(_is_numeric(part) for part in field_types(inner).values())
    if get_origin(inner) is Literal:
        return any(isinstance(value, int) for value in get_args(inner))
    parts = [part for part in get_args(inner) if part is not Ellipsis]
    return any(_is_numeric(part) for part in parts) if parts else inner not in _NO_NUMBERS


def _holds_days(hint: Any) -> bool:
    """Whether values of this type may hold a day as an ISO string somewhere."""
    inner = bare(hint)
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        return any(_holds_days(part) for part in field_types(inner).values())
    return ref_of(hint) == "date" or any(_holds_days(part) for part in get_args(inner))


def _check_numbers(value: Any, place: str) -> None:
    """Refuse numbers that no amount or count can be: NaN, infinity, beyond 2**53, fractions of a cent."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            _check_numbers(getattr(value, name), f"{place}.{name}")
    elif isinstance(value, list | tuple | frozenset):
        for item in value:
            _check_numbers(item, place)
    elif isinstance(value, Decimal):
        if not value.is_finite() or not -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
            raise BadArgumentsError(f"{place}: {str(value)[:40]} is not an amount")
        if value != round(value, 2):
            raise BadArgumentsError(f"{place}: {str(value)[:40]} has more than two decimals")
    elif isinstance(value, int | float) and not -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
        raise BadArgumentsError(f"{place}: the number is too large")


def _check_days(value: Any, hint: Any, place: str) -> None:
    """Refuse days that the calendar does not have, in a value of this type."""
    inner = bare(hint)
    if get_origin(inner) in (Union, UnionType):
        for part in get_args(inner):
            _check_days(value, part, place)
    elif isinstance(value, msgspec.Struct):
        for name, part in field_types(type(value)).items():
            _check_days(getattr(value, name), part, f"{place}.{name}")
    elif isinstance(value, list | tuple | frozenset):
        parts = get_args(inner)
        fixed = get_origin(inner) is tuple and Ellipsis not in parts
        for item, part in zip(value, parts if fixed else cycle(parts[:1]), strict=False):
            _check_days(item, part, place)
    elif isinstance(value, dict):
        for item, part in product(value.values(), get_args(inner)[1:]):
            _check_days(item, part, place)
    elif isinstance(value, str) and ref_of(hint) == "date" and not is_day(value):
        raise BadArgumentsError(f"{place}: {value} is no day of the calendar")
