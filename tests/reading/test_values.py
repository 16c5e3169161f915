"""Typed values in messages: every way of writing one comes back as the same canonical string."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.episode.values import find, normal
from tau_emotion_gym.errors import UnknownName

MONTHS = [date(2026, month, 1).strftime("%B") for month in range(1, 13)]
WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
]
NOW = 2026

dollars = st.integers(0, 9_999_999)
cents = st.integers(0, 99)
dates = st.dates(date(1900, 1, 1), date(2099, 12, 31))
frames = st.sampled_from(
    ("{}", "It is {}.", "**{}**", "(that's {})", "- Total: {}", "first {}, then more", "Is it {}?", "`{}`", "{}!")
)


def ordinal(day: int) -> str:
    suffix = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{suffix}"


def money_styles(whole: int, part: int) -> list[str]:
    plain, grouped = f"{whole}.{part:02}", f"{whole:,}.{part:02}"
    styles = [f"${plain}", f"${grouped}", f"$ {grouped}", f"US${plain}", f"USD {grouped}", f"{grouped} USD"]
    styles += [f"{plain} dollars", f"{grouped} US dollars", f"\u20ac{grouped}", f"\u2212${plain}", f"-${grouped}"]
    if part == 0:
        styles += [f"${whole}", f"{whole:,} dollars", f"USD {whole}"]
    elif part % 10 == 0:
        styles += [f"${whole}.{part // 10}", f"{whole}.{part // 10} dollars"]
    if whole == 0 and part:
        styles.append(f"{part} cents")
    if whole > 1:
        styles.append(f"{whole} dollars and {part} cents")
    return styles


def date_styles(day: date) -> list[str]:
    month = MONTHS[day.month - 1]
    styles = [
        day.isoformat(),
        f"{day:%Y/%m/%d}",
        f"{day:%m/%d/%Y}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day.day} {month} {day.year}",
        f"{day.day} {month}, {day.year}",
        f"{ordinal(day.day)} {month} {day.year}",
        f"the {ordinal(day.day)} of {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month} {ordinal(day.day)}, {day.year}",
        f"{month} {day.day} {day.year}",
        f"{month[:3]} {day.day}, {day.year}",
        f"{month[:3]}. {day.day}, {day.year}",
        f"{day.day}-{month[:3]}-{day.year}",
        f"{month.upper()} {day.day}, {day.year}",
        f"{day.isoformat()}T10:30:00",
    ]
    if day.year == NOW:
        styles += [f"{month} {day.day}", f"{ordinal(day.day)} of {month}", f"{day.day} {month}"]
        styles += [f"{day.month}/{day.day}", f"{month} the {ordinal(day.day)}"]
    return styles


@given(dollars, cents, frames, st.data())
def test_money_round_trip(whole: int, part: int, frame: str, data: st.DataObject) -> None:
    style = data.draw(st.sampled_from(money_styles(whole, part)))
    expected = f"{whole}.{part:02}"
    assert find(frame.format(style), "money") == [expected]
    assert normal("money", expected) == normal("money", style) == expected


@given(dates, frames, st.data())
def test_date_round_trip(day: date, frame: str, data: st.DataObject) -> None:
    style = data.draw(st.sampled_from(date_styles(day)))
    assert find(frame.format(style), "date", year=NOW) == [day.isoformat()]


@given(st.integers(1, 12), st.integers(1, 28))
def test_date_without_year_takes_the_year_given(month: int, day: int) -> None:
    expected = date(NOW, month, day).isoformat()
    for style in (f"{MONTHS[month - 1]} {day}", f"{day} {MONTHS[month - 1]}", f"{month}/{day}"):
        assert find(f"It ends on {style}.", "date", year=NOW) == [expected]
        assert find(f"It ends on {style}.", "date") == []


@given(st.integers(0, 9999), st.sampled_from(("bag", "box", "delivery", "free night")), frames, st.data())
def test_count_round_trip(number: int, noun: str, frame: str, data: st.DataObject) -> None:
    many = {"box": "boxes", "delivery": "deliveries"}.get(noun, noun + "s")
    styles = [f"{number} {many}", f"{number:,} {many}", f"{number} checked {many}", f"{many}: {number}"]
    styles += [f"{number} of your {many}", f"number of {many} is {number}"]
    if number < len(WORDS):
        styles += [f"{WORDS[number]} {many}", f"{WORDS[number].title()} more {many}"]
    if number == 1:
        styles += [f"one {noun}", f"a single {noun}", f"1 {noun}"]
    if number == 0:
        styles.append(f"no {many}")
    style = data.draw(st.sampled_from(styles))
    assert find(frame.format(style), "count", nouns=(noun,)) == [str(number)]
    assert normal("count", str(number)) == str(number)


@given(st.from_regex(r"[A-Z]{1,3}[0-9]{2,6}[A-Z]?", fullmatch=True), frames)
def test_id_round_trip(code: str, frame: str) -> None:
    for style in (code, code.lower(), "#" + code):
        assert find(frame.format(style), "id") == [code]
        assert normal("id", style) == code
    assert find(frame.format(code + "X9"), "id") == [code + "X9"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("30% off, 12:30, 5 bags, 1,299 points, order 42", []),
        ("between $10 and $20", ["10.00", "20.00"]),
        ("$12.345 is no price", []),
        ("$1,299.", ["1299.00"]),
        ("about $5k", []),
        ("$5 and 20 cents", ["5.00", "0.20"]),
        ("It costs $5, which is fine", ["5.00"]),
        ("$0.00", ["0.00"]),
    ],
)
def test_money(text: str, found: list[str]) -> None:
    assert find(text, "money") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("24/7 support", []),
        ("30 February", []),
        ("13/13/2026", []),
        ("March 2026", []),
        ("May 20 (5\u20139 AM)", [f"{NOW}-05-20"]),
        ("from 2024-05-26 to May 30, 2024", ["2024-05-26", "2024-05-30"]),
        ("card 2024-05-26-11", ["2024-05-26"]),
        ("3/5/26", ["2026-03-05"]),
    ],
)
def test_dates(text: str, found: list[str]) -> None:
    assert find(text, "date", year=NOW) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$3 bags", []),
        ("3% bags", []),
        ("2 passengers and bags", []),
        ("2 passengers with bags", []),
        ("bagshot 3", []),
        ("Bags: 2 total", ["2"]),
        ("twenty-one bags", ["21"]),
        ("2.50 bags", ["2.5"]),
        ("3 bags and 2 checked bags", ["3", "2"]),
    ],
)
def test_counts(text: str, found: list[str]) -> None:
    assert find(text, "count", nouns=("bag",)) == found


def test_ids_are_whole_tokens() -> None:
    assert find("#W12 is not #W123, nor AW12", "id") == ["W12", "W123", "AW12"]
    assert "W12" not in find("W12-B", "id")
    assert find("LVNBYN, please, on 2026-03-05 for $42", "id") == ["LVNBYN"]


def test_choices_prefer_the_longest_and_need_whole_words() -> None:
    options = ("card", "gift card", "original payment method")
    assert find("A **gift  card** or the Original Payment\nMethod", "choice", options=options) == [
        "gift card",
        "original payment method",
    ]
    assert find("cardboard", "choice", options=options) == []
    assert normal("choice", "Gift  Card") == "gift card"


def test_nothing_to_look_for_finds_nothing() -> None:
    assert find("3 bags", "count") == []
    assert find("gift card", "choice") == []


@pytest.mark.parametrize("kind", ["money", "date", "count"])
def test_what_is_no_value_is_refused(kind: str) -> None:
    for value in ("", "soon", "$", "12:30"):
        with pytest.raises(ValueError, match="not a"):
            normal(kind, value)


def test_unknown_kind_names_the_valid_ones() -> None:
    with pytest.raises(UnknownName, match="money"):
        find("x", "moneyy")
    with pytest.raises(UnknownName, match="date"):
        normal("data", "x")


@given(st.text(max_size=200) | st.text(alphabet="0123456789.,$#/-: marchfivebg%", max_size=200))
def test_any_text_is_legal_and_values_are_canonical(text: str) -> None:
    for kind in ("money", "date", "count", "id", "choice"):
        for value in find(text, kind, nouns=("bag",), options=("five",), year=NOW):
            assert normal(kind, value) == value


@pytest.mark.parametrize("piece", ["1", "1,111", "$1.1", "march ", "three ", "a-", "#", "5 mar", "1/", "five five "])
def test_long_texts_take_linear_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    start = time.perf_counter()
    for kind in ("money", "date", "count", "id", "choice"):
        find(text, kind, nouns=("bag", "five five five"), options=("five", "five five five"), year=NOW)
    assert time.perf_counter() - start < 5
