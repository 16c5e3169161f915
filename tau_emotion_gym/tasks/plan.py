"""What kinds of tasks a set is made of."""

from functools import cache
from typing import NamedTuple

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.tasks.walks import Wish, possible

TEST_TASKS = 100
MOST_EMERGENCIES = 3
MOST_GOALS = 3
FEWEST_CHAINED = 8


class Share(NamedTuple):
    """The least and the greatest share of something, in percent."""

    least: float
    greatest: float


SIZES = {1: Share(30, 40), 2: Share(40, 50), 3: Share(15, 25)}
"""Number of goals → share of the tasks."""
DENY = Share(10, 15)
"""Share of refusals among the goals."""
HAND_OFF = Share(3, 7)
"""Share of hand-offs among the goals."""

_MIX: tuple[tuple[int, Wish], ...] = (
    (2, Wish(1, emergency=True)),
    (9, Wish(1, deny=True)),
    (24, Wish(1)),
    (5, Wish(2, hand_off=True)),
    (6, Wish(2, chained=True)),
    (9, Wish(2, deny=True)),
    (25, Wish(2)),
    (3, Wish(3, hand_off=True)),
    (3, Wish(3, chained=True)),
    (1, Wish(3, chained=True, deny=True)),
    (4, Wish(3, deny=True)),
    (9, Wish(3)),
)


@cache
def plan(domain: Domain) -> tuple[Wish, ...]:
    """The wishes of the 100 test tasks in row order; train tasks draw from the same.

    What the domain has no intents for is replaced by plain wishes of the same size.
    """
    wishes = [wish if possible(domain, wish) else Wish(wish.size) for count, wish in _MIX for _ in range(count)]
    return tuple(Draw(domain.ordinal, "plan").shuffled(wishes))
