"""The wishes of a dialogue, as its words show them: which one is being dealt with, and what was done about it."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.kit import Fact
from tau_emotion_gym.wrappers.wishes import Vector, Wishes


class Matter:
    """One wish, and what has been done about it.

    Attributes:
        likeness: how much the customer's words for it resemble each wish.
        heard: how often it was said; 0 before the first wish.
        steps, proposals, refusals, reports: the agent's steps, and messages of its that do so.
        calls: tool → successful calls.
        asked: slot → messages that asked for it.
        given: slot → the detail that the customer gave last for this wish.
    """

    __slots__ = ("asked", "calls", "given", "heard", "likeness", "proposals", "refusals", "reports", "steps")

    def __init__(self, likeness: Vector, heard: int = 1) -> None:
        self.likeness = likeness
        self.heard = heard
        self.steps = self.proposals = self.refusals = self.reports = 0
        self.calls: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.given: dict[str, Fact] = {}

    def again(self, likeness: Vector) -> bool:
        """Take in that a wish was said, if it may be this one; whether it may."""
        both = np.minimum(likeness, self.likeness)
        if not both.any():
            return False
        self.likeness = both
        self.heard += 1
        return True


class Agenda:
    """The wishes of a dialogue: the one that is being dealt with, and those that wait.

    It goes on to another one when the customer names it, and to the next one when the agent has told something and the
    customer does not name the wish at hand.

    Args:
        wishes: what wishes sound like.

    Attributes:
        current: the wish that is being dealt with.
        waiting: the next ones.
        settled: how many came before.
        told: the agent's last message told what was done or found, and the customer has not answered it.
    """

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self.current = Matter(np.zeros(len(wishes.names), dtype=np.float32), heard=0)
        self.waiting: list[Matter] = []
        self.settled = 0
        self.told = False

    def hear(self, message: str, facts: Iterable[Fact]) -> bool:
        """Take in a message of the customer; whether something changed.

        Args:
            message: in small letters.
            facts: what it says for the first time.
        """
        said = self._wishes.hear(message)
        found = [(start, one) for start, likeness in said if (one := self._matter(likeness)) is not None]
        named = [one for _, one in found if one is not self.current]
        goes_on = bool(self.waiting and (self.told or named) and len(named) == len(found))
        if goes_on:
            self.settled += self.current.heard > 0
            self.current = named[0] if named else self.waiting[0]
            self.waiting.remove(self.current)
        self.told = False
        for fact in facts:
            at = message.find(fact.spoken.lower())
            own = [one for start, one in found if start <= at]
            (own[-1] if own else self.current).given[fact.slot] = fact
        return goes_on or bool(found)

    def _matter(self, likeness: Vector) -> Matter | None:
        """The wish that a part of a message is about; None when it sounds like a second best of something else."""
        second = self._second_best(likeness)
        if second is not None:
            self.current.likeness = np.maximum(self.current.likeness, second)
            return self.current
        likeness = np.where(self._wishes.firsts < 0, likeness, 0.0).astype(np.float32)
        if not likeness.any():
            return None
        for one in (self.current, *self.waiting):
            if one.again(likeness):
                return one
        self.waiting.append(Matter(likeness))
        return self.waiting[-1]

    def _second_best(self, likeness: Vector) -> Vector | None:
        """The part of it that is the second best of the wish at hand."""
        now = self.current
        if not now.refusals:
            return None
        own = np.where(self._wishes.firsts >= 0, now.likeness[self._wishes.firsts], 0.0)
        second: Vector = np.where(own > 0, likeness, 0.0).astype(np.float32)
        return second if second.any() else None

    def speak(self, reading: Reading) -> None:
        """Take in a message of the agent."""
        now = self.current
        self.told = reading.claims_done or (reading.informs and not (reading.confirms or reading.refuses))
        now.steps += 1
        now.proposals += reading.confirms
        now.refusals += reading.refuses
        now.reports += self.told
        now.asked.update(reading.asks)

    def call(self, name: str, *, ok: bool) -> None:
        """Take in a call of the agent."""
        self.current.steps += 1
        self.current.calls[name] += ok
