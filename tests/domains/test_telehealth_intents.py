"""Telehealth: what its patients want and how it is said."""

import re
from datetime import date

import pytest

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.telehealth import terms
from tau_emotion_gym.domains.telehealth.records import Appointment, Patient, Prescription
from tau_emotion_gym.kit import Domain, Goal, Situation, load
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.world import World

EVERY = 3


@pytest.fixture(scope="module")
def telehealth() -> Domain:
    return load("telehealth")


@pytest.fixture(scope="module")
def goals(telehealth: Domain) -> list[tuple[Patient, Goal]]:
    """A goal of every intent that stands alone, for every third patient whom it fits."""
    world = World(telehealth.base())
    found = []
    for name, intent in telehealth.intents.items():
        for row, patient in enumerate(list(world.all(Patient))[::EVERY]):
            if not intent.follows:
                goal = intent.goal(Situation(world, patient, Draw(row, name)))
                found += [(patient, goal)] if goal else []
    return found


def test_half_of_the_patients_describe_what_they_mean(goals: list[tuple[Patient, Goal]]) -> None:
    spoken = [fact.spoken for _, goal in goals for fact in goal.facts if fact.slot in ("visit", "prescription")]
    numbered = sum(re.search(r"\b(AP|RX)\d+$", words) is not None for words in spoken)
    assert 0.4 <= numbered / len(spoken) <= 0.6


def test_a_described_medicine_is_one_prescription(telehealth: Domain, goals: list[tuple[Patient, Goal]]) -> None:
    world = World(telehealth.base())
    seen = 0
    for patient, goal in goals:
        for fact in goal.facts:
            if fact.slot == "prescription" and not fact.spoken.startswith("prescription"):
                meant = world.get(Prescription, fact.value)
                assert meant is not None
                fitting = [
                    one
                    for one in world.where(Prescription, "patient", patient.id)
                    if one.dependant == meant.dependant
                    and one.medicine in fact.spoken
                    and (one.strength in fact.spoken or not re.search(r"\dm?c?g?", fact.spoken))
                ]
                assert fitting == [meant], fact.spoken
                seen += 1
    assert seen > 100


def test_a_described_visit_is_one_upcoming_visit(telehealth: Domain, goals: list[tuple[Patient, Goal]]) -> None:
    world = World(telehealth.base())
    seen = 0
    for patient, goal in goals:
        for fact in goal.facts:
            if fact.slot == "visit" and not fact.spoken.startswith("appointment"):
                meant = world.get(Appointment, fact.value)
                assert meant is not None
                day = re.search(r" on (\w+) (\d+)$", fact.spoken)
                fitting = [
                    one
                    for one in terms.upcoming(world, patient.id)
                    if one.provider_name in fact.spoken
                    and one.dependant == meant.dependant
                    and (day is None or date.fromisoformat(one.day).strftime("%B") == day[1])
                    and (day is None or int(one.day[-2:]) == int(day[2]))
                ]
                assert fitting == [meant], fact.spoken
                seen += 1
    assert seen > 50


def test_late_changes_say_their_fee_before_the_yes(goals: list[tuple[Patient, Goal]]) -> None:
    late = [goal for _, goal in goals for call in goal.calls if call.arguments.get("late_fee")]
    assert late
    for goal in late:
        fee = next(call.arguments["late_fee"] for call in goal.calls if "late_fee" in call.arguments)
        assert f"${fee:,.2f}" in goal.script.propose


def test_nobody_changes_what_was_booked_a_moment_ago(telehealth: Domain) -> None:
    tasks = [*telehealth.test_tasks.values(), *(train_task(telehealth, 1, index) for index in range(300))]
    for task in tasks:
        known = telehealth.base(task.world).tables[Appointment]
        visits = [fact.value for goal in task.goals for fact in goal.facts if fact.slot == "visit"]
        assert all(visit in known for visit in visits), task.id
        assert len(set(visits)) == len(visits), task.id
