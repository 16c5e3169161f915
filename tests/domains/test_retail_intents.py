"""Retail: what its customers want and how it is said."""

import re
from collections import Counter

import pytest

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.retail.records import Customer, Order
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.kit import TRANSFER, Domain, Goal, Kind, Situation, load
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


def test_no_intent_is_for_a_few_customers_only(retail: Domain, goals: list[tuple[Customer, Goal]]) -> None:
    customers = len(list(World(retail.base()).all(Customer))[::3])
    fits = Counter(goal.intent for _, goal in goals)
    rare = {name: fits[name] for name, i in retail.intents.items() if not i.follows and fits[name] < customers / 8}
    assert rare == {}


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


def test_sentences_read_as_they_are_meant(retail: Domain, goals: list[tuple[Customer, Goal]]) -> None:
    reader = Reader(*retail.phrases())
    for _, goal in goals:
        script = goal.script
        writes = {call.name for call in goal.calls if retail.tools[call.name].writes and call.name != TRANSFER}
        if writes:
            proposal = reader.read(f"To confirm: {script.propose} Shall I go ahead?")
            assert (proposal.confirms, proposal.proposed, proposal.asks) == (True, writes, ()), script.propose
            report = reader.read(script.report)
            assert (report.claims, report.asks, report.refuses) == (writes, (), False), script.report
        if goal.kind is Kind.INFORM:
            report = reader.read(script.report)
            assert (report.informs, report.claims_done, report.asks) == (True, False, ()), script.report
        if script.refuse:
            refusal = reader.read(script.refuse)
            assert (refusal.refuses, refusal.reason, refusal.asks) == (True, True, ()), script.refuse
        if goal.kind is Kind.HAND_OFF:
            assert reader.read(script.report).hands_off, script.report


def test_questions_ask_for_their_slot(retail: Domain) -> None:
    reader = Reader(*retail.phrases())
    for slot in retail.slots.values():
        for question in slot.ask:
            assert reader.read(question).asks == (slot.name,), question


def test_texts_are_plain(retail: Domain) -> None:
    """Wishes are neither polite nor emotional, and reasons to feel hold no figure and no placeholder."""
    for intent in retail.intents.values():
        for phrase in (*intent.phrasings, *intent.fallback, *intent.insist):
            assert not re.search(r"\b(please|thanks?|sorry|hello|angry|afraid|worried|sad)\b", phrase, re.I), phrase
            assert not phrase.startswith("{"), phrase
        for sentences in intent.stakes.values():
            assert len(sentences) >= 3
            for sentence in sentences:
                assert not re.search(r"[\d{}]", sentence), sentence
                assert sentence[-1] in ".!?", sentence
