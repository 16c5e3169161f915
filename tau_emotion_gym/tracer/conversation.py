"""A logged episode as a conversation that a chat model can be trained on."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from tau_emotion_gym.agents.instructions import instructions
from tau_emotion_gym.envs.chat import function_tools
from tau_emotion_gym.episode import Turn
from tau_emotion_gym.episode.actions import split_thought
from tau_emotion_gym.kit import THINK, Domain, Tool
from tau_emotion_gym.rollouts import Record
from tau_emotion_gym.world import encode

Message = dict[str, Any]
"""A chat message in the OpenAI format."""


class Conversation(msgspec.Struct, frozen=True):
    """What every format is made from.

    Attributes:
        messages: the system prompt, then all turns in the OpenAI format, up to the agent's last one: what the
            customer or a tool says after it teaches an agent nothing.
        tools: the function definitions that were on offer.
    """

    messages: list[Message]
    tools: list[dict[str, Any]]


def conversation(
    record: Record, domain: Domain, *, think_tool: bool = False, keep_thoughts: bool = False
) -> Conversation:
    """The conversation of a record without malformed calls.

    Args:
        record: the record.
        domain: its domain.
        think_tool: the run offered the `think` tool; also taken as offered where it was used.
        keep_thoughts: put what the agent thought, and did not send, as a think block before each of its messages
            and calls.

    Raises:
        BadArgumentsError, KeyError: a call does not fit the tools; the record has malformed calls.
    """
    messages: list[Message] = [{"role": "system", "content": instructions(domain)}]
    think_tool = think_tool or any(turn.role == "call" and turn.name == THINK for turn in record.transcript)
    tools = domain.toolbox(think_tool=think_tool)
    last = 0
    actions = calls = 0
    answered = True
    for turn in record.transcript:
        if turn.role == "user":
            messages.append({"role": "user", "content": turn.content})
        elif turn.role == "tool":
            if not answered:
                messages.append({"role": "tool", "tool_call_id": _call_id(calls), "content": turn.content})
            answered = True
        else:
            thought = _thought(turn, record.asides.get(str(actions), "")) if keep_thoughts else ""
            actions += 1
            if turn.role == "agent":
                messages.append({"role": "assistant", "content": thought + turn.content})
            else:
                calls += 1
                answered = False
                messages.append(_call(turn, tools[turn.name], _call_id(calls), thought))
            last = len(messages)
    return Conversation(messages[:last], offered(domain, think_tool))


@cache
def offered(domain: Domain, think_tool: bool) -> list[dict[str, Any]]:
    """The function definitions of a domain; shared by all rows, not to be changed."""
    return function_tools(domain, think_tool=think_tool)


def arguments(tool: Tool, text: str) -> str:
    """The JSON text of a call's arguments as the tool took them.

    Exactly the arguments that the agent gave, with numbers as numbers where the agent wrote them as strings;
    defaults are not filled in.

    Raises:
        BadArgumentsError: they do not fit the tool's schema.
    """
    given = msgspec.json.decode(text)
    bound = msgspec.json.decode(encode(tool.bind(given)))
    return msgspec.json.encode(_as_given(given, bound)).decode()


def _as_given(given: Any, bound: Any) -> Any:
    """The bound value without what binding added."""
    if isinstance(given, Mapping) and isinstance(bound, Mapping):
        return {key: _as_given(value, bound[key]) for key, value in given.items() if key in bound}
    if isinstance(given, list) and isinstance(bound, list) and len(given) == len(bound):
        return [_as_given(one, other) for one, other in zip(given, bound, strict=True)]
    return bound


def _call(turn: Turn, tool: Tool, call_id: str, thought: str) -> Message:
    function = {"name": tool.name, "arguments": arguments(tool, turn.content)}
    return {
        "role": "assistant",
        "content": thought.rstrip() or None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def _call_id(number: int) -> str:
    return f"call_{number}"


def _thought(turn: Turn, aside: str) -> str:
    """The think block of a turn, from its own thought and what the model wrote beside it; "" when there is none."""
    parts = [part.strip() for part in (turn.thought, *reversed(split_thought(aside)))]
    text = "\n".join(dict.fromkeys(part for part in parts if part))
    return f"<think>\n{text}\n</think>\n\n" if text else ""
