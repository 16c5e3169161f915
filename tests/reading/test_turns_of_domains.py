"""Turns of phrase that need the words of one shipped domain."""

from functools import cache

import pytest

from tau_emotion_gym.episode.reading import Reader
from tau_emotion_gym.kit import load


@cache
def reader_of(domain: str) -> Reader:
    return Reader(*load(domain).phrases())


@pytest.mark.parametrize(
    "text",
    [
        "Would you like me to book a visit with Dr. Priya Ibarra on May 22, 2026 at 11:40 AM?",
        "Would you like me to book a visit with Mrs. Lee at 11:40 a.m.?",
        "Shall I book the visit at the clinic in St. Paul at 3 p.m. on Friday?",
        "Shall I book visit No. 5 with Ms. Lee or not?",
        "I can book a visit with Mr. Okoro at 11:40 a.m. Shall I go ahead?",
    ],
)
def test_an_abbreviation_ends_no_sentence(text: str) -> None:
    reading = reader_of("telehealth").read(text)
    assert (reading.confirms, reading.proposed, reading.asks) == (True, {"book_appointment"}, ())


def test_no_ends_a_sentence_but_before_a_figure() -> None:
    assert reader_of("telehealth").read("No. I can't book that.").refuses


@pytest.mark.parametrize(
    "text",
    [
        "I've escalated your ticket to urgent.",
        "I'm escalating your ticket.",
        "I'll escalate the ticket to a higher priority.",
        "Shall I escalate your ticket?",
    ],
)
def test_a_ticket_escalated_in_rank_is_no_hand_off(text: str) -> None:
    assert not reader_of("telecom").read(text).hands_off


@pytest.mark.parametrize("who", ["a person", "our technical team", "a specialist", "my supervisor", "a colleague"])
@pytest.mark.parametrize("what", ["I've escalated your ticket", "I'll escalate this", "I'm escalating your case"])
def test_escalating_to_people_hands_off(what: str, who: str) -> None:
    assert reader_of("telecom").read(f"{what} to {who}.").hands_off


@pytest.mark.parametrize(
    "text",
    [
        "Could you please provide the following details?\n\n- **Email address**\n- Date of birth",
        "Could you please provide the following details?\n- Email address\n- Date of birth",
        "Could you tell me these two things?\n1. Email address\n2. Date of birth\n\nYour full name is on file.",
    ],
)
def test_a_question_heads_a_list_as_a_colon_does(text: str) -> None:
    assert reader_of("telehealth").read(text).asks == ("email", "birth_date")


def test_a_question_heads_nothing_but_a_list() -> None:
    text = "Could you please help me with this?\n\nYour full name is on file.\n- Email address: a@b.org"
    assert reader_of("telehealth").read(text).asks == ()


@pytest.mark.parametrize("text", ["I wish I could, but no pass was booked.", "I wish I could add it, but it's booked."])
def test_a_wish_is_a_refusal_and_claims_nothing(text: str) -> None:
    reading = reader_of("telecom").read(text)
    assert (reading.refuses, reading.claims_done) == (True, False)


@pytest.mark.parametrize(
    ("domain", "text", "asks"),
    [
        ("telehealth", "What is your preferred pharmacy?", ("supplier",)),
        ("telehealth", "Please tell me your pharmacy.", ("supplier",)),
        ("telehealth", "What date works for you?", ("day",)),
        ("telehealth", "What day is best?", ("day",)),
        ("telehealth", "Could you please provide these?\n\n- Supplier\n- Preferred date", ("supplier", "day")),
        ("telehealth", "Could you give me your preferred pharmacy and preferred day?", ("supplier", "day")),
        ("airline", "Please tell me your flight and your passengers.", ("flight", "passengers")),
        ("airline", "What is the reservation number of your flight?", ("reservation_id",)),
        ("airline", "Could you tell me the date of your flight?", ("date",)),
        ("airline", "Shall I change your flight to May 3?", ()),
    ],
)
def test_details_by_their_everyday_names(domain: str, text: str, asks: tuple[str, ...]) -> None:
    assert reader_of(domain).read(text).asks == asks
