"""The actions of language models: completions, and assistant messages."""

from collections.abc import Mapping
from typing import Any

import msgspec

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.envs.spaces import SENTENCES, ActionSpace, PlainSpace
from tau_emotion_gym.episode import RESPOND, Action
from tau_emotion_gym.llm import Call
from tau_emotion_gym.llm.tool_text import render_call

MESSAGE_KEYS = frozenset({"role", "content", "reasoning_content", "tool_calls"})
"""Keys of an assistant message that mean something here."""


class CompletionSpace(PlainSpace):
    """Texts that a model wrote: any text is one.

    Args:
        actions: the environment's own actions, of which samples are made.
        seed: seeds `sample`.
    """

    def __init__(self, actions: ActionSpace, seed: int | None = None) -> None:
        super().__init__(seed)
        self.actions = actions

    def contains(self, x: Any) -> bool:
        """Whether `x` is a text. O(1)."""
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A message, or one or two calls in the Hermes form, now and then after a thought."""
        draw = self._draw(mask, probability)
        thought = f"<think>\n{draw.pick(SENTENCES)}\n</think>\n\n" if draw.chance(1 / 4) else ""
        text, calls = _drawn(self.actions, draw)
        return thought + "\n".join([text, *map(render_call, calls)] if calls else [text])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompletionSpace) and self.actions == other.actions

    __hash__ = None


class AssistantSpace(PlainSpace):
    """Assistant messages in the OpenAI format whose calls fit the tools' schemas.

    Args:
        actions: the environment's own actions.
        seed: seeds `sample`.
    """

    def __init__(self, actions: ActionSpace, seed: int | None = None) -> None:
        super().__init__(seed)
        self.actions = actions

    def contains(self, x: Any) -> bool:
        """Whether `x` is such a message."""
        if not isinstance(x, Mapping) or x.get("role") != "assistant" or not x.keys() <= MESSAGE_KEYS:
            return False
        calls = x.get("tool_calls") or []
        return isinstance(x.get("content"), str | None) and isinstance(calls, list) and all(map(self._fits, calls))

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A message, or one or two calls."""
        text, calls = _drawn(self.actions, self._draw(mask, probability))
        if not calls:
            return {"role": "assistant", "content": text}
        functions = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
        return {"role": "assistant", "content": text or None, "tool_calls": functions}

    def _fits(self, call: Any) -> bool:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("arguments"), str):
            return False
        try:
            arguments = msgspec.json.decode(function["arguments"])
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return False
        return self.actions.contains({"name": function.get("name"), "arguments": arguments})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssistantSpace) and self.actions == other.actions

    __hash__ = None


def _drawn(actions: ActionSpace, draw: Draw) -> tuple[str, list[Call]]:
    """A text without calls, or one or two calls and maybe a text beside them."""
    first = actions.drawn(draw)
    if first["name"] == RESPOND:
        return first["arguments"]["content"], []
    drawn = [first, *(actions.drawn(draw) for _ in range(draw.below(2)))]
    calls = [_call(number, action) for number, action in enumerate(drawn) if action["name"] != RESPOND]
    return (draw.pick(SENTENCES) if draw.chance(1 / 4) else ""), calls


def _call(number: int, action: Action) -> Call:
    return Call(f"call_{number + 1}", action["name"], msgspec.json.encode(action["arguments"]).decode())
