"""What a customer may say because it was told: identifiers, days and sums, and what of a message is none of them."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from tau_emotion_gym.evaluation.audit.numbers import Day, days, decimals, sums
from tau_emotion_gym.kit import Domain

SHORTEST_PART = 4
"""So many characters of a known identifier are enough to mean it ("the card ending in 4410")."""

SHORTEST_CODE = 6
"""So many capitals and digits mixed are a code ("PP3Q2Z")."""

LOOSE = Decimal("0.1")
"""How far, of its amount, "about" may be from a known sum."""

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*", re.ASCII)
_DIGITS = re.compile(r"(?<![\w.,-])\+?\(?\d(?:\d|[-. ](?=\d)|\)[- ]?(?=\d)|\s\((?=\d))+(?![\w-]|[.,]\d)", re.ASCII)
_FOUR = re.compile(
    r"\b(?:ending\s+(?:in|with|on)?|ends?\s+(?:in|with)|last\s+(?:four|4)(?:\s+digits)?(?:\s+(?:are|is|being))?:?"
    r"|pin(?:\s+code)?(?:\s+(?:is|as))?:?|passcode(?:\s+is)?:?)\s*(?:to\s+)?(\d{4})\b",
    re.I,
)
_CODE = re.compile(
    r"\b(?:reservation|booking|confirmation|record|voucher|gift|tracking|reference|locator|order|promo)"
    r"(?:\s+(?:number|code|id|reference|locator))?(?:\s+is|:|\s+was)?\s+#?([A-Z]{6,10})\b"
)
_NO_ID = re.compile(
    r"\d{1,2}:\d\d(?:\s?[ap]\.?m\b)?|\d{1,2}\s?[ap]\.?m\b|\d[\d,.]*\s?%|\d{1,3}(?:,\d{3})+"
    r"|(?<!\w)\d[\d.]*[\s-]?(?:mgs?|mcg|ml|gb|mb|tb|kg|lbs?|km|cm|mm|inch(?:es)?|hz|mp|watts?|points?|miles|minutes|seconds|hours?|hrs?"
    r"|days?|weeks?|months?|years?|times|percent|k|x|w|g|h)\b"
    r"|\b\d+(?:st|nd|rd|th)\b|\b(?:19|20)\d\ds?\b(?!-\d)|\b(?:pre|post|mid|covid)-?\d+s?\b",
    re.I,
)
_HEDGE = re.compile(
    r"(?:about|around|roughly|nearly|almost|over|under|more than|less than|close to|some|approximately|~|like)\s*$",
    re.I,
)


class Unknown(NamedTuple):
    """Something in a message that the customer was never told, with its place."""

    start: int
    end: int
    value: str


class Known:
    """What one customer may say at some point of a conversation.

    Args:
        texts: what it was told at the start.
        shapes: shapes of the domain's identifiers (see `shapes_of`).
    """

    def __init__(self, texts: Iterable[str], shapes: frozenset[str] = frozenset()) -> None:
        self._shapes = shapes
        self._emails: set[str] = set()
        self._ids: set[str] = set()
        self._days: set[tuple[int, int, int]] = set()
        self._sums: set[Decimal] = set()
        for text in texts:
            self.hear(text)

    def hear(self, text: str) -> None:
        """Note what a text tells the customer."""
        self._emails.update(match[0].lower().rstrip(".") for match in _EMAIL.finditer(text))
        self._ids.update(compact(match[0]) for match in _TOKEN.finditer(text) if any(c.isdigit() for c in match[0]))
        self._ids.update(compact(match[0]) for match in _DIGITS.finditer(text))
        self._ids.update(match[1] for match in _CODE.finditer(text))
        self._ids.update(match[0] for match in re.finditer(r"\b[A-Z]{6,10}\b", text))
        self._days.update(reading for day in days(text) for reading in day.readings)
        self._sums.update(found.amount for found in sums(text))
        self._sums.update(decimals(text))

    # --- identifiers ------------------------------------------------------------------------------------

    def unknown_ids(self, text: str) -> Iterator[Unknown]:
        """Identifiers in a message that the customer was not told."""
        for match in _EMAIL.finditer(text):
            if match[0].lower().rstrip(".") not in self._emails:
                yield Unknown(match.start(), match.end(), match[0])
        text = _EMAIL.sub(_blank, text)
        for match in (*_FOUR.finditer(text), *_CODE.finditer(text)):
            if not self._names_id(match[1].upper()):
                yield Unknown(match.start(1), match.end(1), match[1])
        text = _without(text, days(text))
        text = _without(text, sums(text))
        text = _NO_ID.sub(_blank, text)
        yield from self._numbers(text)
        yield from self._mixed(_DIGITS.sub(_blank, text))

    def _numbers(self, text: str) -> Iterator[Unknown]:
        for match in _DIGITS.finditer(text):
            whole = compact(match[0])
            if len(whole) < 5 or self._names_id(whole):
                continue
            if self._names_parts(match[0].split(), whole):
                continue
            yield Unknown(match.start(), match.end(), match[0].strip())

    def _names_parts(self, parts: list[str], whole: str) -> bool:
        """Whether numbers that stand side by side are known each by itself, or are too short to be identifiers."""
        numbers = [compact(part) for part in parts]
        if len(numbers) < 2 or not all(self._names_id(number) for number in numbers if len(number) >= 5):
            return False
        return len(whole) < 7 or any(self._names_id(number) for number in numbers if len(number) >= SHORTEST_PART)

    def _mixed(self, text: str) -> Iterator[Unknown]:
        for match in _TOKEN.finditer(text):
            token = compact(match[0])
            figures = sum(c.isdigit() for c in token)
            if not figures or figures == len(token):
                continue
            code = figures >= 2 and len(token) >= SHORTEST_CODE and not any(c.islower() for c in match[0])
            if (figures >= 4 or code or shape(token) in self._shapes) and not self._names_id(token):
                yield Unknown(match.start(), match.end(), match[0])

    def _names_id(self, token: str) -> bool:
        """Whether a compact token is a known identifier, or enough of one."""
        if token in self._ids:
            return True
        for known in self._ids:
            if len(token) >= SHORTEST_PART and (known.endswith(token) or known.startswith(token)):
                return True
            if len(known) > SHORTEST_PART and token.endswith(known) and token[: -len(known)].isalpha():
                return True
        return False

    # --- days and sums ------------------------------------------------------------------------------------

    def unknown_days(self, text: str) -> Iterator[Unknown]:
        """Days in a message that the customer was not told."""
        for day in days(text):
            if not any(self._names_day(reading) for reading in day.readings):
                yield Unknown(day.start, day.end, text[day.start : day.end])

    def _names_day(self, reading: tuple[int, int, int]) -> bool:
        year, month, day = reading
        return any(
            day == known_day
            and (not month or not known_month or month == known_month)
            and (not year or not known_year or year == known_year)
            for known_year, known_month, known_day in self._days
        )

    def unknown_sums(self, text: str) -> Iterator[Unknown]:
        """Sums of money in a message that the customer was not told; rounding is allowed."""
        for found in sums(text):
            loose = _HEDGE.search(text[: found.start]) is not None
            if found.amount > 1 and not self._names_sum(found.amount, loose=loose):
                yield Unknown(found.start, found.end, text[found.start : found.end])

    def _names_sum(self, amount: Decimal, *, loose: bool) -> bool:
        if amount in self._sums:
            return True
        whole = amount == amount.to_integral_value()
        return any(
            (whole and abs(known - amount) < 1) or (loose and abs(known - amount) <= LOOSE * known)
            for known in self._sums
        )


def compact(text: str) -> str:
    """An identifier without what people put between its parts, in capitals."""
    return "".join(c for c in text if c.isalnum()).upper()


def shape(token: str) -> str:
    """Which places of a token are letters and which are digits: "R71" is "A99"."""
    return "".join("9" if c.isdigit() else "A" for c in token)


@cache
def shapes_of(domain: Domain) -> frozenset[str]:
    """The shapes of a domain's identifiers that mix letters and digits, of five characters or more."""
    found = {compact(key) for table in domain.base().tables.values() for key in table}
    mixed = (key for key in found if len(key) >= 5 and not key.isdigit() and not key.isalpha())
    return frozenset(shape(key) for key in mixed)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _without(text: str, spans: Iterable[Day] | Iterable[tuple[int, int, object]]) -> str:
    """The text with blanks in place of these stretches."""
    for start, end, _ in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
