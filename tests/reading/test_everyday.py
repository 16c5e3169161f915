"""Everyday turns of phrase, by kind: what many agents say and no annotated message happens to hold."""

import json

import pytest
from agreement import HERE, readers

from tau_emotion_gym.episode.reading import Reader

RETAIL = readers()["retail"]
AIRLINE = readers()["airline"]
EVERYDAY: dict[str, list[str]] = json.loads((HERE / "everyday.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", EVERYDAY["promises"])
def test_promises(text: str) -> None:
    assert RETAIL.read(text).promises


@pytest.mark.parametrize("text", EVERYDAY["no_promises"])
def test_no_promises(text: str) -> None:
    assert not RETAIL.read(text).promises


def test_a_promise_that_tells_something_is_no_stalling() -> None:
    told = RETAIL.read("Your order has been cancelled. Let me look up the new balance.")
    assert (told.promises, told.stalls, told.claims_done) == (True, False, True)
    bare = RETAIL.read("Let me look up the new balance.")
    assert (bare.promises, bare.stalls) == (True, True)


@pytest.mark.parametrize("text", EVERYDAY["claims"])
def test_claims(text: str) -> None:
    reading = RETAIL.read(text)
    assert reading.claims_done
    assert (reading.confirms, reading.refuses, reading.asks) == (False, False, ())


@pytest.mark.parametrize("text", EVERYDAY["no_claims"])
def test_no_claims(text: str) -> None:
    assert not RETAIL.read(text).claims_done


def test_a_state_is_a_deed_but_in_a_proposal() -> None:
    report = RETAIL.read("The lamp is exchanged.")
    assert (report.claims, report.proposed, report.informs) == ({"exchange_items"}, frozenset(), True)
    proposal = RETAIL.read("To confirm: the lamp is exchanged for the blue one. Shall I go ahead?")
    assert (proposal.claims, proposal.proposed) == (frozenset(), {"exchange_items"})


@pytest.mark.parametrize("text", EVERYDAY["refusals_with_reason"])
def test_refusals_with_reason(text: str) -> None:
    reading = RETAIL.read(text)
    assert (reading.refuses, reading.reason, reading.claims_done, reading.confirms) == (True, True, False, False)


@pytest.mark.parametrize("text", EVERYDAY["refusals"])
def test_refusals(text: str) -> None:
    reading = RETAIL.read(text)
    assert (reading.refuses, reading.claims_done, reading.confirms) == (True, False, False)


@pytest.mark.parametrize("text", EVERYDAY["no_refusals"])
def test_no_refusals(text: str) -> None:
    assert not RETAIL.read(text).refuses


@pytest.mark.parametrize("text", EVERYDAY["proposals"])
def test_proposals(text: str) -> None:
    reading = RETAIL.read(text)
    assert reading.confirms
    assert len(reading.proposed) == 1
    assert (reading.claims_done, reading.promises) == (False, False)


@pytest.mark.parametrize("text", EVERYDAY["identity"])
def test_identity_is_asked_for_and_no_action_confirmed(text: str) -> None:
    reading = RETAIL.read(text)
    assert reading.asks or reading.open_question
    assert not reading.confirms


@pytest.mark.parametrize("reader", [RETAIL, AIRLINE], ids=["retail", "airline"])
@pytest.mark.parametrize("text", EVERYDAY["refund"])
def test_refund_method(reader: Reader, text: str) -> None:
    reading = reader.read(text)
    assert reading.asks == ("refund_method",)
    assert not reading.confirms


@pytest.mark.parametrize("text", EVERYDAY["dismissive"])
def test_dismissive(text: str) -> None:
    assert RETAIL.read(text).dismissive


@pytest.mark.parametrize("text", EVERYDAY["civil"])
def test_civil(text: str) -> None:
    assert not RETAIL.read(text).dismissive
