"""Affect: how satisfied and patient a user is now, and how the agent's behaviour moves it.

The agent's turns are read as *events*. Each event has a plain amount for satisfaction and for
patience (`affect.json`, with a reason and sources), multiplied by the factors that the event names:

| factor | from | scales |
|---|---|---|
| `friction` | family | what costs effort or hurts |
| `acknowledgement` | family | being heard |
| `intensity` | leaf | every swing of feeling |
| `urgency` | urgency | what takes time |
| `trust` | trust | what can be read as not listening or not caring |

Both values stay in [0, 1]. A user leaves when either falls below its threshold. Necessary moves
cost nothing under any condition, and a reasoned refusal or a hand-off cannot by itself take a value
below its floor, which lies above the thresholds.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from math import prod
from typing import Literal, NoReturn, TypeAlias

import msgspec

from tau_emotion_gym.emotions._tables import read_table
from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.emotions.taxonomy import FAMILIES, LEAF_BY_NAME, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.errors import DataError, unknown


class Event(StrEnum):
    """What an agent's turn did to the user; `affect.json` says what each means."""

    NECESSARY_QUESTION = "necessary_question"
    CONFIRMATION_REQUEST = "confirmation_request"
    PROGRESS = "progress"
    ACKNOWLEDGEMENT = "acknowledgement"
    REDUNDANT_QUESTION = "redundant_question"
    AVOIDABLE_QUESTION = "avoidable_question"
    BUNDLED_QUESTIONS = "bundled_questions"
    DRIPPED_QUESTION = "dripped_question"
    STALLING = "stalling"
    LONG_SILENCE = "long_silence"
    OVERLONG_MESSAGE = "overlong_message"
    DISMISSIVE = "dismissive"
    REFUSAL_WITH_REASON = "refusal_with_reason"
    REFUSAL_WITHOUT_REASON = "refusal_without_reason"
    HAND_OFF = "hand_off"

    __hash__ = str.__hash__


NECESSARY_MOVES: frozenset[Event] = frozenset(
    {Event.NECESSARY_QUESTION, Event.CONFIRMATION_REQUEST, Event.PROGRESS, Event.ACKNOWLEDGEMENT}
)
"""Events that never lower satisfaction or patience, under any condition."""


class Affect(msgspec.Struct, frozen=True):
    """How a user feels now; both values lie in [0, 1], 1 being the best."""

    satisfaction: float
    patience: float


Factor: TypeAlias = Literal["friction", "acknowledgement", "intensity", "urgency", "trust"]


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    reason: str
    sources: tuple[str, ...]


class Point(_Row, frozen=True):
    """A value of satisfaction and one of patience: the start, or the thresholds of leaving."""

    satisfaction: float
    patience: float


class EventRow(_Row, frozen=True):
    """What one event does before factors, and why."""

    name: Event
    meaning: str
    satisfaction: float
    patience: float
    scales: tuple[Factor, ...]
    floor: float = 0.0


class FamilyRow(_Row, frozen=True):
    """Where a family starts in satisfaction, and its factors."""

    name: str
    satisfaction: float
    friction: float
    acknowledgement: float


class IntensityRow(_Row, frozen=True):
    """The intensity factor: `base + per_point * (middle of the leaf's range)`."""

    base: float
    per_point: float


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One level of a dimension with its factor (for politeness: what it adds to the start)."""

    name: str
    factor: float


class DimensionRow(_Row, frozen=True):
    """The levels of one dimension."""

    levels: tuple[Level, ...]

    def factor(self, name: str) -> float:
        """The factor of the level `name`."""
        return next(level.factor for level in self.levels if level.name == name)


class AffectTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All amounts and factors of `affect.json`, with their reasons; `sources` is the bibliography."""

    leaving: Point
    start: Point
    families: tuple[FamilyRow, ...]
    intensity: IntensityRow
    politeness: DimensionRow
    urgency: DimensionRow
    trust: DimensionRow
    events: tuple[EventRow, ...]
    sources: dict[str, str]

    def rows(self) -> tuple[_Row, ...]:
        """Every row that gives a reason."""
        dimensions = (self.intensity, self.politeness, self.urgency, self.trust)
        return (self.leaving, self.start, *self.families, *dimensions, *self.events)


