"""A phrase table: entries that one customer goes through without repeating themselves."""

from collections.abc import Sequence
from math import gcd
from typing import Generic, TypeVar

from tau_emotion_gym._draw import MASK, mix

T = TypeVar("T")

_SPREAD = 0x9E3779B97F4A7C15


class Table(Generic[T]):
    """Entries in an order of each customer's own.

    A customer's key fixes a start and a stride without common factor with the length, so the entries of
    `n` successive turns are all different in a table of `n`.
    """

    __slots__ = ("_n", "_salt", "_strides", "entries")

    def __init__(self, name: str, entries: Sequence[T]) -> None:
        self.entries = tuple(entries)
        self._salt = mix(0, 0, name)
        self._n = n = len(self.entries)
        self._strides = tuple(s for s in range(1, n + 1) if gcd(s, n) == 1)

    def __len__(self) -> int:
        return self._n

    def at(self, key: int, turn: int) -> T:
        """The entry for this turn of the customer with this key; the table must not be empty.

        Args:
            key: 64 well mixed bits. One hash per customer serves all tables: each spreads it its own way.
            turn: the turn of the message.
        """
        spread = ((key ^ self._salt) * _SPREAD & MASK) >> 20
        strides = self._strides
        return self.entries[((spread >> 22) + turn * strides[(spread & 0xFFFFF) % len(strides)]) % self._n]
