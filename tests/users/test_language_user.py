"""A language model as the customer: what is asked of it, and what happens when it does not answer well."""

import asyncio
import os
import pickle

import fake_model
import msgspec
import pytest

from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.episode import Episode, Signal, UserReply, respond
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.llm import ChatModel, Completion, ContextOverflow, ModelError, ModelRefused, Usage
from tau_emotion_gym.llm.models import make_model
from tau_emotion_gym.users import User, UserError, make_user
from tau_emotion_gym.users.language import LanguageUser
from tau_emotion_gym.users.replies import CONTENT, LEAVE

SAD = resolve("sadness/sorrow/warm/low/trusting", assigned=None, seed=0)
SERVER = {"kind": "openai", "model": "m", "base_url": "http://localhost:9/v1"}


def one(user, request):
    return user.reply(request)


def many(user, request):
    reply = user.reply_many([request])[0]
    if isinstance(reply, UserError):
        raise reply
    return reply


def awaited(user, request):
    return asyncio.run(user.areply(request))


@pytest.fixture(params=[one, many, awaited])
def ask(request):
    """Each way to ask a user, as `ask(user, request)`."""
    return request.param


@pytest.fixture
def says():
    """`says(answer, …)`: a user whose model gives these answers in turn, and the requests that it gets."""

    def make(*answers, **options):
        left = iter(answers)
        asked = []

        def answer(request):
            asked.append(request)
            return next(left)

        name = f"script {len(fake_model.SCRIPTS)}"
        fake_model.SCRIPTS[name] = answer
        user = LanguageUser({"kind": "fake_model:FakeModel", "script": name}, **options)
        fake_model.ASKED.clear()
        return user, asked

    return make


@pytest.fixture
def opening(library, find_task):
    """The request for an opening."""
    return Episode(library, find_task("renew"), SAD).open()


@pytest.fixture
def later(library, find_task):
    """`later(text)`: the request after this message of the agent."""

    def make(text="Hello, what can I do for you?", condition=SAD):
        episode = Episode(library, find_task("renew"), condition)
        episode.open()
        episode.hear(UserReply("Hi, it is about my book."))
        return episode.act(respond(text))

    return make


# --- what is answered -----------------------------------------------------------------------------------------


def test_words_signal_thought_and_tokens_arrive(says, later, ask):
    user, _ = says(Completion(f"<think>Fine.</think>Thanks. {CONTENT}", reasoning="Hm.", usage=Usage(1, 200, 9)))
    assert ask(user, later()) == UserReply("Thanks.", Signal.SATISFIED, "", "Hm.\nFine.", Usage(1, 200, 9))


@pytest.mark.parametrize(
    "wasted", ["", "  ", "<think>I should greet.</think>", "Agent: Hello!", "Thought: greet them."]
)
def test_a_reply_without_words_is_asked_for_once_more(says, later, opening, ask, wasted):
    for request in (opening, later()):
        user, asked = says(wasted, "Hello there.")
        reply = ask(user, request)
        assert reply.text == "Hello there."
        assert reply.usage == Usage(2, 200, 20)
        assert asked[0].messages == asked[1].messages
        assert asked[0].seed != asked[1].seed


def test_reasoning_alone_is_no_reply(says, later, ask):
    user, asked = says(Completion("", reasoning="I should answer."), Completion("", reasoning="Again."))
    with pytest.raises(UserError, match="twice"):
        ask(user, later())
    assert len(asked) == 2


def test_what_was_thought_in_vain_is_kept(says, later, ask):
    user, _ = says(Completion("", reasoning="First."), Completion("Yes.", reasoning="Second."))
    assert ask(user, later()).thought == "First.\nSecond."


def test_an_opening_of_a_token_alone_is_none(says, opening, ask):
    user, asked = says(CONTENT, LEAVE)
    with pytest.raises(UserError, match="twice"):
        ask(user, opening)
    assert len(asked) == 2


@pytest.mark.parametrize(("token", "signal"), [(CONTENT, Signal.SATISFIED), (LEAVE, Signal.DISSATISFIED)])
def test_a_token_alone_ends_a_conversation(says, later, ask, token, signal):
    user, asked = says(token)
    reply = ask(user, later("Your book is renewed. Goodbye!"))
    assert (reply.text, reply.signal, len(asked)) == ("", signal, 1)


