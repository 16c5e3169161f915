"""Amounts, dates, counts and lists as people write them."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.kit import capital, clock, counted, either_case, listed, long_date, short_date, usd, yours


@pytest.mark.parametrize(
    ("amount", "words"), [("5", "$5.00"), ("42.5", "$42.50"), ("1192", "$1,192.00"), ("1234567.89", "$1,234,567.89")]
)
def test_amounts_have_two_decimals_and_commas(amount: str, words: str) -> None:
    assert usd(Decimal(amount)) == words


@given(st.dates(date(1940, 1, 1), date(2040, 12, 31)))
def test_dates_are_those_of_the_calendar(day: date) -> None:
    assert short_date(day.isoformat()) == f"{day:%B} {day.day}"
    assert long_date(day.isoformat()) == f"{day:%B} {day.day}, {day.year}"


def test_a_date_may_have_a_time_behind_it() -> None:
    assert long_date("2026-05-14T15:00:00") == "May 14, 2026"


@pytest.mark.parametrize(
    ("words", "sentence"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists_are_joined_as_in_a_sentence(words: list[str], sentence: str) -> None:
    assert listed(words) == sentence


def test_counts_carry_their_noun() -> None:
    assert [counted(n, "bag") for n in (0, 1, 3)] == ["0 bags", "1 bag", "3 bags"]


def test_what_is_mine_is_yours_in_the_agents_mouth() -> None:
    assert yours("my gift card and, for the rest, my Visa") == "your gift card and, for the rest, your Visa"
    assert yours("the enemy of my army") == "the enemy of your army"


@pytest.mark.parametrize(
    ("time", "said"),
    [("00:05", "12:05 AM"), ("09:00", "9:00 AM"), ("12:20", "12:20 PM"), ("16:40", "4:40 PM"), ("08:00:30", "8:00 AM")],
)
def test_times_are_said_by_the_clock(time: str, said: str) -> None:
    assert clock(time) == said


def test_words_begin_a_sentence_with_a_capital() -> None:
    assert (capital("my Visa"), capital("")) == ("My Visa", "")
    assert either_case("bill", "my April bill") == {"bill": "my April bill", "Bill": "My April bill"}
