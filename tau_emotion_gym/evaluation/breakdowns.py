"""Success by group: domain, arm, emotion, task's shape, user model; and how episodes ended."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from tau_emotion_gym.emotions import FAMILIES, LEAVES, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.episode.info import NEUTRAL
from tau_emotion_gym.evaluation.metrics import Figure, rate
from tau_emotion_gym.evaluation.results import Result

FEWEST = 10
"""A group with fewer tasks is too small to say anything about: its interval spans a third of the scale or more."""


class Group(msgspec.Struct, frozen=True):
    """One value of a characteristic.

    Attributes:
        name: the value.
        success: share of scored episodes that succeeded.
        too_few: fewer than `FEWEST` tasks.
    """

    name: str
    success: Figure
    too_few: bool


class Breakdown(msgspec.Struct, frozen=True):
    """Success by the values of one characteristic; episodes that do not have it are left out."""

    by: str
    groups: tuple[Group, ...]


class Ending(msgspec.Struct, frozen=True):
    """How often episodes end in one way.

    Attributes:
        outcome: an `Outcome`.
        episodes: how many ended so.
        share: of the scored episodes; None for those that are not scored.
        successes: how many of them succeeded.
    """

    outcome: str
    episodes: int
    share: Figure | None
    successes: int


class Broken(msgspec.Struct, frozen=True):
    """A rule that was broken.

    Attributes:
        domain: where the rule holds.
        rule: its id.
        times: how often it was broken.
        episodes: in how many scored episodes.
    """

    domain: str
    rule: str
    times: int
    episodes: int


def _family(row: Result) -> str | None:
    return NEUTRAL if row.neutral else row.emotion.family or None


CHARACTERISTICS: Mapping[str, Callable[[Result], str | None]] = {
    "domain": lambda row: row.place.domain,
    "arm": lambda row: row.place.arm,
    "family": _family,
    "leaf": lambda row: row.emotion.leaf or None,
    "politeness": lambda row: row.emotion.politeness or None,
    "urgency": lambda row: row.emotion.urgency or None,
    "trust": lambda row: row.emotion.trust or None,
    "writes": lambda row: str(row.shape.writes) if row.shape else None,
    "goals": lambda row: str(row.shape.goals) if row.shape else None,
    "reveal": lambda row: row.shape.reveal if row.shape else None,
    "user model": lambda row: row.user or None,
}
"""Characteristic → an episode's value, None when it has none."""

_ORDERS: Mapping[str, Sequence[str]] = {
    "family": (*FAMILIES, NEUTRAL),
    "leaf": tuple(leaf.name for leaf in LEAVES),
    "politeness": POLITENESS,
    "urgency": URGENCY,
    "trust": TRUST,
}


def breakdown(rows: Iterable[Result], by: str, *, seed: int = 0) -> Breakdown:
    """Success by one of the `CHARACTERISTICS`."""
    value_of = CHARACTERISTICS[by]
    groups: dict[str, list[Result]] = defaultdict(list)
    for row in rows:
        if (value := value_of(row)) is not None:
            groups[value].append(row)
    return Breakdown(by, tuple(_group(name, groups[name], seed) for name in _sorted(by, groups)))


def breakdowns(rows: Sequence[Result], *, seed: int = 0) -> tuple[Breakdown, ...]:
    """Every breakdown that has at least two groups."""
    found = (breakdown(rows, by, seed=seed) for by in CHARACTERISTICS)
    return tuple(one for one in found if len(one.groups) > 1)


def endings(rows: Sequence[Result], *, seed: int = 0) -> tuple[Ending, ...]:
    """How episodes ended: every outcome, those that nobody scored last."""
    finished = Counter(row.outcome for row in rows if row.finished)
    names = [*Outcome, *sorted(finished.keys() - set(Outcome))]
    return tuple(_ending(rows, str(name), finished[name], seed) for name in names)


def broken_rules(rows: Iterable[Result]) -> tuple[Broken, ...]:
    """The rules that were broken, the most often broken first."""
    times: Counter[tuple[str, str]] = Counter()
    episodes: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row.scored:
            times.update((row.place.domain, rule) for rule in row.violations)
            episodes.update({(row.place.domain, rule) for rule in row.violations})
    ranked = sorted(times, key=lambda which: (-times[which], which))
    return tuple(Broken(*which, times[which], episodes[which]) for which in ranked)


def _group(name: str, rows: Sequence[Result], seed: int) -> Group:
    success = rate(rows, seed=seed)
    return Group(name, success, success.counts.tasks < FEWEST)


def _ending(rows: Sequence[Result], outcome: str, episodes: int, seed: int) -> Ending:
    successes = sum(row.success for row in rows if row.scored and row.outcome == outcome)
    if outcome == Outcome.INFRASTRUCTURE:
        return Ending(outcome, episodes, None, successes)
    return Ending(outcome, episodes, rate(rows, lambda row: row.outcome == outcome, seed=seed), successes)


def _sorted(by: str, names: Iterable[str]) -> list[str]:
    order = _ORDERS.get(by)
    if order is not None:
        return sorted(names, key=order.index)
    return list(names) if by in ("domain", "arm") else sorted(names, key=lambda name: (len(name), name))
