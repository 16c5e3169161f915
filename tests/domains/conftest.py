"""Fixtures of what holds for every shipped domain: the domain, its reader, and goals of its intents."""

from pathlib import Path
from typing import Any

import pytest

import tau_emotion_gym
from tau_emotion_gym._draw import Draw
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.kit import Domain, Goal, Situation, load, names
from tau_emotion_gym.world import World

FOLDER = Path(tau_emotion_gym.__file__).parent / "domains"
DOMAINS = sorted(names(added=False))
EVERY = 3
"""Goals are sampled for every third customer."""


@pytest.fixture(scope="session", params=DOMAINS)
def domain(request: pytest.FixtureRequest) -> Domain:
    return load(request.param)


@pytest.fixture(scope="session")
def reader(domain: Domain) -> Reader:
    return Reader(*domain.phrases())


@pytest.fixture(scope="session")
def some_customers(domain: Domain) -> list[Any]:
    return list(World(domain.test_base).all(domain.customer_kind))[::EVERY]


@pytest.fixture(scope="session")
def goals(domain: Domain, some_customers: list[Any]) -> list[Goal]:
    """A goal of every intent that stands alone, for each of some customers whom it fits."""
    world = World(domain.test_base)
    return [
        goal
        for name, intent in domain.intents.items()
        if not intent.follows
        for row, customer in enumerate(some_customers)
        if (goal := intent.goal(Situation(world, customer, Draw(row, name)))) is not None
    ]
