"""Success by group, endings and broken rules."""

import pytest
from result_rows import row, rows

from tau_emotion_gym.evaluation.breakdowns import FEWEST, breakdown, breakdowns, broken_rules, endings
from tau_emotion_gym.evaluation.results import Shape, results_of, shape_of
from tau_emotion_gym.kit import load
from tau_emotion_gym.rollouts import Place

ANGER = "anger/annoyance/warm/low/trusting"
SORROW = "sadness/sorrow/neutral/moderate/cautious"


def named(found):
    return {group.name: (group.success.value, group.success.counts.scored) for group in found.groups}


PLAYED = [
    row("t0", success=True, emotion=SORROW, domain="shop", user="a"),
    row("t1", success=False, emotion=ANGER, domain="bank", user="b", shape=Shape(2, 1, "together")),
    row("t2", success=True, emotion=ANGER, domain="bank", user="a", shape=Shape(10, 3, "one_by_one")),
    row("t3", success=False, emotion="neutral", arm="neutral", domain="shop", user="a"),
    row("t4", success=None, emotion=ANGER, domain="bank"),
]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("domain", {"shop": (0.5, 2), "bank": (0.5, 2)}),
        ("arm", {"task": (2 / 3, 3), "neutral": (0, 1)}),
        ("family", {"anger": (0.5, 2), "sadness": (1, 1), "neutral": (0, 1)}),
        ("leaf", {"annoyance": (0.5, 2), "sorrow": (1, 1)}),
        ("politeness", {"warm": (0.5, 2), "neutral": (1, 1)}),
        ("urgency", {"low": (0.5, 2), "moderate": (1, 1)}),
        ("trust", {"trusting": (0.5, 2), "cautious": (1, 1)}),
        ("writes", {"2": (0, 1), "10": (1, 1)}),
        ("goals", {"1": (0, 1), "3": (1, 1)}),
        ("reveal", {"together": (0, 1), "one_by_one": (1, 1)}),
        ("user model", {"a": (2 / 3, 3), "b": (0, 1)}),
    ],
)
def test_success_by(by, expected):
    found = named(breakdown(PLAYED, by))
    assert found == expected
    assert list(found) == list(expected)


def test_what_has_one_group_only_is_not_broken_down():
    assert breakdowns(rows({"t0": [True]})) == ()
    assert {one.by for one in breakdowns(PLAYED)} >= {"domain", "family", "writes"}


def test_planned_episodes_are_counted_where_they_belong():
    anger = next(group for group in breakdown(PLAYED, "family").groups if group.name == "anger")
    assert (anger.success.counts.planned, anger.success.counts.finished) == (3, 2)


def test_few_tasks_are_too_few_to_say_however_often_they_were_tried():
    few = breakdown(rows({f"t{number}": [True] * 9 for number in range(FEWEST - 1)}), "domain").groups[0]
    enough = breakdown(rows({f"t{number}": [True] for number in range(FEWEST)}), "domain").groups[0]
    assert few.too_few
    assert not enough.too_few


def test_endings_add_up():
    played = [
        row("t0"),
        row("t1", success=False),
        row("t2", success=False, outcome="dissatisfied"),
        row("t3", success=True, outcome="handed_off"),
        row("t4", success="excluded"),
        row("t5", success=False, outcome="made_up_elsewhere"),
        row("t6", success=None),
    ]
    found = {ending.outcome: ending for ending in endings(played)}
    assert sum(ending.episodes for ending in found.values()) == 6
    assert (found["satisfied"].share.value, found["satisfied"].successes) == (2 / 5, 1)
    assert found["infrastructure"].share is None
    assert found["made_up_elsewhere"].episodes == 1
    assert sum(ending.share.value for ending in found.values() if ending.share) == pytest.approx(1)


def test_rules_are_ranked_and_keep_their_domain():
    played = [
        row("t0", violations=("consent", "consent")),
        row("t1", violations=("consent",), domain="bank"),
        row("t2", violations=("identity",)),
        row("t3", success="excluded", violations=("identity",)),
    ]
    assert [(one.domain, one.rule, one.times, one.episodes) for one in broken_rules(played)] == [
        ("shop", "consent", 2, 1),
        ("bank", "consent", 1, 1),
        ("shop", "identity", 1, 1),
    ]


def test_a_task_is_known_by_its_reference():
    domain = load("retail")
    task = next(iter(domain.test_tasks.values()))
    shape = shape_of("retail", task.id)
    assert shape == Shape(sum(domain.tools[call.name].writes for call in task.calls), len(task.goals), task.reveal)
    assert shape_of("retail", "no-such-task") is None
    assert shape_of("no_such_domain", task.id) is None


def test_a_planned_episode_is_described_before_it_is_played():
    place = Place("retail", "test-000", "task", 0, "1", ANGER)
    (found,) = results_of([], [place])
    assert not found.finished
    assert found.emotion.leaf == "annoyance"
    assert found.shape is not None
