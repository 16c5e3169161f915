"""Agents and users on the command line: a name, NAME:MODEL, JSON, or a file of JSON, and options beside them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tau_emotion_gym.errors import TauEmotionError

MODELS = ("openai", "vllm")
"""Kinds that may be written with their model: openai:MODEL."""

Spec = str | dict[str, Any]


def spec_of(role: str, text: str, options: Sequence[str] = ()) -> Spec:
    """The configuration that is meant.

    Args:
        role: "agent" or "user", for messages.
        text: "reference", "openai:MODEL", "module:callable", a JSON object, or "@file.json".
        options: "key=value", where a value is JSON if it can be read as JSON, and text otherwise.

    Raises:
        TauEmotionError: no JSON object, no such file, or an option without "=".
    """
    spec = _written(role, text)
    if not options:
        return spec
    made = {"kind": spec} if isinstance(spec, str) else dict(spec)
    for option in options:
        key, equals, value = option.partition("=")
        if not equals or not key:
            raise TauEmotionError(f"an option of the {role} is key=value, not {option!r}")
        made[key] = _value(value)
    return made


def name_of(spec: Spec) -> str:
    """A short name for a configuration: the model's, or the kind's; fit for a folder."""
    text = spec if isinstance(spec, str) else str(spec.get("model") or spec.get("kind"))
    short = text.rstrip("/").rpartition("/")[2] or text
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in short)[:60].strip(".") or "run"


def _written(role: str, text: str) -> Spec:
    if text.startswith("@"):
        path = Path(text[1:])
        try:
            return _object(role, path.read_text(encoding="utf-8"), str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise TauEmotionError(f"{role}: {path} cannot be read: {error}") from None
    if text.lstrip().startswith("{"):
        return _object(role, text, "the JSON object")
    kind, colon, model = text.partition(":")
    return {"kind": kind, "model": model} if colon and model and kind in MODELS else text


def _object(role: str, text: str, where: str) -> dict[str, Any]:
    try:
        made = json.loads(text)
    except ValueError as error:
        raise TauEmotionError(f"{role}: {where} is not JSON: {error}") from None
    if not isinstance(made, dict) or not isinstance(made.get("kind"), str):
        raise TauEmotionError(f'{role}: {where} is not an object with a "kind"')
    return made


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
