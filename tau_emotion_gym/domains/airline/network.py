"""The airports and routes, as shipped data."""

from functools import cache
from pathlib import Path

import msgspec

from tau_emotion_gym.domains.airline.records import AirportCode
from tau_emotion_gym.kit import read_data


class Airport(msgspec.Struct, frozen=True):
    """An airport that the airline serves."""

    code: AirportCode
    city: str
    name: str


class Route(msgspec.Struct, frozen=True):
    """Two airports joined by direct flights both ways; `miles` is the great-circle distance."""

    ends: tuple[str, str]
    miles: int


class Network(msgspec.Struct, frozen=True):
    """All airports and routes."""

    airports: tuple[Airport, ...]
    routes: tuple[Route, ...]


@cache
def network() -> Network:
    """The shipped network.

    Raises:
        DataError: the file is damaged.
    """
    return read_data(Path(__file__).with_name("network.json"), Network)


@cache
def cities() -> dict[str, str]:
    """Airport code → city."""
    return {airport.code: airport.city for airport in network().airports}


@cache
def neighbours() -> dict[str, tuple[str, ...]]:
    """Airport code → airports with a direct flight from it."""
    found: dict[str, list[str]] = {airport.code: [] for airport in network().airports}
    for route in network().routes:
        a, b = route.ends
        found[a].append(b)
        found[b].append(a)
    return {code: tuple(others) for code, others in found.items()}
