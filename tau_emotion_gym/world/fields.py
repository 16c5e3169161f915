"""What a record's field or a tool's parameter means, said in its type."""

import enum
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, get_args, get_origin

import msgspec


@dataclass(frozen=True, slots=True)
class Ref:
    """The id of a record, or another value that one tool hands to another.

    `Annotated[str, Ref("order")]` as a record's first field makes it that record's own id; elsewhere it
    refers to the record. The tool dependency graph joins tools by `kind`.
    """

    kind: str


class Compare(enum.Enum):
    """How a field counts when the reached state is compared with the expected one."""

    EXACT = "exact"
    """Equal values; sequences in the same order. The default."""
    SET = "set"
    """A sequence whose order and repetitions do not matter."""
    MULTISET = "multiset"
    """A sequence whose order does not matter."""
    FREE_TEXT = "free_text"
    """Prose written by the agent: never decides."""
    IGNORED = "ignored"
    """Never decides."""


SET = Compare.SET
MULTISET = Compare.MULTISET
FREE_TEXT = Compare.FREE_TEXT
IGNORED = Compare.IGNORED

Money = Annotated[Decimal, Ref("money")]
"""An exact amount in dollars with two decimals."""

FreeText = Annotated[str, Compare.FREE_TEXT]
"""Prose that does not decide whether a state matches."""

DAY = r"^\d{4}-\d{2}-\d{2}$"
"""The pattern of days; what matches it need not be a day of the calendar (see `is_day`)."""

Date = Annotated[str, msgspec.Meta(pattern=DAY, description="A date as YYYY-MM-DD."), Ref("date")]
"""A day as an ISO string (YYYY-MM-DD)."""


def is_day(text: str) -> bool:
    """Whether the calendar has this day: the pattern lets 2026-13-45 through."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def annotations(hint: Any) -> tuple[Any, ...]:
    """The `Annotated` extras of a type, outermost last; () when there are none."""
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def bare(hint: Any) -> Any:
    """The type without its `Annotated` extras."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def ref_of(hint: Any) -> str | None:
    """The kind of the `Ref` in a type, or None."""
    return next((extra.kind for extra in annotations(hint) if isinstance(extra, Ref)), None)


def compare_of(hint: Any) -> Compare:
    """How values of this type compare."""
    return next((extra for extra in annotations(hint) if isinstance(extra, Compare)), Compare.EXACT)
