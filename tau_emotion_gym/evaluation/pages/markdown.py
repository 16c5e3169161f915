"""Small pieces of Markdown."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tau_emotion_gym.world import Date
from tau_emotion_gym.world.fields import annotations

_HEADING = re.compile(r"^(#+) ", re.M)
_DATE_PATTERN = next(extra.pattern for extra in annotations(Date) if hasattr(extra, "pattern"))


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = (" | ".join(_cell(cell) for cell in cells) for cells in (head, ["---"] * len(head), *rows))
    return "\n".join(f"| {line} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def fence(text: str, language: str) -> str:
    """A code block."""
    return f"```{language}\n{text.rstrip()}\n```"


def code(text: object) -> str:
    """Inline code."""
    return f"`{text}`"


def codes(names: Iterable[str]) -> str:
    """Names as inline code, separated by commas."""
    return ", ".join(map(code, names))


def quoted(text: str) -> str:
    """A block quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def demoted(text: str, levels: int) -> str:
    """The text with its headings so many levels lower."""
    return _HEADING.sub(lambda found: "#" * (len(found[1]) + levels) + " ", text)


def plural(count: int, noun: str) -> str:
    """A number with its noun: "1 task", "3 tasks"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def signed(number: float) -> str:
    """A number with its sign: "+1", "−1", "0"."""
    return f"{number:+g}".replace("-", "−") if number else "0"


def schema_type(schema: Mapping[str, Any]) -> str:
    """A JSON Schema in a few words: "string", "one of `a`, `b`", "list of strings"."""
    if "anyOf" in schema:
        return " or ".join(schema_type(option) for option in schema["anyOf"])
    if "enum" in schema:
        return "one of " + codes(map(str, schema["enum"]))
    if schema.get("pattern") == _DATE_PATTERN:
        return "date (YYYY-MM-DD)"
    kind = str(schema.get("type", "any"))
    if kind == "array":
        return f"list of ({schema_type(schema.get('items', {}))})"
    if kind == "object" and schema.get("properties"):
        fields = (f"{code(name)}: {schema_type(part)}" for name, part in schema["properties"].items())
        return "object with " + "; ".join(fields)
    return kind
