"""Freezing, declining and hesitating: once at most, and never at the cost of what the agent needs."""

import pytest

from tau_emotion_gym.emotions.conditions import CONDITIONS
from tau_emotion_gym.episode import Episode, respond
from tau_emotion_gym.episode.consent import agrees
from tau_emotion_gym.users import ScriptedUser
from tau_emotion_gym.users.voice import voice

USER = ScriptedUser()
ASKING = "May I have your full name? And your ZIP code, please?"
PROUD, DESPERATE, NERVOUS, DISLIKING = (
    next(condition for condition in CONDITIONS if condition.leaf == leaf)
    for leaf in ("pride", "desperation", "nervousness", "dislike")
)


def replies(library, condition, seed, message, times=4):
    """What the customer of the first task answers when it hears the same message again and again."""
    task = next(iter(library.test_tasks.values()))
    episode = Episode(library, task, condition, seed=seed)
    episode.hear(USER.reply(episode.open()))
    return task, [episode.hear(USER.reply(episode.act(respond(message)))).content for _ in range(times)]


@pytest.mark.parametrize("condition", [DESPERATE, DISLIKING], ids=lambda condition: condition.leaf)
def test_a_personal_detail_is_withheld_for_a_while_and_then_given(library, condition):
    held_back = 0
    for seed in range(30):
        task, said = replies(library, condition, seed, ASKING)
        facts = [fact.value for fact in task.identity]
        held_back += not all(value in said[0] for value in facts)
        assert all(any(value in text for text in said) for value in facts)
        assert all(value in said[-1] for value in facts)
    assert 0 < held_back < 30


@pytest.mark.parametrize("condition", [None, PROUD], ids=["neutral", "pride"])
def test_others_answer_at_once(library, condition):
    for seed in range(30):
        task, said = replies(library, condition, seed, ASKING, times=1)
        assert all(fact.value in said[0] for fact in task.identity)


def test_a_nervous_customer_hesitates_once_before_its_yes(library):
    proposal = 'To confirm: I will renew your loan of "The Book of Bread". Shall I go ahead? (yes/no)'
    first = []
    for seed in range(30):
        _, said = replies(library, NERVOUS, seed, proposal, times=2)
        first.append(agrees(said[0]))
        assert agrees(said[1])
    assert 0 < sum(first) < 30


def test_a_frozen_customer_says_that_it_cannot_answer_now():
    for turn in range(8):
        text = voice(DESPERATE).behave("freeze", seed=1, turn=turn).lower()
        assert any(word in text for word in ("blank", "think", "frozen", "empty", "comes to mind", "stopped"))
