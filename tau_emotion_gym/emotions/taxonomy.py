"""The emotion taxonomy: five families, 22 leaves and the levels of three dimensions.

Leaves, intensities and responses are facts of the Atlas of Emotions (P. Ekman, E. Ekman, Stamen
Design), kept in `atlas.json`. The order of every tuple here is part of the public contract: a
condition's index follows it.
"""

import msgspec

from tau_emotion_gym.emotions._tables import read_table


class Leaf(msgspec.Struct, frozen=True):
    """One emotion state of the Atlas.

    `intensity` is the (lowest, highest) strength on the Atlas's scale of 1 to 10. The three tuples
    hold what the Atlas says people do in this state; one response can stand in several of them.
    """

    name: str
    family: str
    intensity: tuple[int, int]
    constructive: tuple[str, ...]
    destructive: tuple[str, ...]
    ambiguous: tuple[str, ...]

    @property
    def responses(self) -> tuple[str, ...]:
        """Every response the Atlas lists for this leaf, each once."""
        return tuple(dict.fromkeys(self.constructive + self.destructive + self.ambiguous))

    @property
    def strength(self) -> float:
        """The middle of the intensity range, from 1 to 10."""
        return sum(self.intensity) / 2


class _LeafRow(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    intensity: tuple[int, int]
    constructive: tuple[str, ...]
    destructive: tuple[str, ...]
    ambiguous: tuple[str, ...]


class _FamilyRow(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    leaves: tuple[_LeafRow, ...]


class _Atlas(msgspec.Struct, forbid_unknown_fields=True):
    source: str
    families: tuple[_FamilyRow, ...]


_ATLAS = read_table("atlas.json", _Atlas)

ATLAS_SOURCE: str = _ATLAS.source

FAMILIES: tuple[str, ...] = tuple(family.name for family in _ATLAS.families)

LEAVES: tuple[Leaf, ...] = tuple(
    Leaf(row.name, family.name, row.intensity, row.constructive, row.destructive, row.ambiguous)
    for family in _ATLAS.families
    for row in family.leaves
)

POLITENESS: tuple[str, ...] = ("warm", "neutral", "cold")
URGENCY: tuple[str, ...] = ("low", "moderate", "high")
TRUST: tuple[str, ...] = ("trusting", "cautious", "skeptical")

LEAF_BY_NAME: dict[str, Leaf] = {leaf.name: leaf for leaf in LEAVES}
