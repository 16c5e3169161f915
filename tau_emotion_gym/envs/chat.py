"""Transcripts and tools in the OpenAI chat-completions format."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import msgspec

from tau_emotion_gym.episode import Turn
from tau_emotion_gym.kit import Domain

Message = dict[str, Any]
"""One chat message with `role` and `content`, and `tool_calls` or `tool_call_id` where they belong."""


def function_tools(domain: Domain, *, think_tool: bool = False) -> list[dict[str, Any]]:
    """The tools that an agent is offered, as function definitions: new objects at every call.

    "respond" is none of them: a message to the customer is what a chat model writes when it calls no tool.
    """
    return [deepcopy(tool.schema) for tool in domain.offered(think_tool=think_tool)]


def chat_messages(policy: str, transcript: Iterable[Turn]) -> list[Message]:
    """The conversation for a chat model: new objects at every call.

    The policy is the system message; the customer speaks as "user"; the agent's messages and tool calls
    are "assistant" messages (thoughts left out); each call is followed by its result with the same id.
    Arguments are always the JSON text of an object: a malformed call stands as `{"malformed": its text}`.
    A notice that nobody said (role "tool", name "episode") is a further system message.
    """
    messages: list[Message] = [{"role": "system", "content": policy}]
    calls = 0
    answered = True
    for turn in transcript:
        if turn.role == "user":
            messages.append({"role": "user", "content": turn.content})
        elif turn.role == "agent":
            messages.append({"role": "assistant", "content": turn.content})
        elif turn.role == "call":
            calls += 1
            answered = False
            messages.append(_call(turn, _call_id(calls)))
        elif answered:
            messages.append({"role": "system", "content": turn.content})
        else:
            answered = True
            messages.append({"role": "tool", "tool_call_id": _call_id(calls), "content": turn.content})
    return messages


def _call_id(number: int) -> str:
    return f"call_{number}"


def _call(turn: Turn, call_id: str) -> Message:
    function = {"name": turn.name, "arguments": _arguments(turn.content)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def _arguments(text: str) -> str:
    try:
        is_object = isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, RecursionError):
        is_object = False
    return text if is_object else msgspec.json.encode({"malformed": text}).decode()