@pytest.mark.parametrize("second", ["Yes, do it.", CONTENT])
def test_a_token_alone_is_no_answer_to_a_confirmation(says, later, ask, second):
    user, asked = says(CONTENT, second)
    reply = ask(user, later("I will renew your book. Shall I go ahead?"))
    assert len(asked) == 2
    assert reply.text == ("" if second == CONTENT else second)


def test_a_neutral_customer_that_only_leaves_is_asked_again(says, later, ask):
    user, _ = says(LEAVE, "Go on, please.")
    assert ask(user, later(condition=None)).text == "Go on, please."


@pytest.mark.parametrize("error", [ModelError("503"), ContextOverflow("too long"), ModelRefused("wrong key")])
@pytest.mark.parametrize("wasted", [0, 1])
def test_a_model_s_error_is_the_user_s_with_its_cause(says, later, ask, error, wasted):
    user, asked = says(*[""] * wasted, error)
    with pytest.raises(UserError, match=str(error)) as caught:
        ask(user, later())
    assert caught.value.__cause__ is error
    assert len(asked) == wasted + 1


def test_many_are_asked_in_one_call_and_again_in_one(says, later, opening):
    user, _ = says("One.", "", ModelError("503"), "", "", "Two.", ModelError("504"), "")
    replies = user.reply_many([opening, *[later()] * 4])
    assert [len(call) for call in fake_model.ASKED] == [5, 3]
    assert [reply.text if isinstance(reply, UserReply) else str(reply)[-3:] for reply in replies] == [
        "One.",
        "Two.",
        "503",
        "504",
        "ing",
    ]
    assert isinstance(replies[3].__cause__, ModelError)


def test_nobody_is_asked_nothing(says):
    user, _ = says()
    assert user.reply_many([]) == []
    assert fake_model.ASKED == []


def test_surrogates_reach_nobody(says, later, ask):
    user, _ = says(Completion("Yes \ud800.", reasoning="\ud800"))
    msgspec.json.encode(ask(user, later()))


# --- what is asked -----------------------------------------------------------------------------------------------


def test_seeds_follow_from_episode_and_turn(says, later, opening):
    user, asked = says(*["Hello."] * 4)
    for request in (opening, opening, later(), later("Another text.")):
        user.reply(request)
    seeds = [request.seed for request in asked]
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3]
    assert all(0 <= seed < 2**31 for seed in seeds)


@pytest.mark.parametrize(
    ("options", "note", "role"), [({}, True, "system"), ({"cue": False, "system_message": False}, False, "user")]
)
def test_options_reach_the_prompt(says, later, options, note, role):
    user, asked = says("Hello.", **options)
    user.reply(later())
    assert ("<private_note>" in asked[0].messages[-1]["content"]) is note
    assert asked[0].messages[0]["role"] == role
    assert not asked[0].tools


# --- how it is named ----------------------------------------------------------------------------------------------


def test_by_name_and_plain_values_alone():
    user = make_user({**SERVER, "temperature": 0.7, "cue": False, "default_exit": "either"})
    assert isinstance(user, User)
    assert user.default_exit == "either"
    described = user.describe()
    assert described["model"]["temperature"] == 0.7
    assert described["cue"] is False
    msgspec.json.encode(described)


def test_the_model_decides_when_to_leave_unless_told_otherwise():
    assert make_user(SERVER).default_exit == "model"


@pytest.mark.parametrize("option", [{"temprature": 1}, {"default_exit": "never"}, {"cues": True}])
def test_a_wrong_option_is_refused_with_the_right_ones(option):
    with pytest.raises(UnknownName, match=r"did you mean|valid"):
        make_user({**SERVER, **option})


def test_an_unknown_kind_of_model_is_refused():
    with pytest.raises(UnknownName):
        LanguageUser({"kind": "opnai", "model": "m"})


def test_it_pickles_and_holds_no_model(says, later):
    user, _ = says("One.", "Two.")
    assert user.reply(later()).text == "One."
    assert not any(isinstance(value, ChatModel) for value in vars(user).values())
    assert pickle.loads(pickle.dumps(user)).reply(later()).text == "Two."


def test_another_process_makes_its_own_model(monkeypatch):
    user = make_user(SERVER)
    here = make_model(user.model)
    assert make_model(user.model) is here
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert make_model(user.model) is not here
