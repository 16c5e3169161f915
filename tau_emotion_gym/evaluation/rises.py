"""Whether the friction agent is left more often where the customer has less time or less trust."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from tau_emotion_gym.emotions import CONDITIONS, FAMILIES, TRUST, URGENCY
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.evaluation.trials import Trial

DIMENSIONS: dict[str, tuple[str, ...]] = {"urgency": URGENCY, "trust": TRUST}
"""Dimension → its levels from the most to the least forbearing."""

ALL = "all"


class Rise(msgspec.Struct, frozen=True):
    """The share of episodes that the customer left, by the levels of a dimension.

    Attributes:
        dimension: "urgency" or "trust".
        family: the emotion family, or "all".
        shares: level → share, 0 to 1, in the order in which it must rise.
        episodes: episodes per level, the smallest.
    """

    dimension: str
    family: str
    shares: dict[str, float]
    episodes: int

    @property
    def strict(self) -> bool:
        """True when each step rises, wherever neither side is at 0 or 1."""
        return all(low < high for low, high in pairwise(self.shares.values()) if 0 < low < 1 and 0 < high < 1)

    def __str__(self) -> str:
        steps = " < ".join(f"{level} {share:.1%}" for level, share in self.shares.items())
        return f"{self.dimension}, {self.family}: {steps}"


def rises(trials: Iterable[Trial]) -> list[Rise]:
    """The shares over all families and per family. Every level must hold the same tasks and leaves."""
    felt = [(CONDITIONS[trial.condition], trial.outcome is Outcome.DISSATISFIED) for trial in trials]
    found = []
    for dimension, levels in DIMENSIONS.items():
        for family in (ALL, *FAMILIES):
            left = {
                level: [
                    gone
                    for condition, gone in felt
                    if getattr(condition, dimension) == level and family in (ALL, condition.family)
                ]
                for level in levels
            }
            if all(left.values()):
                shares = {level: _share(gone) for level, gone in left.items()}
                found.append(Rise(dimension, family, shares, min(map(len, left.values()))))
    return found


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)
