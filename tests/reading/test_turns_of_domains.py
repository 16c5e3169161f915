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
