"""What an audit can find in the messages of a simulated user."""

from enum import StrEnum
from typing import Literal

import msgspec


class Kind(StrEnum):
    """Kinds of findings."""

    INVENTED_ID = "invented_id"
    """An identifier (also an email address, phone number, zip or card digits) that nobody gave the customer."""
    INVENTED_DATE = "invented_date"
    """A day that the customer neither knows nor was told."""
    INVENTED_AMOUNT = "invented_amount"
    """A sum of money that the customer neither knows nor was told."""
    CONTRADICTION = "contradiction"
    """Another value for a detail than the one that the customer knows."""
    LEAK = "leak"
    """Text of the instruction, a token that ends conversations, a role label, or talk of being a model."""
    EARLY_EXIT = "early_exit"
    """Content before a wish was done, answered or refused, or in reply to a request for a yes."""
    LATE_EXIT = "late_exit"
    """Writing on though everything was settled, or after a farewell."""
    SPEAKS_AS_AGENT = "speaks_as_agent"
    """Words that only the other side would say."""
    OUT_OF_CHARACTER = "out_of_character"
    """Warmth that the condition rules out, or abuse from a customer in joy."""
    LANGUAGE = "language"
    """A switch to another language."""
    EXIT_AGAINST_AFFECT = "exit_against_affect"
    """Left while feeling well enough to stay, or stayed long below the threshold. Not a fault: the model's own
    judgement differs from the affect model's."""

    __hash__ = str.__hash__


FAULTS: tuple[Kind, ...] = tuple(kind for kind in Kind if kind is not Kind.EXIT_AGAINST_AFFECT)
"""The kinds by which an episode counts as one that the simulator spoilt."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with one message of the user.

    Attributes:
        kind: what is wrong.
        turn: place of the message in the transcript, from 0.
        quote: the words that show it.
        why: one sentence.
        source: whether a rule or a judging model found it.
    """

    kind: Kind
    turn: int
    quote: str
    why: str
    source: Literal["rule", "judge"] = "rule"

    @property
    def fault(self) -> bool:
        """Whether it counts against the simulator."""
        return self.kind in FAULTS


def quoted(text: str, start: int, end: int, *, around: int = 40) -> str:
    """A stretch of a text with a little of what stands around it, on one line."""
    left, right = max(0, start - around), min(len(text), end + around)
    inner = " ".join(text[left:right].split())
    return ("…" if left else "") + inner + ("…" if right < len(text) else "")
