"""The sentences that every domain ships read as what they are meant to be."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tau_emotion_gym.agents.lines import LINES
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.kit import TRANSFER, Domain, Goal, add_folder, load, names

TOY = Path(__file__).parents[1] / "toy" / "library"
DOMAINS = list(dict.fromkeys((*names(added=False), TOY.name)))


@cache
def domain_of(name: str) -> tuple[Domain, Reader]:
    domain = load(add_folder(TOY) if name == TOY.name else name)
    return domain, Reader(*domain.phrases())


def goals_of(domain: Domain) -> Iterator[tuple[Goal, set[str]]]:
    """Each goal of the test tasks with the names of its writes, hand-offs apart."""
    for task in domain.test_tasks.values():
        for goal in task.goals:
            yield goal, {made.name for made in goal.calls if domain.tools[made.name].writes} - {TRANSFER}


def report(found: list[str]) -> str:
    return f"{len(found)} sentences:\n" + "\n".join(found[:10])


@pytest.mark.parametrize("name", DOMAINS)
def test_every_question_asks_for_exactly_its_slot(name: str) -> None:
    domain, reader = domain_of(name)
    readings = [(slot.name, text, reader.read(text)) for slot in domain.slots.values() for text in slot.ask]
    assert readings
    wrong = [f"{slot}: {text} {got}" for slot, text, got in readings if got.asks != (slot,) or got.confirms]
    assert not wrong, report(wrong)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_proposal_asks_to_confirm_its_writes(name: str) -> None:
    domain, reader = domain_of(name)
    wrong, count = [], 0
    for goal, writes in goals_of(domain):
        for question in LINES.shall_i if writes else ():
            count += 1
            text = f"To confirm: {goal.script.propose} {question}"
            got = reader.read(text)
            if not got.confirms or got.proposed != writes or got.asks or got.claims_done:
                wrong.append(f"{sorted(writes)}: {text} {got}")
    assert count
    assert not wrong, report(wrong)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_report_claims_its_writes(name: str) -> None:
    domain, reader = domain_of(name)
    wrong, count = [], 0
    for goal, writes in goals_of(domain):
        if writes and goal.script.report:
            count += 1
            got = reader.read(goal.script.report)
            if not got.claims_done or got.claims != writes or got.asks or got.confirms:
                wrong.append(f"{sorted(writes)}: {goal.script.report} {got}")
    assert count
    assert not wrong, report(wrong)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_refusal_gives_its_reason(name: str) -> None:
    domain, reader = domain_of(name)
    wrong, count = [], 0
    for goal, _ in goals_of(domain):
        if goal.script.refuse:
            count += 1
            got = reader.read(goal.script.refuse)
            if not (got.refuses and got.reason) or got.asks or got.claims_done or got.confirms:
                wrong.append(f"{goal.script.refuse} {got}")
    assert count
    assert not wrong, report(wrong)
