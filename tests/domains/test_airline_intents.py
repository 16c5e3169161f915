"""Airline: what its customers want and how it is said."""

import re
from collections import Counter

import pytest

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.airline.network import cities
from tau_emotion_gym.domains.airline.records import Customer, Reservation
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.kit import TRANSFER, Domain, Goal, Kind, Situation, load
from tau_emotion_gym.world import World

Sample = tuple[Customer, Goal]


@pytest.fixture(scope="module")
def airline() -> Domain:
    return load("airline")


@pytest.fixture(scope="module")
def reader(airline: Domain) -> Reader:
    return Reader(*airline.phrases())


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


def _writes(airline: Domain, goal: Goal) -> set[str]:
    return {call.name for call in goal.calls if airline.tools[call.name].writes} - {TRANSFER}


def test_every_intent_fits_many_customers(airline: Domain, samples: list[Sample]) -> None:
    customers = len(airline.base().tables[Customer]) // 3
    fits = Counter(goal.intent for _, goal in samples)
    shares = {name: fits[name] / customers for name, intent in airline.intents.items() if not intent.follows}
    assert {name: share for name, share in shares.items() if share < 0.2} == {}
    assert sum(share >= 0.25 for share in shares.values()) >= 0.9 * len(shares)


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


def test_proposals_and_reports_name_what_is_done(airline: Domain, reader: Reader, samples: list[Sample]) -> None:
    for _, goal in samples:
        if writes := _writes(airline, goal):
            proposal = reader.read(f"To confirm: {goal.script.propose} Shall I go ahead?")
            assert (proposal.confirms, proposal.proposed, proposal.asks) == (True, writes, ()), goal.script.propose
            report = reader.read(goal.script.report)
            assert (report.claims, report.asks, report.refuses) == (writes, (), False), goal.script.report


def test_answers_refusals_and_hand_offs_read_as_such(reader: Reader, samples: list[Sample]) -> None:
    for _, goal in samples:
        report = reader.read(goal.script.report)
        if goal.kind is Kind.INFORM:
            assert (report.informs, report.claims_done, report.asks) == (True, False, ()), goal.script.report
        if goal.kind is Kind.HAND_OFF:
            assert (report.hands_off, report.claims_done, report.asks) == (True, False, ()), goal.script.report
        if goal.script.refuse:
            refusal = reader.read(goal.script.refuse)
            assert (refusal.refuses, refusal.reason, refusal.asks) == (True, True, ()), goal.script.refuse
            assert not refusal.claims_done, goal.script.refuse


def test_questions_ask_for_their_slot(airline: Domain, reader: Reader) -> None:
    for slot in airline.slots.values():
        assert len(slot.ask) >= 3
        assert len(slot.give) >= 3
        assert len(slot.unknown) >= 3
        for question in slot.ask:
            assert reader.read(question).asks == (slot.name,), question
        for answer in slot.give:
            assert "{value}" in answer


def test_wishes_are_neither_polite_nor_emotional(airline: Domain) -> None:
    for intent in airline.intents.values():
        assert len(set(intent.phrasings)) == len(intent.phrasings)
        for phrase in (*intent.phrasings, *intent.fallback, *intent.insist):
            assert not re.search(r"\b(please|thanks?|sorry|hello|angry|afraid|worried|sad)\b", phrase, re.I), phrase
            assert not phrase.startswith("{"), phrase
            assert phrase[-1] in ".?", phrase


def test_reasons_to_feel_hold_no_figure_and_no_placeholder(airline: Domain) -> None:
    for intent in airline.intents.values():
        for sentences in intent.stakes.values():
            assert len(set(sentences)) == len(sentences) >= 3
            for sentence in sentences:
                assert not re.search(r"[\d{}]", sentence), sentence
                assert sentence[-1] in ".!", sentence
