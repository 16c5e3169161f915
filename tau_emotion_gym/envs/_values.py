"""Values of a JSON Schema: drawing one, and telling whether one fits.

The constructs are those of the tools' own schemas: types (also several), enum, const, pattern, anyOf,
nested objects and arrays, bounds of numbers and of lengths. Fitting follows the package's one rule for
arguments: a numeric string counts as a number, and a day is one of the calendar.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.envs._patterns import matching
from tau_emotion_gym.kit import days_after
from tau_emotion_gym.world.fields import DAY, is_day

Schema = Mapping[str, Any]

_WORDS = ("blue", "kettle", "12", "Ana", "north", "A7", "late", "gift", "café", "two", "room", "9:30")
_MOST_ITEMS = 3
_LARGEST = 2**53


def draw_value(schema: Schema, draw: Draw) -> Any:
    """A value that fits `schema`.

    Raises:
        ValueError: the schema uses a construct that is not understood.
    """
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw.pick(schema["enum"])
    for alternatives in ("anyOf", "oneOf"):
        if alternatives in schema:
            return draw_value(draw.pick(schema[alternatives]), draw)
    kind = schema.get("type", "string")
    if not isinstance(kind, str):
        kind = draw.pick(list(kind))
    maker = _MAKERS.get(kind)
    if maker is None:
        raise ValueError(f"a schema of type {kind!r} cannot be sampled")
    return maker(schema, draw)


def _string(schema: Schema, draw: Draw) -> str:
    if schema.get("pattern") == DAY:
        return days_after("2000-01-01", draw.below(36_525))
    if "pattern" in schema:
        return matching(schema["pattern"], draw)
    text = " ".join(draw.pick(_WORDS) for _ in range(draw.between(1, 3)))
    text = text.ljust(schema.get("minLength", 0), "x")
    return text[: schema.get("maxLength", len(text))]


def _bounds(schema: Schema, unit: float) -> tuple[float, float]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", -math.inf))
    high = schema.get("maximum", schema.get("exclusiveMaximum", math.inf))
    if "exclusiveMinimum" in schema:
        low += unit
    if "exclusiveMaximum" in schema:
        high -= unit
    if low == -math.inf:
        low = 0 if high >= 0 else high - 100
    return low, min(high, low + 100)


def _integer(schema: Schema, draw: Draw) -> int:
    low, high = _bounds(schema, 1)
    return draw.between(math.ceil(low), math.floor(high))


def _number(schema: Schema, draw: Draw) -> float:
    low, high = _bounds(schema, 0.01)
    return draw.between(math.ceil(low * 100), math.floor(high * 100)) / 100


def _array(schema: Schema, draw: Draw) -> list[Any]:
    first = [draw_value(item, draw) for item in schema.get("prefixItems", ())]
    rest = schema.get("items", {})
    if rest is False:
        return first
    low = max(schema.get("minItems", 0) - len(first), 0)
    high = max(low, min(schema.get("maxItems", _MOST_ITEMS) - len(first), low + _MOST_ITEMS))
    items = [draw_value(rest, draw) for _ in range(draw.between(low, high))]
    if schema.get("uniqueItems"):
        items = [item for at, item in enumerate(items) if item not in items[:at]]
    return first + items


def _object(schema: Schema, draw: Draw) -> dict[str, Any]:
    required = schema.get("required", ())
    made = {
        name: draw_value(value, draw)
        for name, value in schema.get("properties", {}).items()
        if name in required or draw.chance(0.5)
    }
    free = schema.get("additionalProperties", False)
    if isinstance(free, Mapping):
        made |= {draw.pick(_WORDS): draw_value(free, draw) for _ in range(draw.between(1, 2))}
    return made


_MAKERS: Mapping[str, Callable[[Schema, Draw], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda _, draw: draw.chance(0.5),
    "null": lambda _, draw: None,
    "array": _array,
    "object": _object,
}


def fits(schema: Schema, value: Any) -> bool:
    """Whether `value` fits `schema`, numeric strings counting as numbers."""
    if "const" in schema:
        return bool(value == schema["const"])
    if "enum" in schema:
        return any(_equals(each, value) for each in schema["enum"])
    for alternatives in ("anyOf", "oneOf"):
        if alternatives in schema:
            return any(fits(each, value) for each in schema[alternatives])
    kind = schema.get("type")
    if kind is None:
        return True
    kinds = (kind,) if isinstance(kind, str) else tuple(kind)
    return any(_CHECKS[each](schema, value) for each in kinds)


def _equals(choice: Any, value: Any) -> bool:
    if type(choice) is int:
        return _is_number({}, value, whole=True) and float(value) == choice
    return type(value) is type(choice) and bool(value == choice)


def _is_string(schema: Schema, value: Any) -> bool:
    return (
        isinstance(value, str)
        and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf)
        and ("pattern" not in schema or re.search(schema["pattern"], value) is not None)
        and (schema.get("pattern") != DAY or is_day(value))
    )


def _is_number(schema: Schema, value: Any, *, whole: bool = False) -> bool:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return False
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if not -_LARGEST <= value <= _LARGEST or (whole and value != int(value)):
        return False
    return bool(
        schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf)
        and schema.get("exclusiveMinimum", -math.inf) < value < schema.get("exclusiveMaximum", math.inf)
    )


def _is_array(schema: Schema, value: Any) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return False
    first = schema.get("prefixItems", ())
    rest = schema.get("items", {})
    if len(value) < len(first) or (rest is False and len(value) > len(first)):
        return False
    return (
        schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf)
        and all(fits(each, item) for each, item in zip(first, value, strict=False))
        and (rest is False or all(fits(rest, item) for item in value[len(first) :]))
    )


def _is_object(schema: Schema, value: Any) -> bool:
    if not isinstance(value, Mapping) or any(name not in value for name in schema.get("required", ())):
        return False
    known = schema.get("properties", {})
    free = schema.get("additionalProperties", True)
    for name, item in value.items():
        allowed = known.get(name, free)
        if allowed is False or (isinstance(allowed, Mapping) and not fits(allowed, item)):
            return False
    return True


_CHECKS: Mapping[str, Callable[[Schema, Any], bool]] = {
    "string": _is_string,
    "integer": lambda schema, value: _is_number(schema, value, whole=True),
    "number": _is_number,
    "boolean": lambda _, value: value in (True, False, "true", "false"),
    "null": lambda _, value: value is None or value == "null",
    "array": _is_array,
    "object": _is_object,
}
