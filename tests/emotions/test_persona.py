import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.emotions import CONDITIONS, POLITENESS, TRUST, URGENCY, EmotionCondition, persona

LABELS = {
    "anger": "anger|angr(y|ily)",
    "fear": "fear\\w*|afraid|scared",
    "disgust": "disgust\\w*",
    "sadness": "sad\\w*",
    "enjoyment": "enjoy\\w*",
    "annoyance": "annoy\\w*",
    "frustration": "frustrat\\w*",
    "argumentativeness": "argu\\w*",
    "bitterness": "bitter\\w*",
    "exasperation": "exasperat\\w*",
    "anxiety": "anxi\\w*",
    "nervousness": "nervous\\w*",
    "dread": "dread\\w*",
    "desperation": "despera\\w*",
    "dislike": "dislik\\w*",
    "aversion": "avers\\w*",
    "distaste": "distaste\\w*",
    "repugnance": "repugn\\w*",
    "disappointment": "disappoint\\w*",
    "discouragement": "discourag\\w*",
    "helplessness": "helpless\\w*",
    "hopelessness": "hopeless\\w*",
    "sorrow": "sorrow\\w*",
    "relief": "relie[fv]\\w*",
    "pride": "pride\\w*|proud\\w*",
    "peace": "peace\\w*",
    "excitement": "excit\\w*",
} | {level: level for level in (*POLITENESS, *URGENCY, *TRUST)}
OTHER_STATES = (
    "vengeful|revenge|fury|furious|trepidation|panic|horror|terror|revuls|abhor|loath|resign|distraught|"
    "miser|grie[fv]|despair|anguish|rejoic|amus|joy|schadenfreude|gloat|wonder|ecsta"
)
SEEDS = range(24)


def labels(text: str) -> set[str]:
    return {label for label, stem in LABELS.items() if re.search(rf"\b({stem})\b", text.lower())}


def test_every_persona_matches_all_its_labels_and_no_other() -> None:
    for condition in CONDITIONS:
        own = set(condition.path.split("/"))
        for seed in SEEDS:
            text = persona(condition, seed + 1000 * condition.index)
            assert labels(text) == own, f"{condition} seed {seed}: {text}"


def test_no_persona_names_a_state_that_is_not_kept() -> None:
    for condition in CONDITIONS[::5]:
        for seed in SEEDS:
            assert not re.search(rf"\b({OTHER_STATES})", persona(condition, seed).lower())


def test_every_condition_has_at_least_ten_wordings() -> None:
    for condition in CONDITIONS:
        assert len({persona(condition, seed) for seed in SEEDS}) >= 10


@given(st.sampled_from(CONDITIONS), st.integers(0, 2**64), st.text(max_size=60))
def test_a_persona_is_repeatable_and_speaks_to_the_reader(condition: EmotionCondition, seed: int, stake: str) -> None:
    text = persona(condition, seed, stake)
    assert text == persona(condition, seed, stake)
    assert stake.strip() in text
    assert "you" in text.lower().split()
    assert "{stake}" not in text or "{stake}" in stake
    assert "{leaf}" not in text.replace(stake, "")


def test_a_persona_keeps_facts_and_objective_fixed() -> None:
    for condition in (None, *CONDITIONS[::9]):
        text = persona(condition, 3)
        assert re.search(r"fact|number", text)
        assert re.search(r"objective|request|came for", text)


def test_a_stake_is_given_as_it_is() -> None:
    text = persona(CONDITIONS[0], 1, "It is {her} birthday 100 %.")
    assert "It is {her} birthday 100 %." in text
    assert len(text.splitlines()) == len(persona(CONDITIONS[0], 1).splitlines()) + 1


def test_two_leaves_of_one_family_do_not_share_their_words() -> None:
    one = persona(EmotionCondition("fear", "dread", "warm", "low", "cautious"), 5)
    other = persona(EmotionCondition("fear", "anxiety", "warm", "low", "cautious"), 5)
    assert len(set(one.splitlines()) & set(other.splitlines())) == len(one.splitlines()) - 3


@pytest.mark.parametrize("seed", range(6))
def test_the_neutral_persona_names_no_emotion(seed: int) -> None:
    assert labels(persona(None, seed)) == set()
    assert persona(None, seed, "The box is broken.").count("The box is broken.") == 1
