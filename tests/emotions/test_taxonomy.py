from collections import Counter
from itertools import pairwise

import pytest

from tau_emotion_gym.emotions import CONDITIONS, FAMILIES, LEAVES, POLITENESS, TRUST, URGENCY, assigned
from tau_emotion_gym.emotions.assignment import PERMUTATION

KEPT = {
    "anger": ["annoyance", "frustration", "argumentativeness", "bitterness", "exasperation"],
    "fear": ["anxiety", "nervousness", "dread", "desperation"],
    "disgust": ["dislike", "aversion", "distaste", "repugnance"],
    "sadness": ["disappointment", "discouragement", "helplessness", "hopelessness", "sorrow"],
    "enjoyment": ["relief", "pride", "peace", "excitement"],
}


def test_leaves_and_families_stand_in_the_documented_order() -> None:
    assert tuple(KEPT) == FAMILIES
    assert [(leaf.family, leaf.name) for leaf in LEAVES] == [(f, name) for f in KEPT for name in KEPT[f]]


def test_every_leaf_has_an_intensity_and_responses() -> None:
    for leaf in LEAVES:
        low, high = leaf.intensity
        assert 1 <= low <= high <= 10
        assert low <= leaf.strength <= high
        assert leaf.responses
        assert len(set(leaf.responses)) == len(leaf.responses)
        assert set(leaf.responses) == {*leaf.constructive, *leaf.destructive, *leaf.ambiguous}


def test_the_leaves_share_eighteen_sets_of_responses() -> None:
    assert len({frozenset(leaf.responses) for leaf in LEAVES}) == 18


def test_there_are_594_conditions() -> None:
    assert len(CONDITIONS) == len(set(CONDITIONS)) == 22 * 27 == 594
    assert sorted(PERMUTATION) == list(range(594))


@pytest.mark.parametrize("ordinal", range(10))
def test_each_domains_hundred_conditions_are_balanced(ordinal: int) -> None:
    block = [assigned(ordinal, row) for row in range(100)]
    leaves = Counter(condition.leaf for condition in block)
    assert len(leaves) == 22
    assert set(leaves.values()) <= {4, 5}
    for dimension, levels in (("politeness", POLITENESS), ("urgency", URGENCY), ("trust", TRUST)):
        counts = Counter(getattr(condition, dimension) for condition in block)
        assert set(counts) == set(levels)
        assert set(counts.values()) <= {33, 34}


def test_pairs_of_levels_are_balanced_too() -> None:
    for start in range(0, 594, 9):
        nine = [CONDITIONS[PERMUTATION[start + step]] for step in range(9)]
        assert len({(c.politeness, c.urgency) for c in nine}) == 9
        assert len({(c.urgency, c.trust) for c in nine}) == 9
        assert len({(c.politeness, c.trust) for c in nine}) == 9


def test_ten_domains_cover_every_condition() -> None:
    assert {assigned(ordinal, row) for ordinal in range(10) for row in range(100)} == set(CONDITIONS)


def test_neighbouring_rows_change_family() -> None:
    families = [assigned(0, row).family for row in range(100)]
    assert all(one != other for one, other in pairwise(families))
