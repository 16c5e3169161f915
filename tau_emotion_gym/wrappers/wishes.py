"""Which wishes a customer's messages bring up, by the domain's wordings."""

from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tau_emotion_gym.kit import Domain
from tau_emotion_gym.kit.text import span

Vector = NDArray[np.float32]


class _Wording(NamedTuple):
    """One way to say a wish.

    Attributes:
        pieces: what stands between its placeholders, in small letters.
        longest: the longest piece.
        weight: how many letters the pieces have.
        places: the numbers of the wishes that are worded so.
    """

    pieces: tuple[str, ...]
    longest: str
    weight: int
    places: tuple[int, ...]


class Wishes:
    """What the wishes of a domain sound like.

    A message brings up a wish when it holds the pieces of one of its wordings in order. Where wordings overlap, those
    with the most letters count. Intents that share a wording are brought up together: which of them it is, the
    dialogue has to show.

    Args:
        domain: the domain.

    Attributes:
        names: "wish.<intent>" for each intent, then "instead.<intent>" for those with a second best.
        firsts: for each of them the place of the wish that it is the second best of; -1 for a wish.
    """

    def __init__(self, domain: Domain) -> None:
        groups = _groups(domain)
        self.names = tuple(groups)
        places = {name: place for place, name in enumerate(self.names)}
        own = (places[name.replace("instead.", "wish.")] if name.startswith("instead.") else -1 for name in self.names)
        self.firsts = np.array(list(own))
        holders: dict[tuple[str, ...], list[int]] = {}
        for name, group in groups.items():
            for pieces in group:
                holders.setdefault(pieces, []).append(places[name])
        self._wordings = [
            _Wording(pieces, max(pieces, key=len), sum(map(len, pieces)), tuple(sorted(set(held))))
            for pieces, held in holders.items()
        ]

    def hear(self, message: str) -> list[tuple[int, Vector]]:
        """The wishes that a message brings up, in order: where each begins, and 1 for every wish that is worded so.

        Args:
            message: in small letters.
        """
        likely = (one for one in self._wordings if one.longest in message)
        spans = [(found, one) for one in likely if (found := span(message, one.pieces))]
        spans.sort(key=lambda found: -found[1].weight)
        taken: list[tuple[tuple[int, int], int, Vector]] = []
        for (start, end), one in spans:
            across = [old for old in taken if start < old[0][1] and old[0][0] < end]
            if any(old[1] > one.weight for old in across):
                continue
            likeness = across[0][2] if across else np.zeros(len(self.names), dtype=np.float32)
            likeness[list(one.places)] = 1.0
            if not across:
                taken.append(((start, end), one.weight, likeness))
        return [(start, likeness) for (start, _), _, likeness in sorted(taken, key=lambda found: found[0])]


@cache
def wishes_of(domain: Domain) -> Wishes:
    """The wishes of a domain."""
    return Wishes(domain)


def _groups(domain: Domain) -> Mapping[str, list[tuple[str, ...]]]:
    """Name of a number → the wordings that give it, each as its pieces."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for kind in ("phrasings", "fallback"):
        for name, intent in domain.intents.items():
            key = f"{'wish' if kind == 'phrasings' else 'instead'}.{name}"
            for wording in getattr(intent, kind):
                if pieces := _pieces(wording):
                    found.setdefault(key, []).append(pieces)
    return found


def _pieces(wording: str) -> tuple[str, ...]:
    parts = [literal.lower().strip(" .!?") for literal, *_ in Formatter().parse(wording)]
    return tuple(part for part in parts if part)
