"""Histories that fit: the oldest turns are left out whole, and the system message says so."""

import importlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from tau_emotion_gym.envs.chat import Block, Message
from tau_emotion_gym.envs.settings import check_count
from tau_emotion_gym.errors import UnknownName

Counter = Callable[[str], int]
"""How many tokens a text has."""

CHARACTERS_PER_TOKEN = 4
"""Of the estimate that stands in for a tokenizer: a rule of thumb for English text, too low for JSON and ids."""

_REMEMBERED = 4096


def estimate(text: str) -> int:
    """About how many tokens a text has: a quarter of its characters, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class Budget:
    """How much of a conversation is shown.

    A turn is a message of the customer, or a message of the agent with the results of its calls. Always shown
    are the system message, the customer's newest message and the newest turn, even where they alone take more
    than the budget. What is shown begins with a message of the customer, as many chat templates require.

    Args:
        max_turns: most turns; None for no limit.
        max_tokens: most tokens of all contents, names and arguments; None for no limit. What a chat template
            adds to them is not counted.
        count_tokens: the number of tokens in a text: a function, or one as "module:callable"; `estimate` when
            None. Results are remembered.

    Raises:
        TypeError, ValueError: a limit that is no positive integer, or no function.
        UnknownName: "module:callable" names nothing.
    """

    def __init__(
        self,
        max_turns: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Counter | str | None = None,
    ) -> None:
        for name, limit in (("max_turns", max_turns), ("max_tokens", max_tokens)):
            if limit is not None:
                check_count(name, limit, least=1)
        self.max_turns = max_turns
        self.max_tokens = max_tokens
        self._given = count_tokens
        self._count = lru_cache(_REMEMBERED)(_counter(count_tokens))

    @property
    def limited(self) -> bool:
        """Whether anything is ever left out."""
        return self.max_turns is not None or self.max_tokens is not None

    def fit(self, system: str, turns: Sequence[Block]) -> list[Message]:
        """The system message, and of the turns what fits.

        Args:
            system: its text.
            turns: the conversation, the newest last.
        """
        kept = range(len(turns)) if self._fits(system, turns) else self._kept(system, turns)
        if left_out := len(turns) - len(kept):
            system += _notice(left_out)
        return [{"role": "system", "content": system}, *chain.from_iterable(turns[place] for place in kept)]

    def _fits(self, system: str, turns: Sequence[Block]) -> bool:
        if not self.limited:
            return True
        return not self._exceeded(len(turns), self._count(system) + sum(map(self._cost, turns)))

    def _exceeded(self, turns: int, tokens: int) -> bool:
        if self.max_turns is not None and turns > self.max_turns:
            return True
        return self.max_tokens is not None and tokens > self.max_tokens

    def _kept(self, system: str, turns: Sequence[Block]) -> Sequence[int]:
        """The places of the turns to be shown: the required ones and as many of the newest as fit."""
        spoken = [place for place, turn in enumerate(turns) if turn[0]["role"] == "user"]
        kept = {*spoken[-1:], len(turns) - 1}
        tokens = self._count(system + _notice(len(turns))) + sum(self._cost(turns[place]) for place in kept)
        for place in range(len(turns) - 2, -1, -1):
            if place in kept:
                continue
            tokens += self._cost(turns[place])
            if self._exceeded(len(kept) + 1, tokens):
                break
            kept.add(place)
        first = next((place for place in spoken if place in kept), 0)
        return sorted(place for place in kept if place >= first)

    def _cost(self, turn: Block) -> int:
        if self.max_tokens is None:
            return 0
        return sum(self._count(text) for message in turn for text in _texts(message))

    def __getstate__(self) -> dict[str, Any]:
        return {"max_turns": self.max_turns, "max_tokens": self.max_tokens, "count_tokens": self._given}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Budget.__init__(self, **state)


def _notice(left_out: int) -> str:
    turns = "turn of this conversation is" if left_out == 1 else "turns of this conversation are"
    return f"\n\n[{left_out} earlier {turns} left out.]"


def _texts(message: Message) -> list[str]:
    functions = [call["function"] for call in message.get("tool_calls", ())]
    texts = [message["content"], message.get("reasoning_content"), message.get("name")]
    return [*filter(None, texts), *(function[part] for function in functions for part in ("name", "arguments"))]


def _counter(given: Counter | str | None) -> Counter:
    if given is None:
        return estimate
    if isinstance(given, str):
        module, _, name = given.partition(":")
        try:
            given = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise UnknownName(f"count_tokens {given!r}: {error}") from None
    if not callable(given):
        raise TypeError(f"count_tokens is a function from text to a number, or 'module:callable'; not {given!r:.80}")
    return given
