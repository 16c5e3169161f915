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


def clock(time: str) -> str:
    """A time of day as agents write it: "2:20 PM" for "14:20"."""
    hour, minute = int(time[:2]), time[3:5]
    return f"{(hour - 1) % 12 + 1}:{minute} {'AM' if hour < 12 else 'PM'}"


def counted(number: int, noun: str) -> str:
    """A count with its noun: "1 checked bag", "3 checked bags"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: Sequence[str]) -> str:
    """Words joined as in a sentence: "A, B and C"; empty for none."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def capital(words: str) -> str:
    """The words as a sentence begins with them."""
    return words[:1].upper() + words[1:]


def either_case(name: str, words: str) -> dict[str, str]:
    """What fills `{name}` within a sentence and `{Name}` at the beginning of one."""
    return {name: words, capital(name): capital(words)}


def yours(words: str) -> str:
    """The customer's noun phrase ("my gift card") in the agent's mouth ("your gift card")."""
    return f" {words}".replace(" my ", " your ").lstrip()


def span(text: str, parts: Sequence[str]) -> tuple[int, int] | None:
    """Where the parts stand in a text one after another, from the first's start to the last's end; None if nowhere."""
    start = at = text.find(parts[0])
    for part in parts:
        at = text.find(part, at) if at >= 0 else at
        if at < 0:
            return None
        at += len(part)
    return start, at
