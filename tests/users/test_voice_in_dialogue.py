"""The voice beside the rest of the house: consent, facts, and a classifier that reads it."""

import importlib.util
import sys
from pathlib import Path

import pytest

from tau_emotion_gym.emotions.affect import Affect, Event
from tau_emotion_gym.emotions.conditions import CONDITIONS
from tau_emotion_gym.episode.consent import agrees
from tau_emotion_gym.users.voice import Act, voice

CORES = {
    Act.CONFIRM_YES: "Yes, go ahead.",
    Act.CONFIRM_NO: "No, I didn't ask for that.",
    Act.CORRECT: "No, one thing is off. I want the green one.",
    Act.UNKNOWN: "I don't know that.",
    Act.ANSWER: "My email is ana@example.com.",
}


def everything_said(act, seeds):
    core = CORES.get(act, "")
    for at, condition in enumerate((None, *CONDITIONS)):
        for seed in seeds:
            yield voice(condition).speak(
                act,
                core,
                seed=seed * 1009 + at,
                turn=seed + at % 9,
                affect=Affect(0.4, 0.4),
                acknowledged=(seed + at) % 3 == 0,
                events=(list(Event)[(seed + at) % len(Event)],),
            )


@pytest.mark.parametrize("act", Act)
def test_only_a_yes_is_read_as_consent(act):
    for text in everything_said(act, range(3)):
        assert agrees(text) == (act is Act.CONFIRM_YES), text


def test_no_behaviour_is_read_as_consent():
    for condition in CONDITIONS[::27]:
        speaker = voice(condition)
        for name in speaker.behaviours:
            for turn in range(8):
                assert not agrees(speaker.behave(name, seed=5, turn=turn))


def test_a_plain_classifier_recovers_every_label(monkeypatch):
    path = Path(__file__).parents[2] / "benchmarks" / "manipulation.py"
    spec = importlib.util.spec_from_file_location("manipulation", path)
    manipulation = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "manipulation", manipulation)
    spec.loader.exec_module(manipulation)
    samples = manipulation.collect(manipulation.Invented(90), rounds=2)
    figures, _ = manipulation.recover(samples)
    assert [figure.name for figure in figures] == list(manipulation.GOALS)
    for figure in figures:
        assert figure.accuracy >= figure.goal, figure
    assert manipulation.distinct_openings(samples) >= 500
