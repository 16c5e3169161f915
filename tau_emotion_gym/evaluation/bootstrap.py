"""95 % intervals by bootstrap over tasks.

What is resampled is the *task*: all its arms and trials move together, since they resemble each other. A statistic is
a ratio of sums over tasks, so that tasks with more trials weigh more; with equally many it is the plain mean.

Percentile and BCa intervals were tried and dropped. Near 0 and 1, where good agents live, they are far too short: with
30 tasks and a true Pass^3 of 97.5 % they cover it in half of the runs, and after 100 successes in 100 tasks they
are a point. So the bootstrap gives what it is good at, the variance over tasks, and the interval is made of it in a way
that holds at the edges: see `share` and `difference`. `docs/evaluation.md` has the coverage of both.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import msgspec
import numpy as np
import numpy.typing as npt

LEVEL = 0.95
"""Nominal coverage."""

RESAMPLES = 2000
"""Bootstrap samples; the half width of an interval repeats to about 2 % over seeds."""

Z = NormalDist().inv_cdf((1 + LEVEL) / 2)

CHUNK = 4_000_000
"""Numbers drawn at once, to bound memory."""

Floats = npt.NDArray[np.float64]


class Estimate(msgspec.Struct, frozen=True):
    """A value with its 95 % interval; all None when there is nothing to estimate from."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


def share(sums: Sequence[float], sizes: Sequence[float], *, trials: int, seed: int = 0) -> Estimate:
    """A ratio between 0 and 1 with Wilson's score interval (1927) at the *effective* number of tasks.

    With v the bootstrap variance and p the ratio, the data are worth p (1 - p) / v independent yes-or-no tasks: as
    many as there are tasks when the trials of a task always agree, up to one per trial when they are independent.
    Few failures say little about how far trials agree; so one more task, whose trials agree, is mixed into that
    estimate. Without any failure, or without any success, the number of tasks alone remains: 100 of 100 tasks
    give 96.3 to 100 %.

    Args:
        sums: for each task, the sum of its values, each between 0 and 1.
        sizes: for each task, how many values were summed.
        trials: episodes behind all values, the most that the data can be worth.
        seed: of the resampling.
    """
    tasks = len(sums)
    if not tasks:
        return Estimate()
    tops, bottoms = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    p = float(tops.sum() / bottoms.sum())
    if tasks == 1:
        return Estimate(p, 0.0, 1.0)
    informative = min(int((tops < bottoms).sum()), int((tops > 0).sum()))
    binary = p * (1 - p) / tasks
    ratio = variance(tops, bottoms, seed) / binary if informative else 1.0
    low, high = wilson(p, effective(tasks, trials, ratio, informative))
    return Estimate(p, low, high)


def difference(
    won: Sequence[float], lost: Sequence[float], sizes: Sequence[float], *, pairs: int, seed: int = 0
) -> Estimate:
    """The share won less the share lost, with Bonett and Price's interval (2012) at the effective number of tasks.

    That interval adds one pair won and one pair lost before it takes the normal one: where nothing differs, it still
    has a width. The effective number is found as in `share`, from the tasks in which something differs.

    Args:
        won, lost: for each task, how many of its pairs were; with parts where a pair is of means.
        sizes: for each task, its pairs.
        pairs: all pairs, the most that the data can be worth.
        seed: of the resampling.
    """
    tasks = len(sizes)
    if not tasks:
        return Estimate()
    ups, downs, bottoms = (np.asarray(values, dtype=np.float64) for values in (won, lost, sizes))
    up, down = float(ups.sum() / bottoms.sum()), float(downs.sum() / bottoms.sum())
    informative = int((ups + downs > 0).sum())
    binary = (up + down - (up - down) ** 2) / tasks
    ratio = variance(ups - downs, bottoms, seed) / binary if binary > 0 and tasks > 1 else 1.0
    n = effective(tasks, pairs, ratio, informative)
    low, high = bonett_price(up, down, n)
    return Estimate(up - down, low, high)


def effective(tasks: int, most: int, ratio: float, informative: int) -> float:
    """How many independent yes-or-no tasks the data are worth.

    Args:
        tasks: how many there are.
        most: observations, which it cannot exceed.
        ratio: bootstrap variance over the variance if all observations of a task agreed.
        informative: tasks that the ratio was learnt from; one more, whose observations agree, is mixed in.
    """
    agreement = (informative * ratio + 1) / (informative + 1)
    return min(tasks / agreement, max(most, tasks))


def variance(sums: Floats, sizes: Floats, seed: int) -> float:
    """The bootstrap variance of sum(sums) / sum(sizes) over tasks, with the factor n / (n - 1) for small n."""
    tasks = len(sums)
    generator = np.random.default_rng(seed)
    rows = max(1, CHUNK // tasks)
    values = []
    for start in range(0, RESAMPLES, rows):
        drawn = generator.integers(0, tasks, (min(rows, RESAMPLES - start), tasks), dtype=np.int32)
        values.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return float(np.concatenate(values).var()) * tasks / (tasks - 1)


def wilson(p: float, n: float) -> tuple[float, float]:
    """Wilson's score interval (1927) for a share p of n independent observations; n need not be whole."""
    spread = Z * Z / n
    middle = (p + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * sqrt(max(0.0, p * (1 - p)) / n + spread / (4 * n))
    return max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


def bonett_price(won: float, lost: float, n: float) -> tuple[float, float]:
    """Interval of Bonett and Price (2012) for won - lost, two shares of n independent pairs; n need not be whole."""
    more, less = (won * n + 1) / (n + 2), (lost * n + 1) / (n + 2)
    half = Z * sqrt((more + less - (more - less) ** 2) / (n + 2))
    middle, value = more - less, won - lost
    return max(-1.0, min(value, middle - half)), min(1.0, max(value, middle + half))
