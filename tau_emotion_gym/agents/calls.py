"""A model's tool calls: as actions of an episode, as messages for servers, and what the ones not run are told."""

import re
from functools import lru_cache
from typing import Any

import msgspec

from tau_emotion_gym.episode import Action
from tau_emotion_gym.llm import Call

MOST_CALLS = 16
"""Calls of one answer that are carried out."""

TOO_MANY = f"Error: not carried out; at most {MOST_CALLS} calls in one answer are."
INTERRUPTED = "Error: not carried out; the customer has written in the meantime."
OVER = "Error: not carried out; the conversation is over."
SENT = "Sent to the customer."

UNREADABLE = "tool_call"
"""The name of a call in which none can be made out."""

LONGEST_NAME = 64
"""Characters of a tool's name that servers take."""

_NOT_IN_NAMES = re.compile(r"[^\w-]", re.A)
_REMEMBERED = 512


def action_of(call: Call) -> Action:
    """A call as an action; arguments that are no JSON object stay a text, which the episode refuses."""
    name = call.name or UNREADABLE
    text = call.arguments.strip() or ("{}" if call.name else "")
    try:
        arguments = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        arguments = None
    return {"name": name, "arguments": arguments if isinstance(arguments, dict) else text}  # type: ignore[typeddict-item]


def native_call(call: Call) -> dict[str, Any]:
    """A call as servers take it back, whatever the model wrote: a plain name, and the JSON text of an object."""
    function = {"name": _plain_name(call.name), "arguments": json_object(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


@lru_cache(_REMEMBERED)
def _plain_name(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name)[:LONGEST_NAME] or "unknown"


@lru_cache(_REMEMBERED)
def json_object(arguments: str) -> str:
    """Arguments as the JSON text of an object: a malformed text stands as `{"malformed": the text}`."""
    try:
        if isinstance(msgspec.json.decode(arguments or "{}"), dict):
            return arguments or "{}"
    except (msgspec.DecodeError, RecursionError):
        pass
    return msgspec.json.encode({"malformed": arguments}).decode()
