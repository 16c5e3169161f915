"""Emotions: the taxonomy, the 594 conditions, persona text and how affect moves."""

from tau_emotion_gym.emotions.affect import (
    NECESSARY_MOVES,
    Affect,
    Event,
    leaving,
    move,
    start,
)
from tau_emotion_gym.emotions.assignment import assigned
from tau_emotion_gym.emotions.conditions import (
    CONDITIONS,
    EmotionCondition,
    EmotionSpec,
    parse,
    resolve,
    validate,
)
from tau_emotion_gym.emotions.persona import persona
from tau_emotion_gym.emotions.taxonomy import FAMILIES, LEAVES, POLITENESS, TRUST, URGENCY, Leaf

__all__ = [
    "CONDITIONS",
    "FAMILIES",
    "LEAVES",
    "NECESSARY_MOVES",
    "POLITENESS",
    "TRUST",
    "URGENCY",
    "Affect",
    "EmotionCondition",
    "EmotionSpec",
    "Event",
    "Leaf",
    "assigned",
    "leaving",
    "move",
    "parse",
    "persona",
    "resolve",
    "start",
    "validate",
]
