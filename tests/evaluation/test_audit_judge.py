"""The judging model adds findings, and never fails an audit, whatever it answers."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planting import played

from tau_emotion_gym.evaluation.audit import Judge, Kind, audit
from tau_emotion_gym.evaluation.audit.judge import parse
from tau_emotion_gym.llm import Completion, ModelError, ModelRefused, Usage

GOOD = {"turn": 0, "kind": "contradiction", "quote": "the words", "why": "it said otherwise"}


class Fake:
    """A model that answers what it is told to."""

    def __init__(self, answer) -> None:
        self.answer = answer
        self.requests = []

    def complete(self, request):
        return self.complete_many([request])[0]

    def complete_many(self, requests):
        self.requests += requests
        if isinstance(self.answer, ModelError):
            return [self.answer] * len(requests)
        return [Completion(self.answer, usage=Usage(1, 100, 10))] * len(requests)

    async def acomplete(self, request):
        return self.complete(request)

    def describe(self):
        return {}


def fake(answer: str = "[]", error: str = "") -> Fake:
    """The model's specification names this."""
    errors = {"refused": ModelRefused("wrong key"), "failed": ModelError("no server")}
    return Fake(errors[error] if error else answer)


@pytest.fixture(scope="module")
def records():
    return [played("retail", f"test-{number:03}", "reference", number) for number in (3, 4)]


def judged(records, **options):
    judge = Judge({"kind": f"{__name__}:fake", **options})
    return audit(records, judge=judge), judge


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps([GOOD]),
        "Here is what I found:\n```json\n" + json.dumps([GOOD]) + "\n```",
        "<think>[1, 2]</think>" + json.dumps({"mistakes": [GOOD]}),
        json.dumps(GOOD),
        json.dumps([{**GOOD, "turn": "0", "kind": "Contradiction"}]),
        json.dumps(["x", 7, None, {"turn": 99}, {"turn": 0, "kind": "rude"}, {"kind": "leak", "turn": 1}, GOOD]),
    ],
)
def test_answers_are_read_tolerantly(records, answer):
    found, judge = judged(records, answer=answer)
    for episode in found.episodes:
        assert [(f.kind, f.turn, f.source) for f in episode.findings] == [(Kind.CONTRADICTION, 0, "judge")]
        assert episode.spoilt
    assert judge.usage == Usage(2, 200, 20)
    assert found.judge == "the judge read 2 of 2 conversations"


@pytest.mark.parametrize("answer", ["", "no mistakes", "[{", "{]", "nil", "<think>[]"])
def test_what_cannot_be_read_is_counted(records, answer):
    found, _ = judged(records, answer=answer)
    assert not any(episode.findings for episode in found.episodes)
    assert found.judge == "the judge read 0 of 2 conversations"


def test_what_no_number_and_no_text_is_fails_no_audit(records):
    answer = '[{"turn": 1e999, "kind": "leak"}, {"turn": 0, "kind": "leak", "quote": "\\ud83d", "why": null}]'
    found, _ = judged(records, answer=answer)
    assert [(f.kind, f.quote) for f in found.episodes[0].findings] == [(Kind.LEAK, "?")]
    assert "None" not in found.episodes[0].findings[0].why
    assert msgspec.json.encode(found)


def test_a_judge_that_cannot_answer_fails_nothing(records):
    found, _ = judged(records, error="failed")
    assert len(found.episodes) == 2
    assert found.judge == "the judge read 0 of 2 conversations"


def test_a_judge_that_refuses_is_not_asked_again(records):
    found, judge = judged(records, error="refused")
    assert found.judge == "the judge refused: wrong key"
    asked = len(judge._model.requests)
    assert judge.findings_many([]) == []
    assert len(judge._model.requests) == asked


def test_it_is_told_what_the_customer_knows_and_sees_both_sides(records):
    _, judge = judged(records, answer="[ ]")
    system, user = judge._model.requests[0].messages
    assert "JSON" in system["content"]
    record = records[0]
    assert f"0 CUSTOMER: {record.transcript[0].content}" in user["content"]
    assert " AGENT: " in user["content"]
    assert record.place.emotion.split("/")[1] in user["content"]


@given(st.text(max_size=300))
def test_nothing_escapes_the_parser(text):
    assert parse(text) is None or isinstance(parse(text), list)
