"""Tools as typed, documented Python functions, for trainers that read schemas off functions."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, Optional

from tau_emotion_gym.episode import RESPOND
from tau_emotion_gym.kit import Tool

RESPOND_SCHEMA: Mapping[str, Any] = {
    "name": RESPOND,
    "description": "Send a message to the customer and wait for the reply.",
    "parameters": {
        "type": "object",
        "properties": {"content": {"type": "string", "description": "What the customer reads."}},
        "required": ["content"],
    },
}
"""The message to the customer as a function, where a trainer knows no other way to send it."""

_PLAIN: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}

Run = Callable[[Any, str, dict[str, Any]], Any]
"""`run(self, name, arguments)`: what a generated method does."""


def method(schema: Mapping[str, Any], run: Run) -> Callable[..., Any]:
    """A method with the name, typed parameters and Google-style docstring of a function definition.

    Called with keyword arguments, whatever they are, it hands them to `run`, where those off the schema become
    errors that the agent reads.

    Args:
        schema: `name`, `description` and `parameters`, as in an OpenAI function definition.
        run: what it does.
    """
    name = schema["name"]
    properties: Mapping[str, Any] = schema["parameters"]["properties"]
    required = schema["parameters"]["required"]

    def made(self: Any, **arguments: Any) -> str:
        return str(run(self, name, arguments))

    hints = {key: hint_of(value) for key, value in properties.items()}
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    own = [
        inspect.Parameter(
            key,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[key],
            default=inspect.Parameter.empty if key in required else properties[key].get("default"),
        )
        for key in sorted(properties, key=lambda key: key not in required)
    ]
    made.__name__ = made.__qualname__ = name
    made.__doc__ = docstring(schema)
    made.__annotations__ = {**hints, "return": str}
    made.__signature__ = inspect.Signature([receiver, *own], return_annotation=str)  # type: ignore[attr-defined]
    return made


def definition(tool: Tool) -> Mapping[str, Any]:
    """A tool's `name`, `description` and `parameters`."""
    found: Mapping[str, Any] = tool.schema["function"]
    return found


def hint_of(schema: Mapping[str, Any]) -> Any:
    """The Python type of a JSON schema. Objects are `dict`: what is in them stands in the docstring."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        kinds = [one for one in schema["anyOf"] if one.get("type") != "null"]
        return Optional[hint_of(kinds[0])] if len(kinds) == 1 else Any  # noqa: UP045 (a type at run time)
    if schema.get("type") == "array":
        return list[hint_of(schema["items"])]  # type: ignore[misc]
    return _PLAIN.get(schema.get("type", ""), Any)


def docstring(schema: Mapping[str, Any]) -> str:
    """A Google-style docstring: the description, and one line per argument."""
    lines = [schema["description"], "", "Args:"]
    for key, value in schema["parameters"]["properties"].items():
        lines.append(f"    {key}: {_note(value)}")
    return "\n".join([*lines, "", "Returns:", "    What came of it."])


def _note(schema: Mapping[str, Any]) -> str:
    """An argument's description on one line, with the fields of objects in it."""
    note = " ".join(str(schema.get("description", "")).split())
    inner = schema.get("items", schema)
    if fields := inner.get("properties"):
        note += f" Each an object with: {', '.join(map(_field, fields, fields.values()))}."
    return note.lstrip()


def _field(name: str, schema: Mapping[str, Any]) -> str:
    about = str(schema.get("description") or schema.get("type", "")).rstrip(".")
    return f"{name} ({about[:1].lower()}{about[1:]})"
