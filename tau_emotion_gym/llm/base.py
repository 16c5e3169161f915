"""What is asked of a language model and what it answers; the protocol of every backend."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec

from tau_emotion_gym.errors import TauEmotionError

Message = dict[str, Any]
"""A chat message in the OpenAI format: `role`, `content`, and `tool_calls` or `tool_call_id` where they belong."""


class ModelError(TauEmotionError):
    """A model could not answer, after every retry: the server failed, hung, or sent what is no completion."""


class ModelRefused(ModelError):
    """The server will refuse every request alike: a wrong key, an unknown model, a model without tools."""


class ContextOverflow(ModelError):
    """The conversation is longer than the model's context. Never retried."""


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one or many calls.

    Attributes:
        calls: requests answered.
        prompt_tokens: tokens read; None where a server did not tell.
        completion_tokens: tokens written; None where a server did not tell.
    """

    calls: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            _sum(self.prompt_tokens, other.prompt_tokens),
            _sum(self.completion_tokens, other.completion_tokens),
        )


NO_USAGE = Usage()
"""Nothing was asked."""


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


class Call(msgspec.Struct, frozen=True):
    """A tool call as a model wrote it.

    Attributes:
        id: the model's own id for it; "" when it gave none.
        name: the tool's name.
        arguments: their JSON text, which may be broken.
    """

    id: str
    name: str
    arguments: str


class ChatRequest(msgspec.Struct, frozen=True):
    """One request to a model.

    Attributes:
        messages: the conversation.
        tools: OpenAI function definitions offered natively; none for a plain chat.
        seed: the sampling seed, 0 to 2**31 - 1; None leaves it to the server.
    """

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()
    seed: int | None = None


class Completion(msgspec.Struct, frozen=True):
    """What a model answered.

    Attributes:
        text: the content; "" when there is none.
        calls: tool calls in the model's order.
        reasoning: what a server returned as reasoning, apart from the content.
        finish: the server's finish reason ("stop", "length", "tool_calls", …).
        usage: tokens of this call, retries included.
    """

    text: str
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    finish: str = "stop"
    usage: Usage = Usage(calls=1, prompt_tokens=None, completion_tokens=None)


@runtime_checkable
class ChatModel(Protocol):
    """A language model behind some server or in this process. Safe to share between episodes and threads."""

    def complete(self, request: ChatRequest) -> Completion:
        """The answer to one request.

        Raises:
            ModelError: no answer could be had.
        """
        ...

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[Completion | ModelError]:
        """Answers to several requests at once, in order; an error stands in its place."""
        ...

    async def acomplete(self, request: ChatRequest) -> Completion:
        """`complete` without blocking the event loop."""
        ...

    def describe(self) -> dict[str, Any]:
        """The model's name and its decoding as JSON-able values, for the log. No key is in it."""
        ...
