"""What a user of one's own may answer, and what is said when it answers something else."""

import gymnasium as gym
import pytest

import tau_emotion_gym
from tau_emotion_gym.episode import Signal, UserReply
from tau_emotion_gym.users import ScriptedUser


class Odd(ScriptedUser):
    """The scripted user, but for one answer: the opening, or another turn."""

    answer: object = None
    turn = 0

    def reply(self, request):
        return type(self).answer if request.turn == type(self).turn else super().reply(request)


class Short(ScriptedUser):
    """Forgets the last request."""

    def reply_many(self, requests):
        return super().reply_many(requests[:-1])


class Mute(ScriptedUser):
    """Gives no list."""

    def reply_many(self, requests):
        return None


ODD = [
    ("Hello.", TypeError, "answered with 'Hello.', not with UserReply"),
    (None, TypeError, "answered with None"),
    (UserReply("Hi.", "banana"), ValueError, "unknown signal 'banana'; valid: 'continue', 'satisfied', 'dissatisfied'"),
    (UserReply("Hi.", None), TypeError, "the signal of a reply is a string, not None"),
    (UserReply(7), TypeError, "the text of a reply is a string, not 7"),
    (UserReply("Hi.", Signal.CONTINUE, {}), TypeError, "the memory of a reply is a string, not {}"),
]
EMPTY = [(UserReply(text), ValueError, "the opening is empty") for text in ("", " \n")]


def named(answer, turn: int, monkeypatch) -> str:
    monkeypatch.setattr(Odd, "answer", answer)
    monkeypatch.setattr(Odd, "turn", turn)
    return f"{__name__}:Odd"


@pytest.mark.parametrize(("answer", "error", "words"), ODD + EMPTY)
def test_an_odd_opening_names_the_user(monkeypatch, answer, error, words):
    user = named(answer, 0, monkeypatch)
    with pytest.raises(error) as single:
        gym.make("TauEmotion-Retail-v0", user=user).reset(seed=1)
    with pytest.raises(error) as many:
        gym.make_vec("TauEmotion-Retail-v0", num_envs=2, user=user).reset(seed=1)
    assert str(single.value) == str(many.value)
    assert str(single.value).startswith(f"user {user}")
    assert words in str(single.value)


@pytest.mark.parametrize(("answer", "error", "words"), ODD)
def test_an_odd_answer_later_too(monkeypatch, answer, error, words):
    env = gym.make("TauEmotion-Retail-v0", user=named(answer, 1, monkeypatch))
    env.reset(seed=1)
    with pytest.raises(error) as raised:
        env.step(tau_emotion_gym.respond("What is your email address?"))
    assert words in str(raised.value)


def test_words_are_needed_in_the_opening_alone(monkeypatch):
    env = gym.make("TauEmotion-Retail-v0", user=named(UserReply(""), 1, monkeypatch))
    env.reset(seed=1)
    observation, *_ = env.step(tau_emotion_gym.respond("What is your email address?"))
    assert observation["content"] == ""


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [(Short, ValueError, "gave 1 answers to 2 requests"), (Mute, TypeError, "gives a list of answers, not None")],
)
def test_one_answer_to_each_request(kind, error, words):
    envs = gym.make_vec("TauEmotion-Retail-v0", num_envs=2, user=f"{__name__}:{kind.__name__}")
    with pytest.raises(error, match=words):
        envs.reset(seed=1)


def test_signals_may_be_plain_strings(monkeypatch):
    env = gym.make("TauEmotion-Retail-v0", user=named(UserReply("Hi.", "continue"), 0, monkeypatch))
    observation, _ = env.reset(seed=1)
    assert observation["content"] == "Hi."
