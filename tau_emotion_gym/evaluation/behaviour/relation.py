"""How conduct goes together with success, over the episodes of one run.

This is correlation: tasks that are hard make agents ask more and fail more. What questions *do* is measured by `study`.
"""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from tau_emotion_gym.evaluation.behaviour.episodes import Behaviour

RESAMPLES = 1000
"""Bootstrap samples."""

LEVEL = 0.95

MEASURES: dict[str, Callable[[Behaviour], float | None]] = {
    "tool_calls": lambda one: one.tool_calls,
    "tool_errors": lambda one: one.tool_errors,
    "messages": lambda one: one.messages,
    "words": lambda one: one.words,
    "questions": lambda one: one.questions,
    "necessary": lambda one: one.necessary,
    "redundant": lambda one: one.redundant,
    "avoidable": lambda one: one.avoidable,
    "bundled": lambda one: one.bundled,
    "dripped": lambda one: one.dripped,
    "confirmations": lambda one: one.confirmations,
    "acknowledgements": lambda one: one.acknowledgements,
    "balance": lambda one: one.balance,
}
"""Name → the measure of one episode; None where it is not known."""

Floats = npt.NDArray[np.float64]


class Interval(msgspec.Struct, frozen=True):
    """A value with its 95 % bootstrap interval over tasks; all None where it cannot be had."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class Relation(msgspec.Struct, frozen=True, kw_only=True):
    """One measure and success.

    Attributes:
        measure: its name.
        episodes: how many have it.
        mean: over all of them.
        success, failure: means over the episodes that succeeded and that failed.
        difference: the first less the second.
        correlation: Spearman's rank correlation with success, -1 to 1.
    """

    measure: str
    episodes: int
    mean: Interval
    success: float | None
    failure: float | None
    difference: Interval
    correlation: Interval


class BehaviourReport(msgspec.Struct, frozen=True, kw_only=True):
    """Conduct in a run and how it goes together with success.

    Attributes:
        agent, user: names.
        episodes: how many.
        successes: of them.
        relations: one for each measure that is known.
        note: how to read it.
    """

    agent: str
    user: str
    episodes: int
    successes: int
    relations: tuple[Relation, ...]
    note: str = (
        "These are correlations over one run: hard tasks make agents ask more and fail more. "
        "What questions cause is measured by interventions."
    )


def report_behaviour(behaviours: Sequence[Behaviour], *, agent: str = "", user: str = "") -> BehaviourReport:
    """Every measure of some episodes with its relation to success.

    Args:
        behaviours: the episodes, all with one user model.
        agent, user: names for the report.
    """
    found = (relation(name, behaviours) for name in MEASURES)
    return BehaviourReport(
        agent=agent,
        user=user,
        episodes=len(behaviours),
        successes=sum(one.success for one in behaviours),
        relations=tuple(one for one in found if one.episodes),
    )


def relation(measure: str, behaviours: Sequence[Behaviour]) -> Relation:
    """One measure's relation to success."""
    of = MEASURES[measure]
    having = [(one, float(value)) for one in behaviours if (value := of(one)) is not None]
    values = np.array([value for _, value in having], dtype=np.float64)
    success = np.array([one.success for one, _ in having], dtype=np.float64)
    rows = _resampled([one.task for one, _ in having])
    won, lost = values[success > 0], values[success == 0]
    return Relation(
        measure=measure,
        episodes=len(having),
        mean=_interval(lambda v, _: float(v.mean()) if len(v) else None, values, success, rows),
        success=float(won.mean()) if len(won) else None,
        failure=float(lost.mean()) if len(lost) else None,
        difference=_interval(_gap, values, success, rows),
        correlation=_interval(spearman, values, success, rows),
    )


def _gap(values: Floats, success: Floats) -> float | None:
    """The mean of the successes less the mean of the failures."""
    won = success > 0
    if not won.any() or won.all():
        return None
    return float(values[won].mean() - values[~won].mean())


def spearman(values: Floats, others: Floats) -> float | None:
    """Spearman's rank correlation, ties at their mean rank; None where one side does not vary."""
    if len(values) < 2:
        return None
    first, second = ranks(values), ranks(others)
    first, second = first - first.mean(), second - second.mean()
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum() / size) if size > 0 else None


def ranks(values: Floats) -> Floats:
    """The rank of each value from 1, equal values at the mean of their ranks."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    mean: Floats = (last - (count - 1) / 2)[place]
    return mean


def _resampled(tasks: Sequence[tuple[str, str]]) -> list[npt.NDArray[np.intp]]:
    """The episodes of each bootstrap sample; all episodes of a task move together."""
    groups: dict[tuple[str, str], list[int]] = {}
    for row, task in enumerate(tasks):
        groups.setdefault(task, []).append(row)
    members = [np.array(rows, dtype=np.intp) for rows in groups.values()]
    if len(members) < 2:
        return []
    return [np.concatenate([members[at] for at in row]) for row in _draws(RESAMPLES, len(members))]


def _draws(samples: int, count: int) -> npt.NDArray[np.uint64]:
    """`count` of the numbers below `count`, with repetition, for each sample: splitmix64 on a counter."""
    z = np.arange(1, samples * count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) % np.uint64(count)).reshape(samples, count)


def _interval(
    statistic: Callable[[Floats, Floats], float | None],
    values: Floats,
    success: Floats,
    samples: Sequence[npt.NDArray[np.intp]],
) -> Interval:
    """A statistic with its percentile interval; without one where hardly a sample allows it."""
    value = statistic(values, success) if len(values) else None
    drawn = [found for rows in samples if (found := statistic(values[rows], success[rows])) is not None]
    if value is None or len(drawn) < len(samples) / 2 or not drawn:
        return Interval(value)
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return Interval(value, float(low), float(high))
