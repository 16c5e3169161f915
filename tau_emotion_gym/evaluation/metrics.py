"""Avg@k, Pass^k and pass@k with their counts and intervals.

A *unit* is a task under an arm (domain, task, emotion as the run names it). With c successes in its n scored trials:

- **Avg@k** = c / n: the mean success over k trials.
- **Pass^k** = C(c, k) / C(n, k): the chance that k trials drawn from the n all succeed (τ-bench, Yao et al. 2024).
- **pass@k** = 1 - C(n - c, k) / C(n, k): the chance that at least one of them does (Chen et al. 2021).

Each is averaged over units. All three are unbiased for any n of at least k. pass^k <= Avg@k <= pass@k.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import comb
from typing import NamedTuple

import msgspec

from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.evaluation.bootstrap import share
from tau_emotion_gym.evaluation.results import Counts, Result, counts


class HolesError(TauEmotionError):
    """Tasks lack trials, and a figure without them may flatter or wrong the agent."""


class TooFewTrialsError(TauEmotionError):
    """k is larger than the number of trials that the run has."""


class Figure(msgspec.Struct, frozen=True):
    """A number with what stands behind it.

    Attributes:
        value: the number, 0 to 1; None when nothing was scored.
        low, high: its 95 % interval.
        units: tasks under an arm that it was averaged over.
        dropped: units left out because fewer than k of their trials were scored.
        counts: planned, finished, scored, excluded episodes and tasks.
    """

    value: float | None
    low: float | None
    high: float | None
    units: int
    dropped: int
    counts: Counts


class Tally(NamedTuple):
    """A unit's trials.

    Attributes:
        task: what is resampled with it.
        planned, scored, successes: numbers of trials.
    """

    task: tuple[str, str]
    planned: int
    scored: int
    successes: int


Formula = Callable[[int, int, int], float]
"""(scored trials n, successes c, k) → a unit's value."""


def avg(n: int, c: int, k: int) -> float:
    """c / n, whatever k is."""
    return c / n


def pass_hat(n: int, c: int, k: int) -> float:
    """C(c, k) / C(n, k): that k trials out of n all succeed (Yao et al. 2024)."""
    return comb(c, k) / comb(n, k)


def pass_at(n: int, c: int, k: int) -> float:
    """1 - C(n - c, k) / C(n, k): that one of k trials out of n succeeds (Chen et al. 2021)."""
    return 1 - comb(n - c, k) / comb(n, k)


def avg_at_k(rows: Sequence[Result], k: int, *, allow_holes: bool = False, seed: int = 0) -> Figure:
    """Mean success over the trials of a unit, then over units.

    Raises:
        HolesError: units have fewer than k scored trials, and holes are not allowed.
        TooFewTrialsError: k is larger than the number of planned trials.
    """
    return figure(rows, avg, k, allow_holes=allow_holes, seed=seed)


def pass_hat_k(rows: Sequence[Result], k: int, *, allow_holes: bool = False, seed: int = 0) -> Figure:
    """That all of k trials succeed, averaged over units. Raises as `avg_at_k`."""
    return figure(rows, pass_hat, k, allow_holes=allow_holes, seed=seed)


def pass_at_k(rows: Sequence[Result], k: int, *, allow_holes: bool = False, seed: int = 0) -> Figure:
    """That one of k trials succeeds, averaged over units. Raises as `avg_at_k`."""
    return figure(rows, pass_at, k, allow_holes=allow_holes, seed=seed)


def figure(rows: Sequence[Result], formula: Formula, k: int, *, allow_holes: bool = False, seed: int = 0) -> Figure:
    """A formula's mean over units, with its interval over tasks.

    Args:
        rows: every planned episode.
        formula: `avg`, `pass_hat` or `pass_at`.
        k: trials, at least 1.
        allow_holes: use what there is: units with at least k scored trials; the others are dropped and counted.
        seed: of the bootstrap.
    """
    tallies = tally(rows)
    check_trials(tallies, k)
    if not allow_holes:
        check_holes(tallies, counts(rows), k)
    whole = [unit for unit in tallies if unit.scored >= k]
    sums: dict[tuple[str, str], float] = defaultdict(float)
    sizes: dict[tuple[str, str], int] = defaultdict(int)
    for unit in whole:
        sums[unit.task] += formula(unit.scored, unit.successes, k)
        sizes[unit.task] += 1
    found = share(list(sums.values()), list(sizes.values()), trials=sum(unit.scored for unit in whole), seed=seed)
    return Figure(found.value, found.low, found.high, len(whole), len(tallies) - len(whole), counts(rows))


def rate(rows: Sequence[Result], holds: Callable[[Result], bool] = lambda row: row.success, *, seed: int = 0) -> Figure:
    """The share of scored episodes for which something holds; success by default."""
    sums: dict[tuple[str, str], int] = defaultdict(int)
    sizes: dict[tuple[str, str], int] = defaultdict(int)
    scored = [row for row in rows if row.scored]
    for row in scored:
        sums[row.task] += holds(row)
        sizes[row.task] += 1
    found = share(list(sums.values()), list(sizes.values()), trials=len(scored), seed=seed)
    units = len({row.unit for row in scored})
    return Figure(found.value, found.low, found.high, units, len({row.unit for row in rows}) - units, counts(rows))


def tally(rows: Iterable[Result]) -> list[Tally]:
    """The units of some rows, in order."""
    units: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for row in rows:
        units[row.unit].append(row)
    return [
        Tally(
            task=trials[0].task,
            planned=len(trials),
            scored=sum(row.scored for row in trials),
            successes=sum(row.success for row in trials if row.scored),
        )
        for trials in units.values()
    ]


def fewest_trials(rows: Iterable[Result]) -> int:
    """The number of planned trials of the unit that has fewest: the largest k that can be asked for."""
    return min((unit.planned for unit in tally(rows)), default=0)


def check_trials(tallies: Sequence[Tally], k: int) -> None:
    """Refuse a k that the plan cannot give.

    Raises:
        TooFewTrialsError: saying how many trials there are.
    """
    if not tallies:
        raise TooFewTrialsError("there is not a single episode to make a figure from")
    fewest = min(unit.planned for unit in tallies)
    if not 1 <= k <= fewest:
        raise TooFewTrialsError(f"k is at least 1 and at most the number of trials of each task, {fewest}; not {k}")


def check_holes(tallies: Sequence[Tally], counted: Counts, k: int) -> None:
    """Refuse units that lack trials: that have fewer than k scored ones.

    Raises:
        HolesError: saying how many, and why.
    """
    lacking = sum(unit.scored < k for unit in tallies)
    if lacking:
        fewest = min(unit.scored for unit in tallies)
        less = f"ask for the trials that every task has (--k {fewest}), " if fewest else ""
        raise HolesError(
            f"{lacking} of {len(tallies)} tasks (each arm counted apart) lack trials for k = {k}: of {counted.planned} "
            f"planned episodes {counted.planned - counted.finished} are not finished and {counted.excluded} are "
            "excluded because a server failed. Resume the run to fill the holes (tau-emotion eval --resume --out "
            f"FOLDER), {less}or take what there is (--allow-holes, in Python allow_holes=True)."
        )
