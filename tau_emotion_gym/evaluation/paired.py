"""Differences between episodes that are alike but for one thing: with and without emotion, one run and another."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from tau_emotion_gym.emotions import FAMILIES
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.evaluation.bootstrap import difference
from tau_emotion_gym.evaluation.metrics import Figure, rate
from tau_emotion_gym.evaluation.results import Result

EPSILON = 1e-9
"""Means that are nearer count as equal."""


class NoNeutralError(TauEmotionError):
    """Episodes without emotion are missing, or episodes with one, so that there is nothing to compare."""


class Difference(msgspec.Struct, frozen=True):
    """A difference in success over pairs.

    Attributes:
        value: mean of first less second, -1 to 1; None without a pair.
        low, high: its 95 % interval.
        pairs: how many.
        won, lost, tied: pairs in which the first did better, worse, alike.
        left_out: what had no scored partner.
        tasks: different tasks among the pairs.
        first, second: their mean success over the pairs.
    """

    value: float | None
    low: float | None
    high: float | None
    pairs: int
    won: int
    lost: int
    tied: int
    left_out: int
    tasks: int
    first: float | None
    second: float | None


class Effect(msgspec.Struct, frozen=True):
    """What emotion does to an agent: episodes with an emotion (first) against the same ones without (second).

    Attributes:
        name: "all", an arm or a family.
        difference: in success; a pair is (domain, task, trial), with the same seed.
        leave_rate: share of the scored episodes with emotion in which the customer left. Without emotion none leaves.
    """

    name: str
    difference: Difference
    leave_rate: Figure


class Effects(msgspec.Struct, frozen=True):
    """The effect of emotion: overall, by arm, and by family."""

    overall: Effect
    arms: tuple[Effect, ...]
    families: tuple[Effect, ...]


class Pair(NamedTuple):
    """A pair of values between 0 and 1, and the task that is resampled with it."""

    task: tuple[str, str]
    first: float
    second: float


def paired(rows: Sequence[Result], *, seed: int = 0) -> Effects:
    """The same tasks, trials and seeds with emotion and without.

    Raises:
        NoNeutralError: the run has no neutral arm, or nothing but it.
    """
    neutral = {_trial(row): row for row in rows if row.neutral}
    emotional = [row for row in rows if not row.neutral]
    if not neutral or not emotional:
        lacks = "arm without emotion" if emotional or not rows else "arm with an emotion"
        raise NoNeutralError(
            f"the run has no {lacks} to compare with; play both in one run, for example with --emotion task neutral"
        )
    arms = {row.place.arm: None for row in emotional}
    families = [family for family in FAMILIES if any(row.emotion.family == family for row in emotional)]

    def effect(name: str, some: Sequence[Result]) -> Effect:
        return _effect(name, some, neutral, seed)

    return Effects(
        effect("all", emotional),
        tuple(effect(arm, [row for row in emotional if row.place.arm == arm]) for arm in arms),
        tuple(effect(family, [row for row in emotional if row.emotion.family == family]) for family in families),
    )


def compare(first: Iterable[Result], second: Iterable[Result], *, seed: int = 0) -> Difference:
    """The difference in success between two runs, over the units that both have scored.

    A unit is a task under an arm; a pair are its two mean successes, so that the runs may differ in their trials.
    """
    one, other = _means(first), _means(second)
    pairs = [Pair(unit[:2], one[unit], other[unit]) for unit in one if unit in other]
    return differ(pairs, left_out=len(one.keys() ^ other.keys()), observations=len(pairs), seed=seed)


def differ(pairs: Sequence[Pair], *, left_out: int, observations: int, seed: int = 0) -> Difference:
    """The difference over some pairs, with its interval over tasks."""
    won: dict[tuple[str, str], float] = defaultdict(float)
    lost: dict[tuple[str, str], float] = defaultdict(float)
    sizes: dict[tuple[str, str], int] = defaultdict(int)
    for pair in pairs:
        won[pair.task] += max(0.0, pair.first - pair.second)
        lost[pair.task] += max(0.0, pair.second - pair.first)
        sizes[pair.task] += 1
    found = difference(
        [won[task] for task in sizes],
        [lost[task] for task in sizes],
        list(sizes.values()),
        pairs=observations,
        seed=seed,
    )
    better = sum(pair.first > pair.second + EPSILON for pair in pairs)
    worse = sum(pair.second > pair.first + EPSILON for pair in pairs)
    return Difference(
        value=found.value,
        low=found.low,
        high=found.high,
        pairs=len(pairs),
        won=better,
        lost=worse,
        tied=len(pairs) - better - worse,
        left_out=left_out,
        tasks=len(sizes),
        first=_mean([pair.first for pair in pairs]),
        second=_mean([pair.second for pair in pairs]),
    )


def left(row: Result) -> bool:
    """The customer left dissatisfied."""
    return row.outcome == Outcome.DISSATISFIED


def _effect(name: str, emotional: Sequence[Result], neutral: dict[tuple[str, str, int], Result], seed: int) -> Effect:
    pairs = [
        Pair(row.task, float(row.success), float(other.success))
        for row in emotional
        if row.scored
        and (other := neutral.get(_trial(row))) is not None
        and other.scored
        and other.place.seed == row.place.seed
    ]
    found = differ(pairs, left_out=len(emotional) - len(pairs), observations=len(pairs), seed=seed)
    return Effect(name, found, rate(emotional, left, seed=seed))


def _trial(row: Result) -> tuple[str, str, int]:
    return row.place.domain, row.place.task_id, row.place.trial


def _means(rows: Iterable[Result]) -> dict[tuple[str, str, str], float]:
    """Unit → its mean success."""
    units: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for row in rows:
        if row.scored:
            units[row.unit].append(row.success)
    return {unit: sum(successes) / len(successes) for unit, successes in units.items()}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
