"""The state that tools act on: frozen records, an immutable base, an overlay per episode, and matching."""

from tau_emotion_gym.world.changes import (
    Canonical,
    Changes,
    ChangeSet,
    Difference,
    canonical,
    differences,
    from_change_set,
    to_change_set,
)
from tau_emotion_gym.world.fields import (
    FREE_TEXT,
    IGNORED,
    MULTISET,
    SET,
    Compare,
    Date,
    FreeText,
    Money,
    Ref,
)
from tau_emotion_gym.world.records import Record, cents, encode, money
from tau_emotion_gym.world.state import Base, World

__all__ = [
    "FREE_TEXT",
    "IGNORED",
    "MULTISET",
    "SET",
    "Base",
    "Canonical",
    "ChangeSet",
    "Changes",
    "Compare",
    "Date",
    "Difference",
    "FreeText",
    "Money",
    "Record",
    "Ref",
    "World",
    "canonical",
    "cents",
    "differences",
    "encode",
    "from_change_set",
    "money",
    "to_change_set",
]
