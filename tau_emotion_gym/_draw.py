"""Cheap deterministic draws: every random choice is a 64-bit hash of (seed, turn, purpose).

No generator object is kept anywhere: the same three values always give the same draw, so a retry,
a fork and a pickle repeat exactly. Not cryptographic.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")

MASK = 0xFFFFFFFFFFFFFFFF


@lru_cache(maxsize=4096)
def _salt(purpose: str) -> int:
    return crc32(purpose.encode())


def mix(seed: int, turn: int, purpose: str) -> int:
    """A 64-bit integer, uniform over (seed, turn, purpose)."""
    z = (seed * 0x9E3779B97F4A7C15 + turn * 0xD1B54A32D192ED03 + _salt(purpose)) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def pick(options: Sequence[T], seed: int, turn: int, purpose: str) -> T:
    """One of `options`, uniformly."""
    return options[mix(seed, turn, purpose) % len(options)]


def chance(probability: float, seed: int, turn: int, purpose: str) -> bool:
    """True with the given probability."""
    return (mix(seed, turn, purpose) >> 11) < probability * (1 << 53)


class Draw:
    """A small integer generator for building worlds and tasks (splitmix64).

    Stable across Python and numpy versions, unlike `random.Random` and `numpy.random.Generator`,
    and cheap to make.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int, purpose: str = "") -> None:
        self._state = mix(seed, 0, purpose)

    def bits(self) -> int:
        """The next 64-bit integer."""
        self._state = z = (self._state + 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """An integer in [0, n)."""
        return self.bits() % n

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high], both ends included."""
        return low + self.bits() % (high - low + 1)

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return (self.bits() >> 11) < probability * (1 << 53)

    def pick(self, options: Sequence[T]) -> T:
        """One of `options`, uniformly."""
        return options[self.bits() % len(options)]

    def sample(self, options: Sequence[T], n: int) -> list[T]:
        """`n` different positions of `options`, in random order."""
        pool = list(options)
        for i in range(n):
            j = i + self.bits() % (len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:n]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """All of `options` in random order."""
        return self.sample(options, len(options))

    def weighted(self, options: Sequence[T], weights: Sequence[int]) -> T:
        """One of `options`, with integer weights."""
        at = self.bits() % sum(weights)
        for option, weight in zip(options, weights, strict=True):
            at -= weight
            if at < 0:
                return option
        return options[-1]
