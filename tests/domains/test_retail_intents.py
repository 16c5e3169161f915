"""Retail: what its customers want and how it is said."""

import pytest

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.retail.records import Customer, Order
from tau_emotion_gym.kit import Domain, Goal, Situation, load
from tau_emotion_gym.world import World


@pytest.fixture(scope="module")
def retail() -> Domain:
    return load("retail")


@pytest.fixture(scope="module")
def goals(retail: Domain) -> list[tuple[Customer, Goal]]:
    """A goal of every intent that stands alone, for every third customer that it fits."""
    world = World(retail.base())
    found = []
    for name, intent in retail.intents.items():
        for row, customer in enumerate(list(world.all(Customer))[::3]):
            if intent.follows:
                continue
            goal = intent.goal(Situation(world, customer, Draw(row, name)))
            if goal is not None:
                found.append((customer, goal))
    return found


def test_half_of_the_customers_describe_what_they_mean(goals: list[tuple[Customer, Goal]]) -> None:
    pointing = [goal for _, goal in goals if any(f.slot in ("order_id", "item", "date") for f in goal.facts)]
    named = sum(any(fact.slot == "order_id" for fact in goal.facts) for goal in pointing)
    assert 0.35 <= named / len(pointing) <= 0.65


def test_what_customers_say_fits_one_order_alone(retail: Domain, goals: list[tuple[Customer, Goal]]) -> None:
    world = World(retail.base())
    for customer, goal in goals:
        facts = {fact.slot: fact for fact in goal.facts}
        if "order_id" in facts or "item" not in facts or goal.intent == "cheapest_in_stock":
            continue
        said = facts["item"].spoken.removeprefix("the ")
        fitting = [
            order.id
            for order in world.where(Order, "customer_id", customer.id)
            if said in {item.title for item in order.items}
            and ("date" not in facts or order.placed_on == facts["date"].value)
        ]
        assert len(fitting) == 1, (customer.id, goal)
