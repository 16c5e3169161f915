"""A person as the customer, on any pair of functions that show and ask."""

import asyncio

import msgspec
import pytest

from tau_emotion_gym.agents import NullAgent, play
from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.episode import Episode, Outcome, Signal, Turn
from tau_emotion_gym.users import User, UserError, make_user
from tau_emotion_gym.users.human import HumanUser


class Desk:
    """Lines to be typed, and what was shown."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []

    def ask(self, prompt: str) -> str:
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    @property
    def user(self) -> HumanUser:
        return HumanUser(self.shown.append, self.ask)


@pytest.fixture
def request_to_open(library, find_task):
    return Episode(library, find_task("hold_or_other"), resolve("anger", assigned=None, seed=1)).open()


@pytest.mark.parametrize(
    ("line", "text", "signal"),
    [
        ("Hello.", "Hello.", Signal.CONTINUE),
        ("  /done  Thanks!", "Thanks!", Signal.SATISFIED),
        ("/DONE", "", Signal.SATISFIED),
        ("/leave I am off.", "I am off.", Signal.DISSATISFIED),
        ("I am not /done yet", "I am not /done yet", Signal.CONTINUE),
        ("/donuts please", "/donuts please", Signal.CONTINUE),
    ],
)
def test_a_line_is_a_message_or_an_end(request_to_open, line, text, signal):
    reply = Desk(line).user.reply(request_to_open)
    assert (reply.text, reply.signal) == (text, signal)


def test_only_the_opening_needs_words(request_to_open):
    assert Desk("", "  ", "Hello.").user.reply(request_to_open).text == "Hello."
    later = msgspec.structs.replace(request_to_open, turn=1, transcript=(Turn("agent", "agent", "Hi."),))
    assert Desk("", "Hello.").user.reply(later).text == ""


def test_the_part_says_all_that_the_customer_needs(request_to_open):
    desk = Desk("Hello.")
    desk.user.reply(request_to_open)
    (shown,) = desk.shown
    brief = request_to_open.brief
    assert brief.condition.leaf in shown
    assert all(fact.spoken in shown for fact in (*brief.identity, *brief.wishes[0].facts))
    assert all(text in shown for text in (brief.wishes[0].say, brief.wishes[0].stake, brief.wishes[0].fallback))


def test_a_neutral_part_speaks_of_no_feeling(library, find_task):
    desk = Desk("Hello.")
    desk.user.reply(Episode(library, find_task("renew")).open())
    assert "feel" not in desk.shown[0]


def test_many_requests_are_asked_in_turn_and_the_end_of_input_is_an_error(request_to_open):
    first, second = Desk("Hello.").user.reply_many([request_to_open, request_to_open])
    assert first.text == "Hello."
    assert isinstance(second, UserError)


def test_asynchronously_it_is_the_same(request_to_open):
    assert asyncio.run(Desk("Hello.").user.areply(request_to_open)).text == "Hello."


def test_an_episode_sees_the_agents_messages_and_ends_when_the_person_goes(library, find_task):
    desk = Desk("Hello.", "Are you there?")
    user = desk.user
    episode = Episode(library, find_task("renew"), user_exit=user.default_exit)
    assert play(episode, user, NullAgent()).outcome is Outcome.INFRASTRUCTURE
    assert desk.shown[1:] == ["Agent: ", "Agent: "]


def test_it_is_a_user_that_a_configuration_can_name():
    assert isinstance(make_user("human"), HumanUser)
    assert isinstance(make_user("tau_emotion_gym.users.human:HumanUser"), User)
