"""Loading a domain's sentences, with errors that say what is wrong where."""

import json
from pathlib import Path
from typing import Any

import pytest

from tau_emotion_gym.errors import DataError, UnknownName
from tau_emotion_gym.kit import Goal, Kind, Situation, Wishes, read_slots
from tau_emotion_gym.kit.intent import FAMILIES

PHRASINGS = [f"I want it, way {number}." for number in range(6)]
STAKES = {family: [f"It is {family}."] for family in FAMILIES}


def wait(s: Situation) -> Goal | None:
    return None


def folder(tmp_path: Path, wording: dict[str, Any], stories: Any = None) -> Path:
    (tmp_path / "intents.json").write_text(json.dumps({"wait": wording}), encoding="utf-8")
    if stories is not None:
        (tmp_path / "stakes.json").write_text(json.dumps(stories), encoding="utf-8")
    return tmp_path


def test_an_intent_has_the_sentences_under_its_name(tmp_path: Path) -> None:
    wish = Wishes(folder(tmp_path, {"phrasings": PHRASINGS, "stakes": STAKES, "insist": ["Please."]}))
    intent = wish(Kind.DENY, weight=3)(wait)
    assert (intent.name, intent.kind, intent.weight) == ("wait", Kind.DENY, 3)
    assert intent.phrasings == tuple(PHRASINGS)
    assert intent.stakes["fear"] == ("It is fear.",)
    assert intent.insist == ("Please.",)


def test_a_story_lends_its_stakes(tmp_path: Path) -> None:
    wish = Wishes(folder(tmp_path, {"phrasings": PHRASINGS, "story": "long queue"}, {"long queue": STAKES}))
    assert wish(Kind.INFORM)(wait).stakes["anger"] == ("It is anger.",)


def test_an_unknown_story_is_named_with_the_valid_ones(tmp_path: Path) -> None:
    wish = Wishes(folder(tmp_path, {"phrasings": PHRASINGS, "story": "long cue"}, {"long queue": STAKES}))
    with pytest.raises(UnknownName, match="long queue"):
        wish(Kind.INFORM)(wait)


def test_a_sampler_without_sentences_is_named(tmp_path: Path) -> None:
    wish = Wishes(folder(tmp_path, {"phrasings": PHRASINGS, "stakes": STAKES}))
    with pytest.raises(UnknownName, match="'hurry'"):
        wish(Kind.INFORM)(type("Sampler", (), {"__name__": "hurry"})())


def test_damaged_sentences_are_refused_with_file_and_place(tmp_path: Path) -> None:
    wish = Wishes(folder(tmp_path, {"phrasings": PHRASINGS, "moods": STAKES}))
    with pytest.raises(DataError, match=r"intents\.json.*moods"):
        wish(Kind.INFORM)(wait)


def test_missing_slots_are_refused_with_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"slots\.json"):
        read_slots(tmp_path)


@pytest.mark.parametrize("give", ["It is {vlaue}.", "It is {value} {}.", "It is {value", "I will not say."])
def test_what_is_given_has_one_placeholder(tmp_path: Path, give: str) -> None:
    parts = {"name": "code", "label": "code", "names": ["code"], "ask": ["Which?"], "unknown": ["No idea."]}
    (tmp_path / "slots.json").write_text(json.dumps([parts | {"give": ["{value}"]}]), encoding="utf-8")
    assert [slot.name for slot in read_slots(tmp_path)] == ["code"]
    (tmp_path / "slots.json").write_text(json.dumps([parts | {"give": ["{value}", give]}]), encoding="utf-8")
    with pytest.raises(DataError, match=r"slots\.json.*\$\[0\]"):
        read_slots(tmp_path)
