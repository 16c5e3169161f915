"""Which condition each test task carries: one fixed, balanced order of the 594.

594 = 22 x 27 and 22 and 27 share no factor, so entry n can take leaf n mod 22 and level combination
n mod 27 and still visit every condition once. The leaf steps by 5 so that families alternate. The
three base-3 digits of n mod 27 give the levels, the last one as the sum of all three: then any nine
consecutive entries hold each pair of levels once, and any 100 consecutive entries, wherever they
start, hold each leaf 4 or 5 times and each level 33 or 34 times.
"""

from tau_emotion_gym.emotions.conditions import CONDITIONS, EmotionCondition

BLOCK = 100
"""Test tasks per domain, and so the step from one domain's first entry to the next one's."""

_LEAVES = 22
_LEVELS = 27


def _entry(n: int) -> int:
    level = n % _LEVELS
    politeness, urgency, shift = level % 3, level // 3 % 3, level // 9
    trust = (politeness + urgency + shift) % 3
    return (5 * n % _LEAVES) * _LEVELS + 9 * politeness + 3 * urgency + trust


PERMUTATION: tuple[int, ...] = tuple(_entry(n) for n in range(len(CONDITIONS)))
"""The fixed order, as indices into `CONDITIONS`."""


def assigned(domain_ordinal: int, row: int) -> EmotionCondition:
    """The condition of row `row` (from 0) of the test set of the domain with this ordinal (from 0)."""
    return CONDITIONS[PERMUTATION[(BLOCK * domain_ordinal + row) % len(PERMUTATION)]]
