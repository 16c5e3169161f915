"""The sentences of every shipped domain are ones that people would say, and are read as what they are."""

import re
from collections.abc import Iterator

from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode.brief import make_brief
from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.kit import TRANSFER, Domain, Goal, Kind

WHOLE = re.compile(r"""["A-Z].*[.?!]""", re.S)
SENTENCE_END = re.compile(r"(?<=[.?!])(?<!Dr\.)(?<!St\.)\s+")
FEELING_OR_POLITE = re.compile(r"\b(please|thanks?|sorry|hello|angry|afraid|worried|sad)\b", re.I)


def wishes(domain: Domain) -> Iterator[str]:
    for intent in domain.intents.values():
        yield from (*intent.phrasings, *intent.fallback, *intent.insist)


def stakes(domain: Domain) -> Iterator[str]:
    for intent in domain.intents.values():
        for sentences in intent.stakes.values():
            yield from sentences


def writes_of(domain: Domain, goal: Goal) -> set[str]:
    return {call.name for call in goal.calls if domain.tools[call.name].writes} - {TRANSFER}


# --- customers --------------------------------------------------------------------------------------


def test_what_customers_say_is_whole_sentences(domain: Domain, goals: list[Goal]) -> None:
    said = set()
    for goal in goals:
        intent = domain.intents[goal.intent]
        for template in (*intent.phrasings, *intent.fallback, *intent.insist):
            said.update(SENTENCE_END.split(template.format_map(goal.fill)))
    slots = [text for slot in domain.slots.values() for text in (*slot.ask, *slot.unknown)]
    assert [text for text in (*said, *stakes(domain), *slots) if not WHOLE.fullmatch(text)] == []


def test_wishes_are_neither_polite_nor_emotional(domain: Domain) -> None:
    assert [text for text in wishes(domain) if FEELING_OR_POLITE.search(text)] == []


def test_reasons_to_feel_hold_no_figure_and_no_blank(domain: Domain) -> None:
    assert [text for text in stakes(domain) if re.search(r"[\d{}]", text)] == []


def test_there_are_many_ways_to_say_it_and_none_is_there_twice(domain: Domain) -> None:
    for intent in domain.intents.values():
        assert min(len(texts) for texts in intent.stakes.values()) >= 3, intent.name
        for texts in (intent.phrasings, intent.fallback, intent.insist, *intent.stakes.values()):
            assert len(set(texts)) == len(texts), intent.name
    for slot in domain.slots.values():
        assert min(len(set(texts)) for texts in (slot.ask, slot.give, slot.unknown)) >= 3, slot.name
        assert all("{value}" in answer for answer in slot.give), slot.name


def test_a_conversation_gives_no_reason_for_its_feeling_twice(domain: Domain) -> None:
    for seed, task in enumerate(domain.test_tasks.values()):
        for condition in CONDITIONS[seed::150]:
            told = [wish.stake for wish in make_brief(domain, task, condition, seed).wishes]
            assert len(set(told)) == len(told), task.id


# --- agents -----------------------------------------------------------------------------------------


def test_agents_say_what_they_will_do_and_what_they_cannot(goals: list[Goal]) -> None:
    for goal in goals:
        script = goal.script
        assert not script.propose or re.search(r"(?:^|[.] )I will ", script.propose), script.propose
        assert not script.refuse or script.refuse.startswith("I can't "), script.refuse
        assert not re.search(r"\$\d{4}", f"{script.propose} {script.report} {script.refuse}"), script


def test_proposals_and_reports_name_what_is_done(domain: Domain, reader: Reader, goals: list[Goal]) -> None:
    for goal in goals:
        if writes := writes_of(domain, goal):
            proposal = reader.read(f"To confirm: {goal.script.propose} Shall I go ahead?")
            assert (proposal.confirms, proposal.proposed, proposal.asks) == (True, writes, ()), goal.script.propose
            report = reader.read(goal.script.report)
            assert (report.claims, report.asks, report.refuses) == (writes, (), False), goal.script.report


def test_refusals_are_read_with_their_reason(reader: Reader, goals: list[Goal]) -> None:
    for script in (goal.script for goal in goals if goal.script.refuse):
        read = reader.read(script.refuse)
        assert (read.refuses, read.reason, read.asks, read.claims_done) == (True, True, (), False), script.refuse


def test_answers_claim_nothing(reader: Reader, goals: list[Goal]) -> None:
    for script in (goal.script for goal in goals if goal.kind is Kind.INFORM):
        read = reader.read(script.report)
        assert (read.informs, read.claims_done, read.refuses, read.asks) == (True, False, False, ()), script.report


def test_hand_offs_are_read_as_such(domain: Domain, reader: Reader, goals: list[Goal]) -> None:
    for goal in goals:
        if goal.kind is Kind.HAND_OFF:
            read = reader.read(goal.script.report)
            assert (read.hands_off, read.asks) == (True, ()), goal.script.report
            assert read.claims == writes_of(domain, goal), goal.script.report
