"""The package's own exceptions, and the sentence that names what would have been valid."""

from collections.abc import Iterable, Sequence
from math import isfinite
from numbers import Real

LIKENESS = 0.6
"""How alike a name must be to be suggested: 0 (anything) to 1 (equal)."""

MOST_LISTED = 40
"""Valid names that a message lists in full; of more it shows some."""

LONGEST = 100
"""Characters that are shown of a wrong name."""

EXAMPLES = 10
"""Valid names that are shown of a longer list."""


class TauEmotionError(Exception):
    """Base of every error that this package raises on purpose."""


class UnknownName(TauEmotionError, ValueError):
    """A name that is not in a closed list: domain, emotion, split, option, user, task id."""


class DataError(TauEmotionError):
    """A shipped or user-given data file that cannot be used: file, line and reason."""


def unknown(kind: str, name: object, valid: Iterable[str]) -> UnknownName:
    """An `UnknownName` that suggests the nearest valid names, and lists all or, of many, some."""
    from difflib import get_close_matches

    names = sorted(valid)
    near = get_close_matches(str(name).lower(), names, n=3, cutoff=LIKENESS)
    message = f"unknown {kind} {name!r:.{LONGEST}}"
    if near:
        message += "; did you mean " + " or ".join(repr(n) for n in near) + "?"
    shown = _listed(names)
    return UnknownName(f"{message} Valid: {shown}" if near else f"{message}; valid: {shown}")


def _listed(names: Sequence[str]) -> str:
    """All names; of many the first ones, or both ends when only their numbers differ ("test-000 … test-099")."""
    if len(names) <= MOST_LISTED:
        return ", ".join(names)
    if len({name.rstrip("0123456789") for name in names}) == 1:
        return f"{names[0]} … {names[-1]}"
    return ", ".join(names[:EXAMPLES]) + ", …"


def check_finite(name: str, value: object) -> None:
    """Raise a `TypeError` for what is no finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise TypeError(f"{name} is a finite number, not {value!r}")
