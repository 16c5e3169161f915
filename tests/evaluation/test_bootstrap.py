"""Intervals: they cover the truth as often as they say, at the edges too, and treat a task's episodes as one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.evaluation import bootstrap
from tau_emotion_gym.evaluation.bootstrap import Estimate, bonett_price, difference, share, variance, wilson

SETS = 500
TASKS = 100
K = 3


@pytest.fixture
def fewer_resamples(monkeypatch):
    monkeypatch.setattr(bootstrap, "RESAMPLES", 400)


def chances(mean: float, concentration: float, generator: np.random.Generator, size) -> np.ndarray:
    """How likely each task succeeds: alike for a high concentration, all or nothing for a low one."""
    return generator.beta(mean * concentration, (1 - mean) * concentration, size)


@pytest.mark.usefixtures("fewer_resamples")
@pytest.mark.parametrize("statistic", ["avg", "pass_hat"])
@pytest.mark.parametrize("concentration", [0.7, 3, 1e6])
@pytest.mark.parametrize("mean", [0.5, 0.79, 0.97])
def test_coverage_of_shares_is_near_nominal(mean, concentration, statistic):
    generator = np.random.default_rng(7)
    value = np.array([0, 1 / 3, 2 / 3, 1]) if statistic == "avg" else np.array([0, 0, 0, 1.0])
    many = chances(mean, concentration, generator, 400_000)
    truth = many.mean() if statistic == "avg" else (many**3).mean()
    covered = 0
    for seed in range(SETS):
        trials = value[generator.binomial(K, chances(mean, concentration, generator, TASKS))]
        found = share(trials, np.ones(TASKS), trials=TASKS * K, seed=seed)
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / SETS <= 0.99


@pytest.mark.usefixtures("fewer_resamples")
def test_coverage_holds_when_arms_of_a_task_resemble_each_other():
    generator = np.random.default_rng(8)
    covered = 0
    for seed in range(SETS):
        p = chances(0.8, 2, generator, TASKS)
        arms = generator.integers(1, 5, TASKS)
        found = share(generator.binomial(K * arms, p) / K, arms, trials=int(arms.sum()) * K, seed=seed)
        covered += found.low <= 0.8 <= found.high
    assert 0.92 <= covered / SETS <= 0.98


@pytest.mark.usefixtures("fewer_resamples")
@pytest.mark.parametrize("agreeing", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("lost", "won"), [(0.15, 0.05), (0.3, 0.3), (0.5, 0.1)])
def test_coverage_of_differences_is_near_nominal(lost, won, agreeing):
    assert 0.92 <= covering(lost, won, agreeing) <= 0.98


@pytest.mark.usefixtures("fewer_resamples")
@pytest.mark.parametrize(("lost", "won"), [(0.03, 0.01), (0.02, 0.0)])
def test_where_few_pairs_differ_an_interval_of_differences_is_rather_too_long(lost, won):
    assert covering(lost, won, agreeing=0.5) >= 0.95


def covering(lost: float, won: float, agreeing: float) -> float:
    """How often the interval covers, with a share of tasks all of whose pairs end alike."""
    generator = np.random.default_rng(9)
    covered = 0
    for seed in range(SETS):
        pairs = generator.choice([-1, 0, 1], p=[lost, 1 - lost - won, won], size=(TASKS, K))
        pairs = np.where(generator.random((TASKS, 1)) < agreeing, pairs[:, :1], pairs)
        found = difference((pairs > 0).sum(axis=1), (pairs < 0).sum(axis=1), [K] * TASKS, pairs=TASKS * K, seed=seed)
        covered += found.low <= won - lost <= found.high
    return covered / SETS


def test_copies_of_the_same_trial_add_no_certainty():
    generator = np.random.default_rng(1)
    once = generator.integers(0, 2, 60).astype(float)
    single = share(once, np.ones(60), trials=60)
    copied = share(once * 10, np.full(60, 10), trials=600)
    assert (single.low, single.high) == pytest.approx((copied.low, copied.high), abs=1e-9)


def test_independent_trials_do():
    agreeing = share([1.0] * 30 + [0.0] * 30, np.ones(60), trials=180)
    differing = share([0.5] * 60, np.ones(60), trials=180)
    assert differing.high - differing.low < 0.7 * (agreeing.high - agreeing.low)


def test_no_task_that_differs_leaves_a_width():
    found = difference([0] * 100, [0] * 100, [3] * 100, pairs=300)
    assert found.value == 0
    assert found.low == pytest.approx(-0.027, abs=0.004)
    assert found.high == pytest.approx(0.027, abs=0.004)


def test_the_variance_is_that_of_the_mean():
    values = np.arange(50, dtype=np.float64)
    assert variance(values, np.ones(50), seed=3) == pytest.approx(values.var(ddof=1) / 50, rel=0.1)


def test_bonett_and_price_without_any_difference():
    # (1 / (n + 2) + 1 / (n + 2)) / (n + 2) under the root, worked out by hand for 98 pairs.
    assert bonett_price(0, 0, 98) == pytest.approx((-0.02772, 0.02772), abs=1e-5)


def test_wilson_is_the_published_interval():
    # Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    for successes, n, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        assert wilson(successes / n, n) == pytest.approx((low, high), abs=5e-5)


def test_nothing_and_one_task():
    assert share([], [], trials=0) == difference([], [], [], pairs=0) == Estimate()
    assert share([1.0], [1], trials=3) == Estimate(1.0, 0.0, 1.0)
    one = difference([1], [0], [1], pairs=1)
    assert one.low < 0 < one.value == one.high


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), min_size=1, max_size=12))
def test_an_interval_holds_its_value_within_bounds(parts):
    sizes = [size for _, size in parts]
    shares = [min(won, size) for won, size in parts]
    one = share(shares, sizes, trials=sum(sizes))
    assert 0 <= one.low <= one.value <= one.high <= 1
    assert one.low < one.high
    lost = [size - won for won, size in zip(shares, sizes, strict=True)]
    two = difference(shares, lost, sizes, pairs=sum(sizes))
    assert -1 <= two.low <= two.value <= two.high <= 1
    assert two.low < two.high
