"""What samplers in every domain build their goals from."""

from typing import NamedTuple

from tau_emotion_gym.kit.common import CALCULATE, TRANSFER
from tau_emotion_gym.kit.task import Call, Fact


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


def calculation(expression: str) -> Call:
    """A piece of arithmetic that the agent does."""
    return Call(CALCULATE, {"expression": expression})


def hand_over(reason: str, summary: str) -> Call:
    """The hand-over to a human colleague."""
    return Call(TRANSFER, {"reason": reason, "summary": summary})
