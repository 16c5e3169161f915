"""The scripted user: what it reveals, answers, refuses and when it is content."""

import pickle

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_emotion_gym.emotions import CONDITIONS, resolve
from tau_emotion_gym.episode import Episode, Outcome, Signal, call, respond
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.users import ScriptedUser, make_user
from tau_emotion_gym.users.base import check_user

USER = ScriptedUser()


class Talk:
    """A conversation in short: `talk.say(text)` gives the user's reply."""

    def __init__(self, library, task, condition=None, seed=None):
        self.episode = Episode(library, task, condition, seed=seed)
        self.opening = self.episode.hear(USER.reply(self.episode.open())).content

    def say(self, text: str) -> str:
        return self.episode.hear(USER.reply(self.episode.act(respond(text)))).content

    def ask(self, *slots: str) -> str:
        return self.say(" ".join(self.episode.domain.slots[slot].ask[0] for slot in slots))

    def run(self, *calls) -> None:
        for made in calls:
            assert not self.episode.act(call(made.name, **made.arguments)).error


def test_the_opening_states_the_wish_and_not_the_identity(library, find_task):
    task = find_task("renew")
    talk = Talk(library, task)
    assert talk.episode.brief.wishes[0].say in talk.opening
    assert not any(fact.spoken in talk.opening for fact in task.identity)


@pytest.mark.parametrize(("reveal", "count"), [("together", 2), ("one_by_one", 1)])
def test_wishes_are_revealed_as_the_task_says(library, find_task, reveal, count):
    talk = Talk(library, find_task("renew", "pay", reveal=reveal))
    assert sum(wish.say in talk.opening for wish in talk.episode.brief.wishes) == count


def test_it_gives_what_it_knows_and_says_so_when_it_does_not(library, find_task):
    task = find_task("renew")
    talk = Talk(library, task)
    reply = talk.ask(*(fact.slot for fact in task.identity))
    assert all(fact.spoken in reply for fact in task.identity)
    known = {fact.slot for fact in (*task.identity, *task.goals[0].facts)} | library.identity_slots
    unknown = next(slot for slot in library.slots if slot not in known)
    reply = talk.ask(unknown)
    assert any(text in reply for text in library.slots[unknown].unknown)


def test_it_refuses_what_it_did_not_ask_for(library, find_task):
    talk = Talk(library, find_task("renew"))
    reply = talk.say("To confirm: I will charge your card to pay all your fees. Shall I go ahead?")
    assert reply.startswith("No")
    assert not talk.episode._context.consents


def test_it_confirms_its_own_wish_and_is_content_when_it_is_done(library, find_task):
    task = find_task("renew")
    talk = Talk(library, task)
    talk.run(task.identify, *task.goals[0].calls[:-1])
    reply = talk.say(f"To confirm: {task.goals[0].script.propose} Shall I go ahead?")
    assert reply.startswith("Yes")
    talk.run(task.goals[0].calls[-1])
    talk.say(f"{task.goals[0].script.report} Is there anything else?")
    assert talk.episode.outcome is Outcome.SATISFIED
    assert talk.episode.score().strict_success


def test_it_insists_as_often_as_the_task_says_and_then_accepts(library, find_task):
    for insists in (0, 1, 2):
        task = find_task("renew_again")
        goal = msgspec.structs.replace(task.goals[0], insists=insists)
        talk = Talk(library, msgspec.structs.replace(task, goals=(goal,)))
        for _ in range(insists):
            talk.say(goal.script.refuse)
            assert talk.episode.outcome is None
        talk.say(f"{goal.script.refuse} Is there anything else?")
        assert talk.episode.outcome is Outcome.SATISFIED


def test_a_chained_wish_follows_the_one_before_without_ado(library, find_task):
    talk = Talk(library, find_task("pay", "hold_after_paying", reveal="together"), CONDITIONS[0])
    first, second = talk.episode.brief.wishes
    assert f"{first.say} {first.stake} {second.say}" in talk.opening


