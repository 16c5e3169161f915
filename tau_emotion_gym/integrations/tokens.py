"""Token-in, token-out: what a chat template puts behind an answer, without tokenising the past again."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

Message = Mapping[str, Any]

_ASKED = {"role": "user", "content": "Hello."}


class TemplateTokens:
    """The tokens of conversations as a tokenizer's chat template writes them.

    Args:
        tokenizer: a tokenizer of transformers.
        ends: tokens that end an answer; the tokenizer's own when None.
        template: a chat template in place of its own.
        settings: further arguments of the template, such as `enable_thinking`.
    """

    def __init__(
        self,
        tokenizer: Any,
        *,
        ends: Collection[int] | None = None,
        template: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self.ends = frozenset([tokenizer.eos_token_id] if ends is None else ends)
        self._template = template
        self._settings = dict(settings or {})

    def prompt(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> list[int]:
        """A conversation up to where the model goes on."""
        return self._ids(messages, tools=list(tools) or None, add_generation_prompt=True)

    def behind(self, messages: Sequence[Message], *, ended: bool = True) -> list[int]:
        """What follows the model's answer: these messages, up to where it goes on.

        Read off a short conversation of the same form, so that no token of the real one changes: templates rewrite
        earlier turns (they drop thoughts), and tokenizers join what was sampled apart.

        Args:
            messages: the results of the answer's calls, the customer's reply.
            ended: the answer has its end-of-turn token; else that comes first.

        Raises:
            ValueError: the template gives the end of an answer no token of its own, and rewrites it.
        """
        calls = [message for message in messages if message["role"] == "tool"]
        before = [_ASKED, _answer(calls)]
        known = [_numbered(message, number) for number, message in enumerate(messages)]
        start = self._ids(before, add_generation_prompt=False)
        whole = self._ids([*before, *known], add_generation_prompt=True)
        if places := [place for place, token in enumerate(start) if token in self.ends]:
            after = [place for place, token in enumerate(whole) if token in self.ends][len(places) - 1] + 1
            return whole[after:] if ended else [start[places[-1]], *whole[after:]]
        if whole[: len(start)] == start:
            return whole[len(start) :]
        raise ValueError("the chat template rewrites answers and marks no end of them; use a training variant of it")

    def _ids(self, messages: Sequence[Message], **arguments: Any) -> list[int]:
        return list(
            self._tokenizer.apply_chat_template(
                list(messages),
                tokenize=True,
                return_dict=False,
                chat_template=self._template,
                **arguments,
                **self._settings,
            )
        )


def _answer(calls: Sequence[Message]) -> Message:
    """A stand-in for the model's answer: as many calls as there are results."""
    if not calls:
        return {"role": "assistant", "content": "Hello."}
    asked = [
        {"id": _id(number), "type": "function", "function": {"name": call.get("name", "tool"), "arguments": {}}}
        for number, call in enumerate(calls)
    ]
    return {"role": "assistant", "content": "", "tool_calls": asked}


def _numbered(message: Message, number: int) -> Message:
    return {**message, "tool_call_id": _id(number)} if message["role"] == "tool" else message


def _id(number: int) -> str:
    """Nine characters, as some templates demand."""
    return f"call{number:05d}"
