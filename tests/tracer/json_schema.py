"""As much of JSON Schema as the tools' schemas use."""

import re
from typing import Any

_TYPES = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}
_KNOWN = {
    "type", "enum", "properties", "required", "items", "anyOf", "additionalProperties", "pattern", "format",
    "description", "default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "const",
}  # fmt: skip


def problems(value: Any, schema: dict[str, Any], place: str = "$") -> list[str]:
    """What a value has against a schema."""
    assert set(schema) <= _KNOWN, (place, set(schema) - _KNOWN)
    if "anyOf" in schema:
        return [] if any(not problems(value, option, place) for option in schema["anyOf"]) else [f"{place}: no option"]
    kind = schema.get("type")
    if kind and not _TYPES[kind](value):
        return [f"{place}: {value!r} is no {kind}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{place}: {value!r} is none of {schema['enum']}")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        found.append(f"{place}: {value!r} does not fit {schema['pattern']}")
    if isinstance(value, int | float) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{place}: {value} is out of range")
    if isinstance(value, str | list):
        word = "Length" if isinstance(value, str) else "Items"
        if not schema.get("min" + word, 0) <= len(value) <= schema.get("max" + word, len(value)):
            found.append(f"{place}: length {len(value)}")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += problems(item, schema["items"], f"{place}[{number}]")
    if isinstance(value, dict) and "properties" in schema:
        found += [f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            if name in schema["properties"]:
                found += problems(item, schema["properties"][name], f"{place}.{name}")
            else:
                found.append(f"{place}: {name} is not known")
    return found
