"""A phrase table: entries that one customer goes through without repeating themselves."""

from collections.abc import Sequence
from functools import cache
from math import gcd
from typing import Generic, TypeVar

from tau_emotion_gym._draw import mix

T = TypeVar("T")

_SMALL = 1 << 29
"""Remainders below twice this are small integers to the interpreter, and cheap."""


@cache
def _strides(n: int) -> tuple[int, ...]:
    return tuple(s for s in range(1, n + 1) if gcd(s, n) == 1)


class Table(Generic[T]):
    """Entries in an order of each customer's own.

    A customer's key fixes a start and a stride without common factor with the length, so the entries of
    `n` successive turns are all different in a table of `n`.
    """

    __slots__ = ("_modulus", "_n", "_strides", "entries")

    def __init__(self, name: str, entries: Sequence[T]) -> None:
        self.entries = tuple(entries)
        self._modulus = _SMALL | mix(0, 0, name) % _SMALL | 1
        self._n = n = len(self.entries)
        self._strides = _strides(n)

    def __len__(self) -> int:
        return self._n

    def at(self, key: int, turn: int) -> T:
        """The entry for this turn of the customer with this key; the table must not be empty.

        Args:
            key: 64 well mixed bits. One hash per customer serves all tables: each takes the remainder by a
                modulus of its own.
            turn: the turn of the message.
        """
        rest = key % self._modulus
        strides = self._strides
        return self.entries[(rest + turn * strides[(rest >> 12) % len(strides)]) % self._n]
