"""Dates, sums of money and other numbers in a user's message, each with its place in the text."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

_MONTHS = ("january february march april may june july august september october november december").split()  # noqa: SIM905
_MONTH_OF = {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
_MONTH = "(" + "|".join(f"{name}|{name[:3]}" if name != "september" else "september|sept|sep" for name in _MONTHS) + ")"

_ONES = (  # noqa: SIM905
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_SMALL = {word: number for number, word in enumerate(_ONES)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_BIG = {"hundred": 100, "thousand": 1000, "grand": 1000}

_FIRSTS = ("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth").split()  # noqa: SIM905
_FIRSTS += [word + "th" for word in _ONES[14:]]
_ORDINALS = {word: number for number, word in enumerate(_FIRSTS, 1)} | {"twentieth": 20, "thirtieth": 30}
_ORDINALS |= {
    f"{tens}-{_FIRSTS[one - 1]}": base + one for tens, base in (("twenty", 20), ("thirty", 30)) for one in range(1, 10)
}
_WORD_DAY = "(" + "|".join(sorted((w.replace("-", "[- ]") for w in _ORDINALS), key=len, reverse=True)) + ")"

_DAY = r"(\d{1,2})(st|nd|rd|th)?"
_YEAR = r"(?:(?:,|\sof)?\s*((?:19|20)\d\d)(?![\d-]))?"
_STOPS = r"(?=\s*(?:[.,;!?]|$|or\b|and\b|instead\b|please\b))"
_DATES = tuple(
    (name, re.compile(pattern, re.I | re.ASCII))
    for name, pattern in (
        ("ymd", r"(?<![\w-])((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"),
        ("any", r"(?<![\w$/.-])(\d{1,2})([/.-])(\d{1,2})\2((?:19|20)?\d\d)(?![\w/])"),
        ("md", rf"\b{_MONTH}\.?\s+(?:the\s+)?{_DAY}(?![\w:%]|[.,]\d){_YEAR}"),
        ("dm", rf"(?<![\w.,$:#-])(?:the\s+)?{_DAY}(?:\s+of)?[\s-]+{_MONTH}\b\.?-?{_YEAR}"),
        ("mw", rf"\b{_MONTH}\.?\s+(?:the\s+)?{_WORD_DAY}\b{_YEAR}"),
        ("wm", rf"\b(?:the\s+)?{_WORD_DAY}\s+of\s+{_MONTH}\b{_YEAR}"),
        ("short", r"(?<=\b(?:on|by)\s)(\d{1,2})/(\d{1,2})(?![\w/])"),
        ("day", rf"\b(?:on|by|until|till|before|after|from|for|to)\s+the\s+(?:{_DAY}|{_WORD_DAY}){_STOPS}"),
    )
)  # fmt: skip

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_WORDS = rf"(?:{'|'.join(sorted([*_SMALL, *_BIG], key=len, reverse=True))})"
_SPELT = rf"(?:(?:a|an)\s+(?:{'|'.join(_BIG)})|{_WORDS})(?:(?:\s+and\s+|[\s-]+){_WORDS})*"
_UNIT = r"(?:us\s+)?(?:dollars?|bucks?|usd|eur|euros?|gbp|pounds|quid)\b"
_MONEY = (
    re.compile(rf"(?:[$€£]|\b(?:usd|eur|gbp)\s)\s?({_NUMBER})(k\b)?(?!\d|\s?%)", re.I),
    re.compile(rf"(?<![\w.,$-])({_NUMBER})(k)?(?:\s|-)?{_UNIT}(?:(?:\s+and)?\s+(\d{{1,2}})\s+cents\b)?", re.I),
    re.compile(rf"\b({_SPELT})[\s-]+{_UNIT}(?:(?:\s+and)?\s+({_SPELT})\s+cents\b)?", re.I),
)
_DECIMAL = re.compile(r"(?<![\d.])\d[\d,]*\.\d\d(?!\d)")


class Day(NamedTuple):
    """A day in a text.

    Attributes:
        start, end: where it stands.
        readings: what it may mean, as (year or 0, month or 0, day); a day of the month alone has no month.
    """

    start: int
    end: int
    readings: tuple[tuple[int, int, int], ...]


class Sum(NamedTuple):
    """A sum of money in a text, with the place where it stands."""

    start: int
    end: int
    amount: Decimal


def days(text: str) -> Iterator[Day]:
    """The days that a text names, in whatever way people write them."""
    taken: list[tuple[int, int]] = []
    for name, pattern in _DATES:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < to and since < end for since, to in taken) or _is_verb(match, name):
                continue
            readings = tuple(reading for reading in _readings(name, match) if _exists(reading))
            if readings:
                taken.append((start, end))
                yield Day(start, end, readings)


def _is_verb(match: re.Match[str], name: str) -> bool:
    """Whether "may" or "march" is no month here: "I may 2 times …"."""
    return name == "md" and match[1] in ("may", "march") and not (match[3] or match[4])


def _readings(name: str, match: re.Match[str]) -> Iterator[tuple[int, int, int]]:
    groups = match.groups()
    if name == "ymd":
        yield int(groups[0]), int(groups[1]), int(groups[2])
    elif name == "any":
        year = int(groups[3]) if len(groups[3]) == 4 else 2000 + int(groups[3])
        yield year, int(groups[0]), int(groups[2])
        yield year, int(groups[2]), int(groups[0])
    elif name == "md":
        yield int(groups[3] or 0), _month(groups[0]), int(groups[1])
    elif name == "dm":
        yield int(groups[3] or 0), _month(groups[2]), int(groups[0])
    elif name == "mw":
        yield int(groups[2] or 0), _month(groups[0]), _ordinal(groups[1])
    elif name == "wm":
        yield int(groups[2] or 0), _month(groups[1]), _ordinal(groups[0])
    elif name == "short":
        yield 0, int(groups[0]), int(groups[1])
        yield 0, int(groups[1]), int(groups[0])
    elif groups[1] or groups[2]:
        yield 0, 0, int(groups[0]) if groups[0] else _ordinal(groups[2])


def _month(word: str) -> int:
    return _MONTH_OF[word[:3].lower()]


def _ordinal(word: str) -> int:
    return _ORDINALS["-".join(word.lower().split())]


def _exists(reading: tuple[int, int, int]) -> bool:
    year, month, day = reading
    try:
        date(year or 2024, month or 1, day)
    except ValueError:
        return False
    return True


def sums(text: str) -> Iterator[Sum]:
    """The sums of money that a text names, in digits or in words."""
    for pattern in _MONEY[:2]:
        for match in pattern.finditer(text):
            amount = Decimal(match[1].replace(",", "")) * (1000 if match[2] else 1)
            if pattern is _MONEY[1] and match[3]:
                amount += Decimal(match[3]) / 100
            yield Sum(match.start(), match.end(), amount)
    for match in _MONEY[2].finditer(text):
        cents = Decimal(_spelt(match[2])) / 100 if match[2] else Decimal(0)
        yield Sum(match.start(), match.end(), _spelt(match[1]) + cents)


def decimals(text: str) -> Iterator[Decimal]:
    """The bare numbers with two decimals, which are sums of money in all but their sign."""
    for match in _DECIMAL.finditer(text):
        try:
            yield Decimal(match[0].replace(",", ""))
        except InvalidOperation:
            continue


def _spelt(text: str) -> Decimal:
    """The number that words like "one hundred and twenty-five" say."""
    total = group = 0
    for word in re.split(r"[\s-]+", text.lower()):
        if word in ("a", "an"):
            group = 1
        elif word in _SMALL:
            group += _SMALL[word]
        elif word == "hundred":
            group = (group or 1) * 100
        elif word in _BIG:
            total, group = total + (group or 1) * _BIG[word], 0
    return Decimal(total + group)
