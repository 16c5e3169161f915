"""The words of the scripted customer: phrase tables in JSON, their schema and how entries are drawn."""

from tau_emotion_gym.users.phrases.books import (
    Acts,
    Behaviours,
    Events,
    Guard,
    LeafWords,
    Levels,
    Shapes,
    acts,
    behaviours,
    events,
    guarded,
    leaf_words,
    levels,
    shapes,
)
from tau_emotion_gym.users.phrases.table import Table

__all__ = [
    "Acts",
    "Behaviours",
    "Events",
    "Guard",
    "LeafWords",
    "Levels",
    "Shapes",
    "Table",
    "acts",
    "behaviours",
    "events",
    "guarded",
    "leaf_words",
    "levels",
    "shapes",
]
