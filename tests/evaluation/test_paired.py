"""Paired differences: with and without emotion, one run and another."""

import pytest
from result_rows import FEAR, row, rows

from tau_emotion_gym.evaluation.paired import NoNeutralError, compare, paired

ANGER = "anger/annoyance/warm/low/trusting"


def both(table):
    """Rows for {task: [(with emotion, without), …]}."""
    return [
        made
        for task, trials in table.items()
        for trial, (first, second) in enumerate(trials)
        for made in (
            row(task, trial, first, emotion=FEAR),
            row(task, trial, second, arm="neutral", emotion="neutral"),
        )
    ]


def test_pairs_are_counted_by_who_did_better():
    found = paired(both({"t0": [(True, True), (False, True)], "t1": [(True, False), (False, True)]})).overall.difference
    assert (found.pairs, found.won, found.lost, found.tied, found.left_out, found.tasks) == (4, 1, 2, 1, 0, 2)
    assert (found.first, found.second) == (0.5, 0.75)
    assert found.value == pytest.approx(-0.25)
    assert found.low < -0.25 < found.high


def test_what_lacks_a_scored_partner_is_left_out():
    played = both({"t0": [(True, None), ("excluded", True), (True, False), (None, True)]})
    played.append(row("t9", success=True, emotion=FEAR))
    played.append(row("t8", success=True, emotion=FEAR, seed="1"))
    played.append(row("t8", success=True, arm="neutral", emotion="neutral", seed="2"))
    found = paired(played).overall.difference
    assert (found.pairs, found.left_out) == (1, 5)


def test_arms_and_families_apart():
    played = both({"t0": [(False, True)]})
    played.append(row("t0", 0, True, arm="anger", emotion=ANGER))
    effects = paired(played)
    assert [(one.name, one.difference.value) for one in effects.arms] == [("task", -1.0), ("anger", 0.0)]
    assert [(one.name, one.difference.value) for one in effects.families] == [("anger", 0.0), ("fear", -1.0)]
    assert effects.overall.difference.value == -0.5
    assert effects.overall.difference.tasks == 1


def test_the_leave_rate_is_of_the_episodes_with_emotion():
    played = [*both({"t0": [(True, True)]}), row("t1", success=False, outcome="dissatisfied")]
    rate = paired(played).overall.leave_rate
    assert (rate.value, rate.counts.scored) == (0.5, 2)


def test_a_planted_effect_is_found_and_none_is_not():
    harmed = both({f"t{n}": [(n % 5 > 0, True)] * 3 for n in range(100)})
    found = paired(harmed).overall.difference
    assert found.value == pytest.approx(-0.2)
    assert -0.3 < found.low < found.high < -0.1
    same = paired(both({f"t{n}": [(n % 5 > 0, n % 5 > 0)] * 3 for n in range(100)})).overall.difference
    assert same.value == 0
    assert -0.05 < same.low < 0 < same.high < 0.05


@pytest.mark.parametrize(
    ("played", "lacks"),
    [
        (rows({"t0": [True]}), "no arm without emotion"),
        (rows({"t0": [True]}, emotion="neutral", arm="neutral"), "no arm with an emotion"),
        ([], "no arm without emotion"),
    ],
)
def test_what_cannot_be_paired_is_refused_with_the_way_out(played, lacks):
    with pytest.raises(NoNeutralError, match=f"{lacks}.*--emotion task neutral"):
        paired(played)


# --- two runs -------------------------------------------------------------------------------------------


def test_runs_are_compared_on_what_both_have_scored():
    one = rows({"t0": [True, True], "t1": [True, False], "t2": [True, True], "t3": ["excluded"]})
    other = rows({"t0": [False, True, True, False], "t1": [False, True], "t3": [True], "t4": [True]})
    found = compare(one, other)
    assert (found.pairs, found.won, found.lost, found.tied, found.left_out) == (2, 1, 0, 1, 3)
    assert (found.value, found.first, found.second) == (0.25, 0.75, 0.5)


def test_a_run_compared_with_itself_differs_in_nothing():
    played = rows({f"t{n}": [True, n % 2 > 0, False] for n in range(30)})
    found = compare(played, played)
    assert (found.value, found.won, found.lost, found.left_out) == (0, 0, 0, 0)
    assert compare(played, []).value is None
