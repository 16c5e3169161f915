"""One message does not contradict itself, however its condition joins the levels."""

import re

import pytest

from tau_emotion_gym.emotions.conditions import CONDITIONS
from tau_emotion_gym.users.phrases import books, conflicts
from tau_emotion_gym.users.phrases.words import Words
from tau_emotion_gym.users.voice import Act, voice

WISHES = ("I want to pay my bill.", "Put me on the other plan from today.", "Take it off, please.")


def said(wanted, act, core, *, seeds=range(40), **more):
    """What every third condition that is `wanted` says in an act."""
    for condition in [c for c in CONDITIONS if wanted(c)][::3]:
        for seed in seeds:
            yield voice(condition).speak(act, core, seed=seed, turn=seed % 7, **more)


def holds(texts, phrases):
    return sum(any(phrase in text for phrase in phrases) for text in texts)


def test_nobody_has_time_who_fears_to_be_cut_off():
    words = books.levels().urgency["low"]
    texts = list(
        said(lambda c: c.urgency == "low", Act.OPENING, WISHES[0], stake="I am terrified that you will cut us off.")
    )
    assert not holds(texts, words.opening + words.beside)


def test_beside_a_deadline_the_patient_are_patient_with_the_agent():
    words = books.levels().urgency["low"]
    texts = list(said(lambda c: c.urgency == "low", Act.OPENING, WISHES[1]))
    assert holds(texts, words.beside) > len(texts) / 5
    assert not holds(texts, set(words.opening) - set(words.beside))


def test_who_trusts_and_accuses_trusts_all_the_same():
    words = books.levels().trust["trusting"]
    texts = list(
        said(
            lambda c: c.trust == "trusting" and c.politeness != "cold",
            Act.OPENING,
            WISHES[0],
            stake="Your store sent me away.",
        )
    )
    assert holds(texts, words.beside) > len(texts) / 5
    assert not holds(texts, words.opening)


def test_the_cold_trust_in_few_words_and_give_no_thanks():
    warm = set(books.levels().trust["trusting"].opening)
    cold = list(said(lambda c: c.trust == "trusting" and c.politeness == "cold", Act.OPENING, WISHES[2]))
    assert not holds(cold, warm)
    thanks = said(lambda c: c.politeness == "cold", Act.ANSWER, "It's 42.", acknowledged=True)
    assert not [text for text in thanks if re.search(r"\b(thank|bless|grateful)", text, re.IGNORECASE)]


@pytest.mark.parametrize("act", [Act.INSIST, Act.ANSWER, Act.WAIT, Act.CORRECT])
def test_a_complaint_and_trust_are_not_said_in_one_breath(act):
    words = books.levels().trust["trusting"]
    trust = {phrase for row in (words, words.cold) for phrase in row.answer + row.mid + row.insist + row.beside}
    complaints = {phrase for row in books.events().values() for phrase in row.sharp + row.soft}
    texts = list(said(lambda c: c.trust == "trusting", act, "It's 42.", events=("stalling",)))
    assert holds(texts, complaints) > 20
    assert not [text for text in texts if holds([text], complaints) and holds([text], trust)]


def test_insisting_is_not_thanking():
    texts = list(said(lambda c: c.politeness == "neutral", Act.INSIST, "But I really need this."))
    assert not [text for text in texts if "Thank you for your help" in text or "Thanks" in text]


def test_a_refusal_relieves_nobody():
    eased = {
        phrase for family in ("fear", "sadness") for row in books.leaf_words(family).values() for phrase in row.eased
    }
    events = ("acknowledgement", "refusal_with_reason")
    texts = said(lambda c: c.family in ("fear", "sadness"), Act.NEXT_WISH, WISHES[0], acknowledged=True, events=events)
    assert not holds(texts, eased)


def test_in_danger_nobody_makes_words():
    for condition in CONDITIONS[::5]:
        words = books.leaf_words(condition.family)[condition.leaf]
        text = voice(condition).speak(Act.OPENING, "Help me.", seed=1, turn=0, stake="I am alone.", danger=True)
        assert text.startswith("Help me. I am alone.")
        assert not holds([text], words.openings)


def test_courtesies_are_not_doubled():
    assert conflicts.repeats("Sorry about that.", "Sorry, my mind is blank.")
    assert not conflicts.repeats("Thanks.", "Sorry, my mind is blank.")


def test_thanks_for_a_kind_word_are_not_said_again():
    texts = said(lambda c: c.family == "fear" and c.politeness == "warm", Act.ANSWER, "It's 42.", acknowledged=True)
    assert not [text for text in texts if text.lower().count("thank") > 1 and text.startswith("Thank you")]


def test_who_shouts_is_in_no_mood_to_wait():
    assert conflicts.fitting("urgency", "low", "ENOUGH! It's 42.", soured=True) == ""
    assert conflicts.fitting("urgency", "moderate", "ENOUGH! It's 42.", soured=True) == ""
    assert conflicts.fitting("urgency", "high", "ENOUGH! It's 42.", soured=True) == "urgency"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Right AWAY, please.", True),
        ("It's brightnow.", False),
        ("bright now and right now", True),
        ("We ran out.", True),
        ("_ran out", False),
        ("", False),
    ],
)
def test_words_are_found_where_a_word_begins(text, found):
    assert Words("right (now|away),\n (run|ran) out").within(text) is found
