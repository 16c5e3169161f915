"""Whether a text gives an output away: the same amount, day, count, id or choice in any usual form."""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache

from tau_emotion_gym.kit import Domain, Output
from tau_emotion_gym.tasks.provenance import has_number, plain, words

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

_MONEY = re.compile(r"\$\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s*(?:dollars?|usd)\b", re.I)
_ISO = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_MONTH_DAY = re.compile(rf"\b({'|'.join(MONTHS)})\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?", re.I)
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({'|'.join(MONTHS)})(?:,?\s+(\d{{4}}))?", re.I)


def amounts(text: str) -> frozenset[Decimal]:
    """The sums of money in `text`."""
    found = (first or second for first, second in _MONEY.findall(text))
    return frozenset(Decimal(number.replace(",", "")) for number in found)


def days(text: str) -> frozenset[str]:
    """The days in `text` as YYYY-MM-DD; -MM-DD where no year is named."""
    found = set(_ISO.findall(text))
    found |= {_iso(year, month, day) for month, day, year in _MONTH_DAY.findall(text)}
    found |= {_iso(year, month, day) for day, month, year in _DAY_MONTH.findall(text)}
    return frozenset(found)


def _iso(year: str, month: str, day: str) -> str:
    return f"{year}-{MONTHS.index(month.lower()) + 1:02}-{int(day):02}"


def counted(text: str, value: str, noun: str) -> bool:
    """Whether `text` says this number of this noun, in digits or in words."""
    if noun.lower() not in text.lower():
        return False
    numeral = _NUMERALS[int(value)] if value.isdigit() and int(value) < len(_NUMERALS) else value
    pattern = rf"\b(?:{re.escape(value)}|{numeral})\s+(?:[\w-]+\s+){{0,2}}{re.escape(noun)}(?:s|es)?\b"
    return re.search(pattern, text, re.I) is not None


def mentions(text: str, output: Output) -> bool:
    """Whether `text` says this output."""
    if output.kind == "money":
        whole = output.value.split(".")[0]
        return whole in text.replace(",", "") and Decimal(output.value) in amounts(text)
    if output.kind == "date":
        month = MONTHS[int(output.value[5:7]) - 1]
        if output.value not in text and month not in text.lower():
            return False
        return not days(text).isdisjoint((output.value, output.value[4:]))
    if output.kind == "count":
        return counted(text, output.value, output.noun)
    return words(output.value) in words(text)


def known(said: Sequence[str], output: Output) -> bool:
    """Whether one of the customer's own texts says this output; a bare number says an amount."""
    if output.value in said:
        return True
    text = "\n".join(said)
    if output.kind == "money":
        return has_number(plain(text), Decimal(output.value)) or mentions(text, output)
    return mentions(text, output)


@cache
def in_policy(domain: Domain, output: Output) -> bool:
    """Whether the policy's text says this output."""
    if output.kind == "money":
        return Decimal(output.value) in _policy_amounts(domain)
    return mentions(domain.policy, output)


@cache
def _policy_amounts(domain: Domain) -> frozenset[Decimal]:
    return amounts(domain.policy)
