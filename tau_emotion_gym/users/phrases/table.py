"""A phrase table: entries that one customer goes through without repeating themselves."""

from collections.abc import Sequence
from math import gcd
from typing import Generic, TypeVar

from tau_emotion_gym._draw import mix

T = TypeVar("T")


class Table(Generic[T]):
    """Entries in an order of each seed's own.

    A seed fixes a start and a stride without common factor with the length, so the entries of `n`
    successive turns are all different in a table of `n`.
    """

    __slots__ = ("_name", "_strides", "entries")

    def __init__(self, name: str, entries: Sequence[T]) -> None:
        self.entries = tuple(entries)
        self._name = name
        n = len(self.entries)
        self._strides = tuple(s for s in range(1, n + 1) if gcd(s, n) == 1)

    def __len__(self) -> int:
        return len(self.entries)

    def at(self, seed: int, turn: int) -> T:
        """The entry for this turn of this seed; the table must not be empty."""
        start = mix(seed, 0, self._name)
        stride = self._strides[(start >> 32) % len(self._strides)]
        return self.entries[(start + turn * stride) % len(self.entries)]
