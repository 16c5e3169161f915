"""How agents and customers write amounts, dates, counts and lists."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cache

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def usd(amount: Decimal) -> str:
    """Dollars: "$1,192.00"."""
    return f"${amount:,.2f}"


@cache
def long_date(iso: str) -> str:
    """A date as agents write it: "May 14, 2026" for "2026-05-14", with or without a time behind it."""
    return f"{short_date(iso)}, {iso[:4]}"


@cache
def short_date(iso: str) -> str:
    """A date as customers say it: "May 14"."""
    return f"{MONTHS[int(iso[5:7]) - 1]} {int(iso[8:10])}"


def counted(number: int, noun: str) -> str:
    """A count with its noun: "1 checked bag", "3 checked bags"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: Sequence[str]) -> str:
    """Words joined as in a sentence: "A, B and C"; empty for none."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def yours(words: str) -> str:
    """The customer's words ("my gift card") in the agent's mouth ("your gift card")."""
    return f" {words}".replace(" my ", " your ").lstrip()
