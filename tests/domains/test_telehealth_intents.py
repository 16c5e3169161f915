"""Telehealth: what its patients want and how it is said."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date

import pytest

from tau_emotion_gym._draw import Draw
from tau_emotion_gym.domains.telehealth import terms
from tau_emotion_gym.domains.telehealth.records import Appointment, Patient, Prescription
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.kit import TRANSFER, Call, Domain, Goal, Kind, Situation, ToolError, clock, load
from tau_emotion_gym.tasks.check import check_domain
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.world import World, canonical

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


def played(telehealth: Domain, calls: Iterable[Call]) -> World:
    """The world after these calls; those that a tool refuses change nothing."""
    world = World(telehealth.base())
    for call in calls:
        tool = telehealth.tools[call.name]
        try:
            tool.run(world, tool.bind(call.arguments))
        except ToolError:
            continue
    return world


def test_everything_that_ships_is_sound(telehealth: Domain) -> None:
    assert check_domain(telehealth).problems == ()


def test_no_intent_is_for_a_few_patients_only(telehealth: Domain, goals: list[tuple[Patient, Goal]]) -> None:
    patients = len(list(World(telehealth.base()).all(Patient))[::EVERY])
    fits = Counter(goal.intent for _, goal in goals)
    rare = {name: fits[name] for name, i in telehealth.intents.items() if not i.follows and fits[name] < patients / 6}
    assert rare == {}


def test_every_chained_intent_is_sampled_in_training(telehealth: Domain) -> None:
    chained = {name for name, intent in telehealth.intents.items() if intent.follows}
    found = {goal.intent for index in range(400) for goal in train_task(telehealth, 3, index).goals}
    assert len(chained) >= 3
    assert chained <= found


def test_chains_fail_in_the_wrong_order(telehealth: Domain) -> None:
    tasks = [t for t in telehealth.test_tasks.values() if any(telehealth.intents[g.intent].follows for g in t.goals)]
    assert len(tasks) >= 8
    for task in tasks:
        order = list(task.goals)
        at = next(i for i, goal in enumerate(order) if telehealth.intents[goal.intent].follows)
        order[at - 1], order[at] = order[at], order[at - 1]
        right = played(telehealth, task.calls)
        wrong = played(telehealth, [task.identify, *(call for goal in order for call in goal.calls)])
        assert canonical(wrong.changes()) != canonical(right.changes()), task.id


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


def test_scripts_are_read_as_what_they_are(telehealth: Domain, goals: list[tuple[Patient, Goal]]) -> None:
    reader = Reader(*telehealth.phrases())
    for _, goal in goals:
        writes = {c.name for c in goal.calls if telehealth.tools[c.name].writes and c.name != TRANSFER}
        if goal.script.refuse:
            reading = reader.read(goal.script.refuse)
            assert reading.refuses, goal.script.refuse
            assert reading.reason, goal.script.refuse
        if writes:
            proposal = reader.read(f"To confirm: {goal.script.propose} Shall I go ahead?")
            assert proposal.confirms, goal.script.propose
            assert proposal.proposed == writes, goal.script.propose
            assert reader.read(goal.script.report).claims == writes, goal.script.report


def test_answers_name_no_action(telehealth: Domain, goals: list[tuple[Patient, Goal]]) -> None:
    reader = Reader(*telehealth.phrases())
    for _, goal in goals:
        if goal.kind is Kind.INFORM:
            reading = reader.read(goal.script.report)
            assert reading.informs
            assert not reading.claims
            assert not reading.refuses


def test_sentences_are_whole_and_begin_with_a_capital(telehealth: Domain, goals: list[tuple[Patient, Goal]]) -> None:
    for _, goal in goals:
        intent = telehealth.intents[goal.intent]
        for template in (*intent.phrasings, *intent.insist, *intent.fallback):
            for sentence in re.split(r"(?<=[.?!])(?<!Dr\.)(?<!St\.) ", template.format_map(goal.fill)):
                assert sentence[0].isupper(), sentence
                assert sentence[-1] in ".?!", sentence


def test_stakes_have_no_digits_and_are_many(telehealth: Domain) -> None:
    for intent in telehealth.intents.values():
        assert len(set(intent.phrasings)) >= 8
        for sentences in intent.stakes.values():
            assert len(set(sentences)) >= 3
            assert not any(re.search(r"\d", sentence) for sentence in sentences)


def test_slots_have_three_ways_of_asking_giving_and_not_knowing(telehealth: Domain) -> None:
    reader = Reader(*telehealth.phrases())
    for slot in telehealth.slots.values():
        assert min(map(len, (slot.ask, slot.give, slot.unknown))) >= 3
        for question in slot.ask:
            assert reader.read(question).asks == (slot.name,), question


@pytest.mark.parametrize(
    ("time", "said"), [("09:00", "9:00 AM"), ("12:20", "12:20 PM"), ("16:40", "4:40 PM"), ("08:00", "8:00 AM")]
)
def test_times_are_said_by_the_clock(time: str, said: str) -> None:
    assert clock(time) == said


def test_nobody_changes_what_was_booked_a_moment_ago(telehealth: Domain) -> None:
    tasks = [*telehealth.test_tasks.values(), *(train_task(telehealth, 1, index) for index in range(300))]
    for task in tasks:
        known = telehealth.base(task.world).tables[Appointment]
        visits = [fact.value for goal in task.goals for fact in goal.facts if fact.slot == "visit"]
        assert all(visit in known for visit in visits), task.id
        assert len(set(visits)) == len(visits), task.id
