"""Trips with one change of planes."""

from functools import cache
from itertools import permutations

from tau_emotion_gym.domains.airline import terms
from tau_emotion_gym.domains.airline.intents.grounding import Option, options
from tau_emotion_gym.domains.airline.network import neighbours
from tau_emotion_gym.domains.airline.records import Cabin
from tau_emotion_gym.domains.airline.timetable import CONNECTION, minutes
from tau_emotion_gym.world import World


@cache
def unjoined() -> tuple[tuple[str, str], ...]:
    """Pairs of airports that no direct flight joins, but a connection does."""
    joined = neighbours()
    return tuple(
        (start, end)
        for start, end in permutations(joined, 2)
        if end not in joined[start] and not set(joined[start]).isdisjoint(joined[end])
    )


def cheapest_connection(
    world: World, start: str, end: str, iso: str, cabin: Cabin, seats: int
) -> tuple[Option, Option] | None:
    """The one cheapest connection with seats; None when there is none, or two cost the same."""
    found = sorted(
        (
            (terms.fare(first.day, cabin) + terms.fare(second.day, cabin), n, first, second)
            for n, (first, second) in enumerate(_connections(world, start, end, iso))
            if min(terms.seats(first.day, cabin), terms.seats(second.day, cabin)) >= seats
        ),
        key=lambda row: row[:2],
    )
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][2], found[0][3]


def _connections(world: World, start: str, end: str, iso: str) -> list[tuple[Option, Option]]:
    joined = neighbours()
    return [
        (first, second)
        for via in joined[start]
        if end in joined[via]
        for second in options(world, f"{via}-{end}", iso)
        for first in options(world, f"{start}-{via}", iso)
        if minutes(second.flight.departs) >= minutes(first.flight.arrives) + CONNECTION
    ]
