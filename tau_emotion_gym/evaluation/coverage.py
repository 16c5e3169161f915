"""Small sets of conditions that stand for the 594."""

from tau_emotion_gym.emotions import CONDITIONS, EmotionCondition
from tau_emotion_gym.emotions.assignment import PERMUTATION

LEVELS = 27
"""Combinations of the levels of politeness, urgency and trust."""


def twenty_seven_conditions() -> tuple[EmotionCondition, ...]:
    """27 conditions with every leaf and every combination of levels among them.

    They are the first entries of the order in which conditions are assigned to test tasks, which steps
    through the 22 leaves and through the 27 combinations of levels at the same time.
    """
    return tuple(CONDITIONS[index] for index in PERMUTATION[:LEVELS])


def leaf_grid(condition: EmotionCondition) -> tuple[EmotionCondition, ...]:
    """The 27 conditions with this condition's leaf: levels compared with all else equal."""
    first = condition.index - condition.index % LEVELS
    return CONDITIONS[first : first + LEVELS]
