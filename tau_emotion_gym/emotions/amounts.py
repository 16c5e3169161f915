"""The amounts behind affect: the schema of `affect.json` and its checks.

Loaded on first use: nothing here is needed to import the package.
"""

from functools import cache
from math import prod
from typing import Literal, TypeAlias

import msgspec

from tau_emotion_gym.emotions._tables import read_table
from tau_emotion_gym.emotions.affect import NECESSARY_MOVES, Event
from tau_emotion_gym.emotions.conditions import EmotionCondition
from tau_emotion_gym.emotions.taxonomy import FAMILIES, LEAF_BY_NAME, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.errors import DataError

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


def starting_satisfaction(condition: EmotionCondition | None) -> float:
    """Where satisfaction starts: by family and politeness, or the neutral value."""
    table = affect_table()
    if condition is None:
        return table.start.satisfaction
    family = next(row for row in table.families if row.name == condition.family)
    return round(family.satisfaction + table.politeness.factor(condition.politeness), 6)


def scaled_amounts(condition: EmotionCondition | None) -> dict[str, tuple[float, float, float]]:
    """For each event under a condition: change of satisfaction, change of patience, floor."""
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