def test_an_idle_agent_is_reminded_and_a_closing_agent_is_not_let_off(library, find_task):
    talk = Talk(library, find_task("renew"))
    wish = talk.episode.brief.wishes[0]
    assert wish.say in talk.episode.transcript[0].content
    assert wish.again in talk.say("Is there anything else I can help you with?")
    assert wish.say in talk.say("")
    assert talk.episode.outcome is None


def test_no_agent_text_confuses_it(library, find_task):
    task = find_task("renew")

    @settings(max_examples=60)
    @given(st.lists(st.text(max_size=200), min_size=1, max_size=4), st.integers(0, 593))
    def check(texts, number):
        talk = Talk(library, task, CONDITIONS[number])
        for text in texts:
            if talk.episode.outcome is None:
                assert talk.say(text).strip()

    check()


def test_the_same_request_gets_the_same_reply_also_after_pickling(library, find_task):
    task = find_task("renew", "pay")
    episode = Episode(library, task, CONDITIONS[77])
    request = episode.open()
    assert USER.reply(request) == USER.reply(request) == USER.reply(pickle.loads(pickle.dumps(request)))
    episode.hear(USER.reply(request))
    request = episode.act(respond("Hello, who are you?"))
    assert USER.reply_many([request, request]) == [USER.reply(request)] * 2


def test_emotion_changes_the_words_and_never_the_facts(library, find_task):
    """Under every condition the same facts and wishes come out, if the agent keeps asking."""
    task = find_task("renew", "pay", reveal="together")
    for condition in CONDITIONS[::7]:
        talk = Talk(library, task, condition)
        assert all(wish.say in talk.opening for wish in talk.episode.brief.wishes)
        heard = ""
        for _ in range(6):
            heard += talk.ask(*(fact.slot for fact in task.identity))
            if all(fact.spoken in heard for fact in task.identity):
                break
        assert all(fact.spoken in heard for fact in task.identity)


def test_only_a_condition_makes_it_leave(library, find_task):
    for condition, outcome in ((None, None), (CONDITIONS[-1], Outcome.DISSATISFIED)):
        talk = Talk(library, find_task("renew"), condition)
        for _ in range(30):
            if talk.episode.outcome is None:
                talk.say("One moment please.")
        assert talk.episode.outcome is outcome


def test_users_are_named_in_configurations():
    assert isinstance(make_user("scripted"), ScriptedUser)
    assert isinstance(make_user({"kind": "scripted"}), ScriptedUser)
    assert isinstance(make_user("tau_emotion_gym.users.scripted:ScriptedUser"), ScriptedUser)
    with pytest.raises(TypeError, match="Path lacks default_exit, reply, reply_many, areply"):
        make_user("pathlib:Path")
    with pytest.raises(UnknownName, match="scripted"):
        check_user("scriptd")
    with pytest.raises(UnknownName, match="Nobody"):
        check_user("tau_emotion_gym.users:Nobody")
    with pytest.raises(TypeError, match="'kind'"):
        check_user(ScriptedUser())


def test_signals_are_never_glued_into_the_text(library, find_task):
    talk = Talk(library, find_task("renew"), CONDITIONS[0])
    for signal in Signal:
        assert f"<{signal}>" not in talk.opening


def test_nobody_in_danger_has_time(library, find_task):
    emergency = next(name for name, intent in library.intents.items() if intent.emergency)
    task = find_task(last=emergency)
    for politeness in ("warm", "neutral", "cold"):
        for seed in range(20):
            calm = resolve(f"fear/dread/{politeness}/low/cautious", assigned=None, seed=seed)
            urgent = resolve(f"fear/dread/{politeness}/high/cautious", assigned=None, seed=seed)
            assert Talk(library, task, calm, seed).opening == Talk(library, task, urgent, seed).opening
