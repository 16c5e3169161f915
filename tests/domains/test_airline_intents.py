"""Airline: what its customers want and how it is said."""

import pytest

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.airline.network import cities
from tau_emotion_gym.domains.airline.records import Customer, Reservation
from tau_emotion_gym.kit import Domain, Goal, Situation, load
from tau_emotion_gym.world import World

Sample = tuple[Customer, Goal]


@pytest.fixture(scope="module")
def airline() -> Domain:
    return load("airline")


@pytest.fixture(scope="module")
def samples(airline: Domain) -> list[Sample]:
    """A goal of every intent that stands alone, for every third customer that it fits."""
    world = World(airline.base())
    return [
        (customer, goal)
        for name, intent in airline.intents.items()
        if not intent.follows
        for row, customer in enumerate(list(world.all(Customer))[::3])
        if (goal := intent.goal(Situation(world, customer, Draw(row, name)))) is not None
    ]


def test_half_of_the_customers_describe_their_reservation(samples: list[Sample]) -> None:
    pointing = [
        g for _, g in samples if "get_reservation" in {c.name for c in g.calls} and g.intent != "upcoming_total"
    ]
    named = sum(any(fact.slot == "reservation_id" for fact in goal.facts) for goal in pointing)
    assert 0.4 <= named / len(pointing) <= 0.65


def test_a_description_fits_one_reservation_alone(airline: Domain, samples: list[Sample]) -> None:
    world = World(airline.base())
    described = 0
    for customer, goal in samples:
        opened = [c.arguments["reservation_id"] for c in goal.calls if c.name == "get_reservation"]
        if len(opened) != 1 or any(fact.slot == "reservation_id" for fact in goal.facts):
            continue
        said = goal.fill["trip"]
        fitting = [
            trip.id
            for trip in world.where(Reservation, "customer_id", customer.id)
            if f" to {cities()[trip.destination]}" in said
            and (" on " not in said or said.endswith(f" {int(trip.legs[0].date[-2:])}"))
        ]
        assert fitting == opened, (customer.id, said)
        described += 1
    assert described > 300


def test_every_reservation_opened_is_the_customers(airline: Domain, samples: list[Sample]) -> None:
    world = World(airline.base())
    for customer, goal in samples:
        for call in goal.calls:
            trip = world.get(Reservation, call.arguments.get("reservation_id", ""))
            assert trip is None or trip.customer_id == customer.id


def test_each_payment_choice_says_what_it_is_for(samples: list[Sample]) -> None:
    for _, goal in samples:
        for fact in goal.facts:
            if fact.slot == "payment_method":
                assert " for the " in fact.spoken
