from collections import Counter

from tau_emotion_gym.emotions import CONDITIONS, LEAVES, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.evaluation import leaf_grid, twenty_seven_conditions


def test_twenty_seven_conditions_hold_every_leaf_and_every_combination_of_levels():
    chosen = twenty_seven_conditions()
    assert len(set(chosen)) == 27
    assert {condition.leaf for condition in chosen} == {leaf.name for leaf in LEAVES}
    levels = Counter((condition.politeness, condition.urgency, condition.trust) for condition in chosen)
    assert levels == Counter((p, u, t) for p in POLITENESS for u in URGENCY for t in TRUST)


def test_a_leaf_grid_is_all_conditions_of_the_leaf():
    for condition in CONDITIONS[::50]:
        assert set(leaf_grid(condition)) == {other for other in CONDITIONS if other.leaf == condition.leaf}
