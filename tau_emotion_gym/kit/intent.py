"""Intents: the kinds of things that customers want, each able to sample a grounded goal."""

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import msgspec

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.errors import DataError
from tau_emotion_gym.kit.task import Goal, Kind
from tau_emotion_gym.world import World

FAMILIES = ("anger", "fear", "disgust", "sadness", "enjoyment")
"""The emotion families for which an intent says what is at stake."""

T = TypeVar("T")


@dataclass(slots=True)
class Situation:
    """What an intent samples from.

    Attributes:
        world: the state in which the goal is reached: after the reference calls of earlier goals.
        customer: the customer's record in that state.
        draw: the source of every random choice.
        earlier: the goals of this task sampled so far.
    """

    world: World
    customer: Any
    draw: Draw
    earlier: tuple[Goal, ...] = ()


Sampler = Callable[[Situation], Goal | None]


@dataclass(frozen=True, slots=True, eq=False)
class Intent:
    """One kind of wish.

    Attributes:
        name: the sampler's name.
        kind: what the right end is.
        sample: gives a grounded goal, or None when none fits this customer.
        phrasings: at least six ways to say the wish; placeholders are filled from `Goal.fill`.
        stakes: emotion family → sentences that say why this customer feels that way.
        fallback: for conditional: how the customer takes the second best, with placeholders.
        insist: how the customer insists after a refusal, with placeholders.
        follows: names of intents after one of which it may be sampled as a chained goal, whose outcome
            depends on the earlier one; empty for an intent that stands alone.
        weight: relative frequency, a positive integer.
        emergency: a hand-off that needs no write and no output before it.
    """

    name: str
    kind: Kind
    sample: Sampler
    phrasings: tuple[str, ...]
    stakes: Mapping[str, tuple[str, ...]]
    fallback: tuple[str, ...] = ()
    insist: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    weight: int = 1
    emergency: bool = False

    def goal(self, situation: Situation) -> Goal | None:
        """A grounded goal that carries this intent's name and kind, or None."""
        goal = self.sample(situation)
        if goal is None:
            return None
        return msgspec.structs.replace(goal, intent=self.name, kind=self.kind)


def intent(
    kind: Kind,
    *,
    phrasings: Sequence[str],
    stakes: Mapping[str, Sequence[str]],
    fallback: Sequence[str] = (),
    insist: Sequence[str] = (),
    follows: Sequence[str] = (),
    weight: int = 1,
    emergency: bool = False,
) -> Callable[[Sampler], Intent]:
    """Decorator: turn a sampler into the intent named after it."""
    if len(phrasings) < 6:
        raise TypeError(f"an intent needs at least six phrasings, not {len(phrasings)}")
    if repeated := [phrasing for phrasing in dict.fromkeys(phrasings) if phrasings.count(phrasing) > 1]:
        raise TypeError(f"phrasings of an intent occur twice: {repeated}")
    if set(stakes) != set(FAMILIES):
        raise TypeError(f"an intent says what is at stake for each of {FAMILIES}, not for {sorted(stakes)}")
    if kind is Kind.CONDITIONAL and not fallback:
        raise TypeError("a conditional intent says how the customer takes the fallback")
    return lambda sample: Intent(
        name=sample.__name__,
        kind=kind,
        sample=sample,
        phrasings=tuple(phrasings),
        stakes={family: tuple(sentences) for family, sentences in stakes.items()},
        fallback=tuple(fallback),
        insist=tuple(insist),
        follows=tuple(follows),
        weight=weight,
        emergency=emergency,
    )


def placeholders(template: str) -> set[str]:
    """The names in braces in a template; empty braces have the empty name."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


@cache
def placeholders_of(intent: Intent) -> frozenset[str]:
    """The placeholders in all sentences of an intent.

    Raises:
        DataError: a sentence with a lone brace.
    """
    stakes = [sentence for sentences in intent.stakes.values() for sentence in sentences]
    found: set[str] = set()
    for sentence in (*intent.phrasings, *intent.fallback, *intent.insist, *stakes):
        try:
            found |= placeholders(sentence)
        except ValueError as error:
            raise DataError(f"the intent {intent.name} has a lone brace in {sentence!r}: {error}") from None
    return frozenset(found)


def missing_fill(intent: Intent, goal: Goal) -> list[str]:
    """The placeholders in an intent's sentences that a goal of it does not fill."""
    return sorted(placeholders_of(intent) - goal.fill.keys())


def only(found: Iterable[T]) -> T | None:
    """The single item, or None when there is none or more than one: for targets that must be unique."""
    items = iter(found)
    first = next(items, None)
    return first if next(items, None) is None else None
