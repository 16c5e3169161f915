"""The voice: what every message keeps and never has, whatever the condition, act and seed."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_emotion_gym.emotions.affect import Affect, Event
from tau_emotion_gym.emotions.conditions import CONDITIONS
from tau_emotion_gym.emotions.taxonomy import LEAF_BY_NAME, LEAVES
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.users.voice import Act, Voice, voice

CORES = (
    "",
    "I'd like to swap the blue one for the green one.",
    "My email is ana@example.com. My name is Ana Ruiz.",
    "It's #R-204, from 3 March, for $42.50.",
)
STAKE = "My sister gets married on the 5th."
YES, NO = "Yes, go ahead.", "No, leave it as it is."

conditions = st.sampled_from((None, *CONDITIONS))
affects = st.none() | st.builds(Affect, satisfaction=st.floats(0, 1), patience=st.floats(0, 1))
circumstances = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**63 - 1),
        "turn": st.integers(0, 120),
        "affect": affects,
        "acknowledged": st.booleans(),
        "events": st.lists(st.sampled_from((*Event, "unheard_of")), max_size=3).map(tuple),
    }
)
thorough = settings(max_examples=150, deadline=None)


def rest(text: str, *said: str) -> str:
    """`text` without what the dialogue said."""
    for part in said:
        assert part in text
        text = text.replace(part, "", 1)
    return text


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


@thorough
@given(condition=conditions, act=st.sampled_from(Act), core=st.sampled_from(CORES), around=circumstances)
def test_core_and_stake_are_verbatim_and_nothing_is_invented(condition, act, core, around):
    text = voice(condition).speak(act, core, stake=STAKE if act is Act.OPENING else "", **around)
    added = rest(text, core, STAKE if act is Act.OPENING else "")
    assert text
    assert text == text.strip()
    assert "  " not in text
    assert "\n" not in text
    assert not re.search(r"[\d#@$€£<>*_\[\]{}|]", added)
    assert text.encode("utf-8").decode("utf-8") == text


@thorough
@given(condition=conditions, act=st.sampled_from(Act), core=st.sampled_from(CORES), around=circumstances)
def test_the_same_request_gets_the_same_text(condition, act, core, around):
    assert Voice(condition).speak(act, core, **around) == voice(condition).speak(act, core, **around)


@thorough
@given(condition=conditions, around=circumstances)
def test_a_yes_stays_a_yes(condition, around):
    text = voice(condition).speak(Act.CONFIRM_YES, YES, **around)
    assert text.startswith(YES)
    added = rest(text, YES)
    assert "?" not in added
    assert not words(added) & {"no", "not", "never", "nothing", "wait", "stop", "unless", "if", "but", "cancel"}
    assert "n't" not in added


@thorough
@given(condition=conditions, around=circumstances)
def test_a_no_stays_a_no(condition, around):
    text = voice(condition).speak(Act.CONFIRM_NO, NO, **around)
    assert text.startswith(NO)
    added = rest(text, NO)
    assert "?" not in added
    assert "go ahead" not in added.lower()
    assert not words(added) & {"yes", "yeah", "yep", "sure", "ok", "okay", "agreed", "proceed", "correct", "confirm"}


@thorough
@given(condition=conditions, act=st.sampled_from((Act.CONFIRM_YES, Act.CONFIRM_NO)), around=circumstances)
def test_confirmations_without_a_core_say_yes_or_no_first(condition, act, around):
    text = voice(condition).speak(act, "", **around)
    assert text.split()[0].strip(".,") == ("Yes" if act is Act.CONFIRM_YES else "No")


@thorough
@given(condition=conditions, around=circumstances)
def test_unknown_stays_unknown(condition, around):
    added = rest(voice(condition).speak(Act.UNKNOWN, "I don't know that.", **around), "I don't know that.")
    assert "?" not in added
    assert not re.search(r"\b(yes|sure|of course|i know|here it is)\b", added.lower())


@thorough
@given(condition=conditions, core=st.sampled_from(("", "That's everything, thanks.")), around=circumstances)
def test_a_satisfied_goodbye_leaves_nothing_open(condition, core, around):
    text = voice(condition).speak(Act.THANKS_BYE, core, **around)
    assert "?" not in text
    assert not words(text) & {"maybe", "perhaps", "wait", "unless", "urgent", "hurry"}


@thorough
@given(condition=conditions, core=st.sampled_from(("", "This leads nowhere.")), around=circumstances)
def test_an_angry_farewell_ends_the_conversation(condition, core, around):
    text = voice(condition).speak(Act.LEAVE_ANGRY, core, **around)
    assert re.search(r"goodbye|leaving|i'm gone|i'm out|finished|done with you", text.lower())


@thorough
@given(condition=conditions, around=circumstances)
def test_accepting_a_refusal_does_not_go_on_asking(condition, around):
    core = "All right, then leave it."
    added = rest(voice(condition).speak(Act.ACCEPT_REFUSAL, core, **around), core)
    assert "?" not in added
    assert not words(added) & {"please", "begging", "hurry", "now", "proof", "insist"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.name)
def test_every_response_of_the_atlas_has_sentences(leaf):
    speaker = voice(next(c for c in CONDITIONS if c.leaf == leaf.name))
    assert speaker.behaviours
    for name in speaker.behaviours:
        said = {speaker.behave(name, seed=1, turn=turn) for turn in range(8)}
        assert len(said) == 8


def test_responses_are_spelled_as_identifiers():
    spelled = frozenset().union(*(voice(c).behaviours for c in CONDITIONS))
    assert {"passive_aggressive", "dehumanise", "savour", "simmer", "scream", "seek_comfort"} <= spelled
    assert all(name.isidentifier() and name.islower() for name in spelled)
    assert len(spelled) == 25


def test_an_unknown_behaviour_names_the_nearest():
    with pytest.raises(UnknownName, match="'ruminate'"):
        voice(CONDITIONS[0]).behave("ruminat", seed=0, turn=0)


@given(condition=st.sampled_from(CONDITIONS), seed=st.integers(0, 2**40), satisfied=st.floats(0, 0.9))
def test_intensity_keeps_to_the_atlas_and_follows_satisfaction(condition, seed, satisfied):
    low, high = LEAF_BY_NAME[condition.leaf].intensity
    speaker = voice(condition)
    calm = speaker.intensity(seed, Affect(satisfied + 0.1, 0.5))
    upset = speaker.intensity(seed, Affect(satisfied, 0.5))
    assert low <= min(calm, upset) <= max(calm, upset) <= high
    assert calm >= upset if condition.family == "enjoyment" else calm <= upset


def test_neutral_is_plain_and_to_the_point():
    plain = voice(None)
    assert plain.behaviours == frozenset()
    assert plain.intensity(1) == 0
    for seed in range(200):
        text = plain.speak(Act.ANSWER, CORES[1], seed=seed, turn=2, acknowledged=True, events=("redundant_question",))
        assert len(rest(text, CORES[1])) < 20


def spoken(condition, act, core="", turns=range(60), **more):
    return [voice(condition).speak(act, core, seed=seed, turn=3, **more) for seed in turns]


@pytest.mark.parametrize("family", ["anger", "fear", "disgust", "sadness", "enjoyment"])
def test_a_redundant_question_is_remarked_on(family):
    condition = next(c for c in CONDITIONS if c.family == family)
    texts = spoken(condition, Act.ANSWER, CORES[2], events=("redundant_question",))
    assert sum(bool(re.search(r"already|before|once|earlier|scroll|read ", t.lower())) for t in texts) > 30


def test_acknowledgement_softens():
    condition = next(c for c in CONDITIONS if c.leaf == "anxiety")
    plain = " ".join(spoken(condition, Act.ANSWER, CORES[2]))
    eased = " ".join(spoken(condition, Act.ANSWER, CORES[2], acknowledged=True))
    assert plain.count("Thank you, that calms me") == 0
    assert eased.count("calms me") + eased.count("breathe a bit easier") + eased.count("worry away") > 10


def test_only_loud_leaves_shout_and_never_a_warm_customer():
    def shouts(condition):
        texts = spoken(condition, Act.ANSWER, "", turns=range(300), affect=Affect(0.0, 0.0))
        return sum(bool(re.search(r"\b[A-Z]{4,}\b.*[A-Z]{3,}", text)) for text in texts)

    by_path = {c.path: c for c in CONDITIONS}
    assert shouts(by_path["anger/frustration/cold/high/skeptical"]) > 0
    assert shouts(by_path["anger/frustration/warm/high/skeptical"]) == 0
    assert shouts(by_path["anger/annoyance/cold/high/skeptical"]) == 0


def test_openings_are_varied():
    core = "I'd like to swap it."
    texts = {voice(CONDITIONS[seed * 7 % 594]).speak(Act.OPENING, core, seed=seed, turn=0) for seed in range(1000)}
    assert len(texts) >= 500


def test_a_customer_does_not_repeat_itself():
    speaker = voice(next(c for c in CONDITIONS if c.leaf == "dread"))
    for seed in range(50):
        said = [speaker.behave("worry", seed=seed, turn=turn) for turn in range(8)]
        assert len(set(said)) == 8


@pytest.mark.parametrize("act", [Act.ANSWER, Act.CONFIRM_YES, Act.NEXT_WISH])
def test_a_bare_value_is_a_sentence_of_its_own(act):
    for text in spoken(CONDITIONS[300], act, "Yes. ana@example.com", acknowledged=True):
        assert re.search(r"ana@example\.com(\. |\.?$)", text)


def test_voices_are_shared():
    assert voice(CONDITIONS[17]) is voice(CONDITIONS[17])


def test_text_survives_utf_8_files(tmp_path: Path):
    text = voice(CONDITIONS[200]).behave("freeze", seed=0, turn=0)
    (tmp_path / "said.txt").write_text(text, encoding="utf-8")
    assert (tmp_path / "said.txt").read_text(encoding="utf-8") == text
