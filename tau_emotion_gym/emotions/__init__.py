"""Emotions: the taxonomy, the 594 conditions, persona text and how affect moves."""

from tau_emotion_gym.emotions.affect import (
    NECESSARY_MOVES,
    Affect,
    AffectTable,
    Event,
    EventRow,
    affect_table,
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
    "AffectTable",
    "EmotionCondition",
    "EmotionSpec",
    "Event",
    "EventRow",
    "Leaf",
    "affect_table",
    "assigned",
    "leaving",
    "move",
    "parse",
    "resolve",
    "start",
    "validate",
]
