"""What a function's signature and docstring say: JSON Schema, descriptions and kinds of values."""

import inspect
import re
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

from tau_emotion_gym.world.fields import bare, ref_of
from tau_emotion_gym.world.records import field_types

_ARGUMENT = re.compile(r"^ {4}(\w+):\s*(.*)$")


def parse_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """(description, argument → note) of a Google-style docstring.

    Raises:
        TypeError: the function has no docstring.
    """
    text = inspect.getdoc(function)
    if not text:
        raise TypeError(f"tool {function.__name__} needs a docstring: it is what the agent reads")
    head, _, rest = text.partition("\nArgs:\n")
    notes: dict[str, str] = {}
    name = ""
    for line in rest.splitlines():
        if found := _ARGUMENT.match(line):
            name = found[1]
            notes[name] = found[2]
        elif name and line.startswith("     "):
            notes[name] += " " + line.strip()
        elif line.strip():
            break
    return " ".join(head.split()), notes


def parameters_schema(struct: type[msgspec.Struct], notes: Mapping[str, str]) -> dict[str, Any]:
    """JSON Schema of a tool's arguments: references inlined, enums typed, every property described."""
    raw = msgspec.json.schema(struct)
    schema: dict[str, Any] = _inlined(raw["$defs"][struct.__name__], raw["$defs"])
    schema.pop("title", None)
    for name, note in notes.items():
        if name in schema["properties"]:
            schema["properties"][name] = {**schema["properties"][name], "description": note}
    schema.setdefault("required", [])
    return schema


def _inlined(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _inlined({**target, **rest}, definitions)
    result = {
        key: {name: _inlined(part, definitions) for name, part in value.items()}
        if key == "properties"
        else _inlined(value, definitions)
        for key, value in node.items()
        if key != "title"
    }
    if result.get("format") == "decimal":
        del result["format"]
        result["type"] = "number"
    if "enum" in result and all(isinstance(value, str) for value in result["enum"]):
        result["type"] = "string"
    if "default" in result and isinstance(result["default"], tuple):
        result["default"] = list(result["default"])
    return result


def kinds_in(hint: Any) -> frozenset[str]:
    """The kinds of every `Ref` in a type: itself, its items, and the fields of its structs."""
    return frozenset(_kinds(hint, set()))


def _kinds(hint: Any, seen: set[type]) -> set[str]:
    kind = ref_of(hint)
    found = set() if kind is None else {kind}
    inner = bare(hint)
    if get_origin(inner) in (Union, UnionType, tuple, list, dict, frozenset, set):
        for part in get_args(inner):
            found |= _kinds(part, seen)
    elif isinstance(inner, type) and issubclass(inner, msgspec.Struct) and inner not in seen:
        seen.add(inner)
        for part in field_types(inner).values():
            found |= _kinds(part, seen)
    return found
