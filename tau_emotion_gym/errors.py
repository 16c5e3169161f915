"""The package's own exceptions, and the sentence that names what would have been valid."""

from collections.abc import Iterable


class TauEmotionError(Exception):
    """Base of every error that this package raises on purpose."""


class UnknownName(TauEmotionError, ValueError):
    """A name that is not in a closed list: domain, emotion, split, option, user, task id."""


class DataError(TauEmotionError):
    """A shipped or user-given data file that cannot be used: file, line and reason."""


def unknown(kind: str, name: object, valid: Iterable[str]) -> UnknownName:
    """An `UnknownName` that suggests the nearest valid names and lists them all when they are few."""
    from difflib import get_close_matches

    names = sorted(valid)
    near = get_close_matches(str(name).lower(), names, n=3, cutoff=0.5)
    message = f"unknown {kind} {name!r}"
    if near:
        message += "; did you mean " + " or ".join(repr(n) for n in near) + "?"
    shown = ", ".join(names[:40]) + (", …" if len(names) > 40 else "")
    return UnknownName(f"{message} Valid: {shown}" if near else f"{message}; valid: {shown}")
