"""Avg@k, Pass^k and pass@k: against a table worked out by hand, against enumeration, and as they must relate."""

from itertools import combinations
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from result_rows import row, rows

from tau_emotion_gym.evaluation.metrics import (
    HolesError,
    TooFewTrialsError,
    avg,
    avg_at_k,
    fewest_trials,
    pass_at,
    pass_at_k,
    pass_hat,
    pass_hat_k,
    rate,
)
from tau_emotion_gym.evaluation.results import Counts

TABLE = {
    "all": [True, True, True, True],
    "three": [True, False, True, True],
    "two": [False, True, True, False],
    "none": [False, False, False, False],
}

BY_HAND = {
    # k: (Avg@k, Pass^k, pass@k). Pass^2 of "three" is C(3,2)/C(4,2) = 3/6, pass@2 of "two" 1 - C(2,2)/C(4,2) = 5/6.
    1: (9 / 16, (1 + 3 / 4 + 2 / 4 + 0) / 4, (1 + 3 / 4 + 2 / 4 + 0) / 4),
    2: (9 / 16, (1 + 3 / 6 + 1 / 6 + 0) / 4, (1 + 1 + 5 / 6 + 0) / 4),
    3: (9 / 16, (1 + 1 / 4 + 0 + 0) / 4, (1 + 1 + 1 + 0) / 4),
    4: (9 / 16, 1 / 4, 3 / 4),
}


@pytest.mark.parametrize("k", BY_HAND)
def test_a_table_worked_out_by_hand(k):
    found = [metric(rows(TABLE), k) for metric in (avg_at_k, pass_hat_k, pass_at_k)]
    assert [figure.value for figure in found] == pytest.approx(BY_HAND[k])
    for figure in found:
        assert figure.counts == Counts(planned=16, finished=16, scored=16, excluded=0, tasks=4)
        assert (figure.units, figure.dropped) == (4, 0)
        assert 0 <= figure.low <= figure.value <= figure.high <= 1


TRIALS = st.lists(st.booleans(), min_size=1, max_size=7)


@given(TRIALS, st.data())
def test_enumerating_all_choices_of_k_trials_gives_the_same(trials, data):
    n, c = len(trials), sum(trials)
    k = data.draw(st.integers(1, n))
    chosen = list(combinations(trials, k))
    assert isclose(pass_hat(n, c, k), sum(map(all, chosen)) / len(chosen))
    assert isclose(pass_at(n, c, k), sum(map(any, chosen)) / len(chosen))
    assert isclose(avg(n, c, k), sum(sum(some) / k for some in chosen) / len(chosen))


TABLES = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=6)
)


@given(TABLES)
def test_pass_hat_is_below_avg_is_below_pass_at_and_both_move_apart_with_k(table):
    played = rows({f"t{number}": trials for number, trials in enumerate(table)})
    most = len(table[0])
    hats, avgs, ats = (
        [metric(played, k).value for k in range(1, most + 1)] for metric in (pass_hat_k, avg_at_k, pass_at_k)
    )
    assert all(hat <= a + 1e-12 and a <= at + 1e-12 for hat, a, at in zip(hats, avgs, ats, strict=True))
    assert hats == sorted(hats, reverse=True)
    assert ats == sorted(ats)
    assert max(avgs) - min(avgs) < 1e-12
    assert isclose(hats[0], avgs[0])
    assert isclose(ats[0], avgs[0])


def test_arms_are_units_of_their_own():
    played = rows({"t0": [True, True]}, arm="anger") + rows({"t0": [True, False]}, arm="neutral")
    figure = pass_hat_k(played, 2)
    assert (figure.value, figure.units, figure.counts.tasks) == (0.5, 2, 1)
    domains = rows({"t0": [True, True]}) + rows({"t0": [True, False]}, domain="bank")
    assert pass_hat_k(domains, 2).counts.tasks == 2


# --- holes --------------------------------------------------------------------------------------------

HOLES = {"whole": [True, True, True], "lost": [True, "excluded", True], "open": [True, None, None]}


@pytest.mark.parametrize("metric", [avg_at_k, pass_hat_k, pass_at_k])
def test_holes_are_refused_with_their_number(metric):
    with pytest.raises(
        HolesError, match=r"2 of 3 tasks .* k = 3: of 9 planned episodes 2 .* and 1 are excluded .*--k 1"
    ):
        metric(rows(HOLES), 3)
    with pytest.raises(HolesError, match="1 of 3 tasks"):
        metric(rows(HOLES), 2)
    with pytest.raises(HolesError) as refused:
        metric(rows({"t0": [None, None]}), 1)
    assert "--k" not in str(refused.value)


@pytest.mark.parametrize("metric", [avg_at_k, pass_hat_k, pass_at_k])
def test_a_k_that_every_task_still_has_is_no_hole(metric):
    figure = metric(rows(HOLES), 1)
    assert (figure.value, figure.units, figure.dropped) == (1.0, 3, 0)
    assert (figure.counts.planned, figure.counts.scored) == (9, 6)


def test_allowed_holes_leave_out_what_has_too_few_trials_and_say_so():
    figure = pass_hat_k(rows(HOLES), 2, allow_holes=True)
    assert (figure.value, figure.units, figure.dropped) == (1.0, 2, 1)
    assert figure.counts == Counts(planned=9, finished=7, scored=6, excluded=1, tasks=3)
    assert avg_at_k(rows(HOLES), 3, allow_holes=True).units == 1


def test_an_excluded_success_counts_for_nothing():
    table = {"t0": [False, "excluded"], "t1": [True, True]}
    assert avg_at_k(rows(table), 1, allow_holes=True).value == 0.5
    assert rate(rows(table)).value == pytest.approx(2 / 3)


def test_nothing_scored_is_no_number():
    figure = avg_at_k(rows({"t0": [None, None]}), 1, allow_holes=True)
    assert (figure.value, figure.low, figure.high, figure.units, figure.dropped) == (None, None, None, 0, 1)
    assert rate([]).value is None


@pytest.mark.parametrize("k", [-1, 0, 4])
def test_k_is_at_most_the_number_of_trials(k):
    with pytest.raises(TooFewTrialsError, match=f"the number of trials of each task, 3; not {k}"):
        pass_hat_k(rows(HOLES), k, allow_holes=True)


def test_the_largest_k_is_that_of_the_unit_with_fewest_trials():
    assert fewest_trials(rows({"t0": [True] * 3, "t1": [None] * 2})) == 2
    assert fewest_trials([]) == 0


# --- rates --------------------------------------------------------------------------------------------


def test_a_rate_counts_what_holds():
    played = [row("t0", 0, False, outcome="dissatisfied"), row("t0", 1), row("t1", 0), row("t1", 1, None)]
    left = rate(played, lambda one: one.outcome == "dissatisfied")
    assert left.value == pytest.approx(1 / 3)
    assert left.counts == Counts(planned=4, finished=3, scored=3, excluded=0, tasks=2)


def test_perfection_is_not_claimed_with_certainty():
    figure = pass_hat_k(rows({f"t{number}": [True] * 3 for number in range(100)}), 3)
    assert figure.value == figure.high == 1.0
    assert 0.95 < figure.low < 0.97
    failed = avg_at_k(rows({f"t{number}": [False] * 3 for number in range(100)}), 3)
    assert failed.value == failed.low == 0.0
    assert 0.03 < failed.high < 0.05


def test_the_interval_repeats_with_its_seed():
    table = {f"t{number}": [number % 3 > 0, number % 5 > 0] for number in range(40)}
    one, same, other = (avg_at_k(rows(table), 2, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert (one.low, one.high) != (other.low, other.high)
