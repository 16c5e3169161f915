"""What samplers in every domain build their goals from."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple, Protocol, TypeVar

from tau_emotion_gym.kit.common import CALCULATE, TRANSFER
from tau_emotion_gym.kit.intent import Situation
from tau_emotion_gym.kit.task import Call, Fact
from tau_emotion_gym.kit.text import yours
from tau_emotion_gym.world import Money, money

T = TypeVar("T")


class HasId(Protocol):
    """A record with an id."""

    @property
    def id(self) -> str:
        """The record's id."""


R = TypeVar("R", bound=HasId)


# --- pointing ---------------------------------------------------------------------------------------


class Named(NamedTuple):
    """A record in the customer's words, and the one fact that they convey.

    Attributes:
        words: a noun phrase ("my son's line").
        fact: what the phrase conveys.
    """

    words: str
    fact: Fact

    @property
    def yours(self) -> str:
        """The same in the agent's mouth ("your son's line")."""
        return yours(self.words)


class Pointer(NamedTuple):
    """How the customer points at a record that it cannot name by its id, or does not want to.

    Attributes:
        words: a noun phrase ("my trip to Seattle").
        facts: what the phrase conveys.
        calls: the look-ups by which the agent finds the record, the record itself last.
    """

    words: str
    facts: tuple[Fact, ...]
    calls: tuple[Call, ...]


# --- choosing ---------------------------------------------------------------------------------------


def one_of(s: Situation, found: Sequence[T]) -> T | None:
    """One of what was found, or None when that is nothing."""
    return s.draw.pick(found) if found else None


def told(s: Situation, slot: str = "") -> set[str]:
    """The values of the facts of earlier goals, or of those for one slot: what the task is about already."""
    return {fact.value for goal in s.earlier for fact in goal.facts if not slot or fact.slot == slot}


def fresh(s: Situation, records: Iterable[R]) -> list[R]:
    """The records that no earlier goal names by their ids."""
    taken = told(s)
    return [record for record in records if record.id not in taken]


def untouched(s: Situation, records: Iterable[R], argument: str, look_up: str) -> list[R]:
    """The records with which no earlier goal does more than look them up.

    Args:
        s: the situation.
        records: those to choose from.
        argument: the argument by which tools name such a record ("order_id").
        look_up: the tool that merely shows one.
    """
    calls = (call for goal in s.earlier for call in goal.calls if call.name != look_up)
    changed = {call.arguments.get(argument) for call in calls}
    return [record for record in records if record.id not in changed]


# --- calls ------------------------------------------------------------------------------------------


def plus(amounts: Iterable[Decimal]) -> str:
    """A sum as `calculate` takes it: "12.00 + 3.50 - 1.25"."""
    return " + ".join(map(str, amounts)).replace("+ -", "- ")


def total(amounts: Iterable[Money]) -> Money:
    """The sum of amounts of money."""
    return sum(amounts, money(0))


def calculation(expression: str) -> Call:
    """A piece of arithmetic that the agent does."""
    return Call(CALCULATE, {"expression": expression})


def hand_over(reason: str, summary: str) -> Call:
    """The hand-over to a human colleague."""
    return Call(TRANSFER, {"reason": reason, "summary": summary})
