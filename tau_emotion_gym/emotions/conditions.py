"""The 594 emotion conditions and every way to name one.

A *spec* is how a caller names the condition of an episode:

| spec | meaning |
|---|---|
| `None` or `"neutral"` | the neutral baseline: no emotion, the user never leaves |
| `"task"` | the condition assigned to the task |
| `"random"` | any condition |
| `"anger"` | a family |
| `"frustration"` | a leaf |
| `"anger/frustration/cold/high/skeptical"` | a path: family, leaf, politeness, urgency, trust |
| `"anger/*/cold"`, `"*/*/*/high"` | a path with open places; a short path leaves the rest open |
| `"frustration/cold"` | a path that starts at the leaf |
| `0` … `593` (or `"17"`) | an index |
| an `EmotionCondition` | itself |

Case and surrounding blanks do not matter.
What a spec leaves open is drawn from the episode's seed, uniformly over the conditions that fit, so
that a family means a uniform leaf and then uniform levels.
"""

from collections.abc import Sequence
from functools import lru_cache
from operator import index as as_index
from typing import SupportsIndex, TypeAlias

import msgspec

from tau_emotion_gym._draw import mix
from tau_emotion_gym.emotions.taxonomy import FAMILIES, LEAF_BY_NAME, LEAVES, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.errors import UnknownName, unknown

_PLACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("family", FAMILIES),
    ("leaf", tuple(LEAF_BY_NAME)),
    ("politeness", POLITENESS),
    ("urgency", URGENCY),
    ("trust", TRUST),
)


class EmotionCondition(msgspec.Struct, frozen=True):
    """One of the 594 conditions: 22 leaves x 3 politeness x 3 urgency x 3 trust.

    Raises:
        UnknownName: a name is not in the taxonomy, or the leaf is not of this family.
    """

    family: str
    leaf: str
    politeness: str
    urgency: str
    trust: str

    def __post_init__(self) -> None:
        names = msgspec.structs.astuple(self)
        if names not in _INDEX:
            raise _explain(names, open_place=None)

    @property
    def index(self) -> int:
        """Place in `CONDITIONS`, 0 to 593: nested order family, leaf, politeness, urgency, trust."""
        return _INDEX[self.family, self.leaf, self.politeness, self.urgency, self.trust]

    @property
    def path(self) -> str:
        """All five names, such as `anger/frustration/cold/high/skeptical`."""
        return f"{self.family}/{self.leaf}/{self.politeness}/{self.urgency}/{self.trust}"

    def __str__(self) -> str:
        return self.path


EmotionSpec: TypeAlias = str | SupportsIndex | EmotionCondition | None
"""Any form of the table above; integers of numpy count as integers, booleans do not."""

_INDEX: dict[tuple[str, ...], int] = {
    names: at
    for at, names in enumerate(
        (leaf.family, leaf.name, politeness, urgency, trust)
        for leaf in LEAVES
        for politeness in POLITENESS
        for urgency in URGENCY
        for trust in TRUST
    )
}


def _explain(names: Sequence[str], open_place: str | None = "*") -> UnknownName:
    """The error for a path, whole or short, that no condition fits: which name is wrong, what is near."""
    if len(names) > len(_PLACES):
        kinds = "/".join(kind for kind, _ in _PLACES)
        return UnknownName(f"unknown emotion {'/'.join(names)!r}; a path has at most five places: {kinds}")
    for (kind, valid), name in zip(_PLACES, names, strict=False):
        if name not in valid and name != open_place:
            return unknown(kind, name, valid)
    family, leaf = names[:2]
    return unknown(f"leaf of {family}", leaf, (known.name for known in LEAVES if known.family == family))


CONDITIONS: tuple[EmotionCondition, ...] = tuple(EmotionCondition(*names) for names in _INDEX)
"""All 594 conditions; `CONDITIONS[i].index == i`."""


def parse(spec: EmotionSpec) -> tuple[EmotionCondition, ...]:
    """Every condition that `spec` can stand for: none for neutral, all of them for `"task"`.

    Raises:
        UnknownName: the spec names nothing; the message gives the nearest valid names.
    """
    if isinstance(spec, str):
        return _parse_text(spec)
    if spec is None:
        return ()
    if isinstance(spec, EmotionCondition):
        return (spec,)
    return (_at_index(spec),)


def validate(spec: EmotionSpec) -> None:
    """Check `spec` without resolving it, so that a wrong name fails when an environment is made.

    Raises:
        UnknownName: as `parse`.
    """
    parse(spec)


def resolve(spec: EmotionSpec, *, assigned: EmotionCondition | None, seed: int) -> EmotionCondition | None:
    """The condition of one episode; None is neutral.

    Args:
        spec: any form of the table above.
        assigned: the task's own condition, the answer to `"task"`.
        seed: the episode's seed, from which open parts are drawn.

    Raises:
        UnknownName: as `parse`.
    """
    if isinstance(spec, EmotionCondition):
        return spec
    if isinstance(spec, str) and spec.strip().lower() == "task":
        return assigned
    fitting = parse(spec)
    if len(fitting) > 1:
        return fitting[mix(seed, 0, "condition") % len(fitting)]
    return fitting[0] if fitting else None


@lru_cache(maxsize=1024)
def _parse_text(spec: str) -> tuple[EmotionCondition, ...]:
    text = spec.strip().lower()
    if text in ("task", "random", "*"):
        return CONDITIONS
    if text == "neutral":
        return ()
    if text.lstrip("+-").isdecimal():
        return (_at_index(int(text)),)
    names = [part.strip() for part in text.split("/")]
    if len(names) == 1:
        return _named(text)
    if names[0] in LEAF_BY_NAME:
        names.insert(0, "*")
    fitting = tuple(c for c in CONDITIONS if _fits(c, names))
    if not fitting:
        raise _explain(names)
    return fitting


def _named(name: str) -> tuple[EmotionCondition, ...]:
    """The conditions of a bare family or leaf."""
    fitting = tuple(c for c in CONDITIONS if name in (c.family, c.leaf))
    if not fitting:
        for depth, (kind, levels) in enumerate(_PLACES[2:], start=2):
            if name in levels:
                path = "*/" * depth + name
                raise UnknownName(f"unknown emotion {name!r}: it is a level of {kind}; write {path!r}")
        raise unknown("emotion", name, (*FAMILIES, *LEAF_BY_NAME, "random", "task", "neutral"))
    return fitting


def _fits(condition: EmotionCondition, names: Sequence[str]) -> bool:
    parts = msgspec.structs.astuple(condition)
    return len(names) <= len(parts) and all(name in ("*", part) for name, part in zip(names, parts, strict=False))


def _at_index(spec: SupportsIndex) -> EmotionCondition:
    try:
        at = None if isinstance(spec, bool) else as_index(spec)
    except TypeError:
        at = None
    if at is None:
        kinds = f"a name, a path, an index 0 to {len(CONDITIONS) - 1}, an EmotionCondition or None"
        raise UnknownName(f"unknown emotion {spec!r} of type {type(spec).__name__}; give {kinds}")
    if not 0 <= at < len(CONDITIONS):
        raise UnknownName(f"unknown emotion index {at}; valid: 0 to {len(CONDITIONS) - 1}")
    return CONDITIONS[at]
