"""Provenance in play on conversations whose right answer is plain."""

import pytest

from tau_emotion_gym.agents import ReferenceAgent, play
from tau_emotion_gym.episode import Episode, UserReply, call, respond
from tau_emotion_gym.evaluation.in_play import unsourced
from tau_emotion_gym.users import ScriptedUser


@pytest.fixture
def renewal(library, find_task) -> Episode:
    """An episode on a plain renewal, right after the customer's opening."""
    episode = Episode(library, find_task("renew"))
    episode.open()
    episode.hear(UserReply("Hello, I need help with a loan."))
    return episode


def loan_of(episode: Episode) -> str:
    return next(made.arguments["loan_id"] for made in episode.task.calls if made.name == "renew_loan")


def test_a_value_from_nowhere_is_named(renewal):
    loan = loan_of(renewal)
    renewal.act(call("renew_loan", loan_id=loan))
    assert list(unsourced(renewal)) == [f"renew_loan loan_id={loan}"]


def test_a_value_that_a_tool_has_shown_is_fine(renewal):
    for made in renewal.task.calls:
        renewal.act(call(made.name, **made.arguments))
    assert list(unsourced(renewal)) == []


def test_a_value_shown_only_afterwards_does_not_count(renewal):
    loan = loan_of(renewal)
    renewal.act(call("renew_loan", loan_id=loan))
    renewal.act(call("list_loans", member_id=renewal.task.customer))
    assert list(unsourced(renewal)) == [f"renew_loan loan_id={loan}"]


def test_failed_and_malformed_calls_and_thoughts_write_nothing(library, find_task):
    episode = Episode(library, find_task("renew"), think_tool=True)
    episode.open()
    episode.hear(UserReply("Hello."))
    for action in (
        call("think", thought="renew something"),
        call("renew_loan", loan_id="L0000000"),
        call("renew_loan", nonsense=1),
        call("renew_loan", loan_id=loan_of(episode)),
    ):
        episode.act(action)
    assert list(unsourced(episode)) == [f"renew_loan loan_id={loan_of(episode)}"]


def test_a_fact_counts_from_when_its_words_are_said(library, find_task):
    task = find_task("hold_or_other")
    pickup = next(fact for fact in task.goals[0].facts if fact.slot == "pickup")
    hold = next(made for made in task.calls if made.name == "place_hold")

    def played(opening: str) -> list[str]:
        episode = Episode(library, task)
        episode.open()
        episode.hear(UserReply(opening))
        for made in task.calls:
            episode.act(call(made.name, **made.arguments))
        return [text for text in unsourced(episode) if text.startswith("place_hold pickup")]

    policy = library.policy
    assert pickup.value in policy or played("Hello.") == [f"place_hold pickup={hold.arguments['pickup']}"]
    assert played(f"Hello, at {pickup.spoken} please.") == []


def test_the_reference_agent_writes_nothing_unsaid(library, find_task):
    for intent in ("renew", "pay", "hold_or_other"):
        episode = Episode(library, find_task(intent))
        play(episode, ScriptedUser(), ReferenceAgent())
        assert list(unsourced(episode)) == []


def test_asking_changes_nothing(renewal):
    renewal.act(respond("Which loan is it?"))
    before = (list(renewal.transcript), list(renewal.calls))
    list(unsourced(renewal))
    assert (renewal.transcript, renewal.calls) == before
