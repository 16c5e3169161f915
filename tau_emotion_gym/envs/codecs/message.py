"""Assistant messages in the OpenAI format as actions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from gymnasium.spaces import Space

from tau_emotion_gym.agents.calls import MOST_CALLS, action_of
from tau_emotion_gym.envs.codecs.history import Messages
from tau_emotion_gym.envs.codecs.sending import carried_out, made_ids, refused
from tau_emotion_gym.envs.codecs.spaces import AssistantSpace
from tau_emotion_gym.envs.spaces import ActionSpace
from tau_emotion_gym.episode import Action, Episode, respond
from tau_emotion_gym.episode.actions import clean, kind_of, shown
from tau_emotion_gym.episode.turns import Sent
from tau_emotion_gym.llm import Call
from tau_emotion_gym.llm.tool_text import parse_tool_text

REASONING = ("reasoning_content", "reasoning")
"""Keys under which servers return what a model thought."""

_WANTED = 'an action is an assistant message, {"role": "assistant", "content": …, "tool_calls": […]}'


class ChatMessageCodec(Messages):
    """The action is an assistant message in the OpenAI format; observations are messages (see `Messages`).

    Its `tool_calls` are carried out in order, at most `MOST_CALLS`, and each is answered under its own id,
    also those that are not carried out any more. Arguments are JSON text, or the object itself. A call that
    cannot be read becomes an error turn. A message without calls goes to the customer, think blocks taken
    out; calls that a server left in the content count as calls. Content beside calls, and
    `reasoning_content`, are not sent: they stand in the transcript as a thought.
    """

    def action_space(self, actions: ActionSpace) -> Space[Any]:
        """An `AssistantSpace`."""
        return AssistantSpace(actions)

    def read(self, episode: Episode, action: Any) -> Sequence[Any]:
        """The calls, or the message to the customer."""
        try:
            written = _written(action)
        except _NoMessage as problem:
            return refused(episode, action, str(problem), native=True)
        text, calls = written.text, written.calls
        if not calls and text:
            found = parse_tool_text(text)
            if found.calls:
                text = found.text
                calls = [_Asked(call, action_of(call)) for call in found.calls]
        asked = _with_ids(episode, [one.call for one in calls])
        content = text or None if calls else text or ""
        episode.sent.append(Sent(len(episode.transcript), content, asked, reasoning=written.reasoning))
        if not calls:
            return carried_out([respond(text or "")], "", written.reasoning)
        return carried_out([one.action for one in calls[:MOST_CALLS]], text or "", written.reasoning)


class _NoMessage(ValueError):
    """What is wrong with an action."""


class _Asked(NamedTuple):
    """A call as it is shown, and as it is carried out."""

    call: Call
    action: Action


class _Written(NamedTuple):
    """The parts of a message."""

    text: str | None
    reasoning: str
    calls: list[_Asked]


def _written(message: Any) -> _Written:
    """The parts of an assistant message.

    Raises:
        _NoMessage: it is none.
    """
    if not isinstance(message, Mapping):
        raise _NoMessage(f"{_WANTED}, not {kind_of(message)}")
    if (role := message.get("role", "assistant")) != "assistant":
        raise _NoMessage(f"{_WANTED}; the 'role' is 'assistant', not {shown(role):.40}")
    calls = message.get("tool_calls") or _older(message)
    if not isinstance(calls, list | tuple):
        raise _NoMessage(f"'tool_calls' is a list of calls, not {kind_of(calls)}")
    if not calls and "content" not in message:
        raise _NoMessage(f"{_WANTED}; it has a 'content' or 'tool_calls'")
    text, thought = _content(message.get("content") or message.get("refusal"))
    given = [value for key in REASONING if isinstance(value := message.get(key), str)]
    reasoning = "\n".join(filter(None, (*given[:1], thought)))
    return _Written(text, clean(reasoning), [_asked(call) for call in calls])


def _older(message: Mapping[str, Any]) -> list[Any]:
    """The one call in the older form of a message."""
    call = message.get("function_call")
    return [] if call is None else [{"function": call}]


def _content(content: Any) -> tuple[str | None, str]:
    """Text and reasoning of a content: a string, null, or a list of parts."""
    if content is None or isinstance(content, str):
        return content and clean(content), ""
    if not isinstance(content, list | tuple):
        raise _NoMessage(f"'content' is a string, a list of parts, or null, not {kind_of(content)}")
    text: list[str] = []
    thought: list[str] = []
    for part in content:
        kind = part.get("type", "text") if isinstance(part, Mapping) else "text"
        value = part.get(kind if isinstance(kind, str) else "text") if isinstance(part, Mapping) else part
        if kind in ("thinking", "reasoning"):
            thought += [value] if isinstance(value, str) else []
        elif kind in ("text", "refusal") and isinstance(value, str):
            text.append(value)
        else:
            raise _NoMessage(f"the parts of a 'content' are texts, not {shown(part):.80}")
    return clean("".join(text)), clean("\n".join(thought))


def _asked(call: Any) -> _Asked:
    """One entry of `tool_calls`; what cannot be read becomes an action that the episode refuses."""
    function = call.get("function") if isinstance(call, Mapping) else None
    function = function if isinstance(function, Mapping) else call
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        made = Call(_id(call), "", shown(call))
        return _Asked(made, action_of(made))
    name, arguments = function["name"], function.get("arguments")
    if isinstance(arguments, str):
        made = Call(_id(call), clean(name), clean(arguments))
        return _Asked(made, action_of(made))
    arguments = {} if arguments is None else arguments
    action: Any = {"name": name, "arguments": arguments}
    return _Asked(Call(_id(call), clean(name), _json(arguments)), action)


def _id(call: Any) -> str:
    own = call.get("id") if isinstance(call, Mapping) else None
    return clean(own) if isinstance(own, str) else ""


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return shown(value)


def _with_ids(episode: Episode, calls: Sequence[Call]) -> tuple[Call, ...]:
    """The calls, those with a new id that have none or share one with another call of the message."""
    given = {call.id for call in calls}
    free = (made for made in made_ids(episode) if made not in given)
    seen = {""}
    found: list[Call] = []
    for call in calls:
        own = call.id if call.id not in seen else next(free)
        seen.add(own)
        found.append(Call(own, call.name, call.arguments))
    return tuple(found)
