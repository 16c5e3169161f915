"""The sentences of every shipped domain are ones that people would say."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tau_emotion_gym
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode.brief import make_brief
from tau_emotion_gym.kit import Domain, load, names

FOLDER = Path(tau_emotion_gym.__file__).parent / "domains"
DOMAINS = sorted(name for name in names() if (FOLDER / name).is_dir())
WHOLE = re.compile(r"""["A-Z{].*[.?!]""", re.S)
STARTS_WITH_BLANK = re.compile(r"(?:^|[.?!] )\{")


@pytest.fixture(params=DOMAINS)
def domain(request: pytest.FixtureRequest) -> Domain:
    return load(request.param)


def wishes(domain: Domain) -> Iterator[str]:
    for intent in domain.intents.values():
        yield from (*intent.phrasings, *intent.fallback, *intent.insist)


def test_what_customers_say_is_whole_sentences(domain: Domain) -> None:
    stakes = [text for intent in domain.intents.values() for texts in intent.stakes.values() for text in texts]
    slots = [text for slot in domain.slots.values() for text in (*slot.ask, *slot.give, *slot.unknown)]
    assert [text for text in (*wishes(domain), *stakes, *slots) if not WHOLE.fullmatch(text)] == []


def test_no_sentence_of_a_wish_begins_with_a_blank(domain: Domain) -> None:
    assert [text for text in wishes(domain) if STARTS_WITH_BLANK.search(text)] == []


def test_no_phrasing_and_no_stake_of_an_intent_is_there_twice(domain: Domain) -> None:
    for intent in domain.intents.values():
        for texts in (intent.phrasings, intent.fallback, intent.insist, *intent.stakes.values()):
            assert len(set(texts)) == len(texts), intent.name


def test_a_conversation_gives_no_reason_for_its_feeling_twice(domain: Domain) -> None:
    for seed, task in enumerate(domain.test_tasks.values()):
        for condition in CONDITIONS[seed::150]:
            stakes = [wish.stake for wish in make_brief(domain, task, condition, seed).wishes]
            assert len(set(stakes)) == len(stakes), task.id


def test_agents_say_what_they_will_do_and_what_has_been_done(domain: Domain) -> None:
    for task in domain.test_tasks.values():
        for goal in task.goals:
            assert not goal.script.propose or goal.script.propose.startswith("I will "), task.id
            assert not goal.script.refuse or goal.script.refuse.startswith("I can't "), task.id
            said = " ".join((goal.script.propose, goal.script.report, goal.script.refuse))
            assert not re.search(r"\$\d{4}", said), task.id