@cache
def affect_table() -> AffectTable:
    """The shipped table, checked.

    Raises:
        DataError: a row is missing or doubled, a source is unknown, or a necessary move costs something.
    """
    table = read_table("affect.json", AffectTable)
    _demand([row.name for row in table.families] == list(FAMILIES), "one row per family, in order")
    for dimension, levels in ((table.politeness, POLITENESS), (table.urgency, URGENCY), (table.trust, TRUST)):
        _demand([level.name for level in dimension.levels] == list(levels), "the levels in order")
    _demand(sorted(row.name for row in table.events) == sorted(Event), "one row per event")
    cited = {key for row in table.rows() for key in row.sources}
    _demand(cited == set(table.sources), "each source cited, each citation known")
    for row in table.events:
        free = row.satisfaction >= 0 and row.patience >= 0
        _demand(free or row.name not in NECESSARY_MOVES, f"{row.name} to cost nothing")
    return table


def _demand(holds: bool, what: str) -> None:
    if not holds:
        raise DataError(f"affect.json: expected {what}")


def start(condition: EmotionCondition | None) -> Affect:
    """How a user with this condition feels before the agent has said anything."""
    table = affect_table()
    if condition is None:
        return Affect(table.start.satisfaction, table.start.patience)
    family = next(row for row in table.families if row.name == condition.family)
    manner = table.politeness.factor(condition.politeness)
    return Affect(round(family.satisfaction + manner, 6), table.start.patience)


def move(affect: Affect, events: Sequence[Event], condition: EmotionCondition | None) -> Affect:
    """Affect after `events`, applied in order; an event may occur several times.

    Raises:
        UnknownName: an event is not one of `Event`.
    """
    if not events:
        return affect
    amounts = _amounts(condition)
    satisfaction, patience = affect.satisfaction, affect.patience
    try:
        for event in events:
            pleased, relaxed, floor = amounts[event]
            satisfaction = _shift(satisfaction, pleased, floor)
            patience = _shift(patience, relaxed, floor)
    except KeyError as error:
        _refuse(error.args[0])
    return Affect(satisfaction, patience)


def leaving(affect: Affect, condition: EmotionCondition | None) -> bool:
    """Whether a user who feels like this ends the conversation now; a neutral user never does."""
    if condition is None:
        return False
    threshold = affect_table().leaving
    return affect.satisfaction < threshold.satisfaction or affect.patience < threshold.patience


def _shift(value: float, amount: float, floor: float) -> float:
    """`value` moved by `amount`: at most 1, and not pushed below `floor`."""
    moved = value + amount
    if amount >= 0.0:
        return moved if moved < 1.0 else 1.0
    return moved if moved > floor else min(value, floor)


@cache
def _amounts(condition: EmotionCondition | None) -> dict[str, tuple[float, float, float]]:
    """For each event: change of satisfaction, change of patience, floor."""
    factors = _factors(condition)
    amounts: dict[str, tuple[float, float, float]] = {}
    for row in affect_table().events:
        scale = prod(factors[name] for name in row.scales) if factors else 1.0
        amounts[row.name] = (row.satisfaction * scale, row.patience * scale, row.floor)
    return amounts


def _factors(condition: EmotionCondition | None) -> dict[Factor, float]:
    """The factors of a condition; empty where all are 1."""
    if condition is None:
        return {}
    table = affect_table()
    family = next(row for row in table.families if row.name == condition.family)
    strength = LEAF_BY_NAME[condition.leaf].strength
    return {
        "friction": family.friction,
        "acknowledgement": family.acknowledgement,
        "intensity": table.intensity.base + table.intensity.per_point * strength,
        "urgency": table.urgency.factor(condition.urgency),
        "trust": table.trust.factor(condition.trust),
    }


def _refuse(event: object) -> NoReturn:
    raise unknown("event", event, Event)
