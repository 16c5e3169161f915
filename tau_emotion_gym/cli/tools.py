"""A tool's arguments in words."""

from collections.abc import Iterator
from typing import Any

from tau_emotion_gym.kit import Tool


def parameters(tool: Tool) -> Iterator[str]:
    """One line per argument: name, type, meaning and choices."""
    for name, schema in tool.parameters["properties"].items():
        optional = "" if name in tool.parameters["required"] else ", optional"
        yield f"{name} ({_type(schema)}{optional}): {schema.get('description', '')}{_choices(schema)}"


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    kind = str(schema.get("type", "any"))
    return f"array of {_type(schema['items'])}" if kind == "array" and schema.get("items") else kind


def _choices(schema: dict[str, Any]) -> str:
    return f" One of: {', '.join(map(str, schema['enum']))}." if "enum" in schema else ""
