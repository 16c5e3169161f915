"""The phrases that the rules look for, kept as data in `phrases.json`: regular expressions without regard to case."""

import re
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from tau_emotion_gym.errors import DataError

Group = Literal["agent", "effusive", "abuse", "tokens", "label", "part", "farewell"]

Patterns = tuple[str, ...]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file. `languages` and `english` hold common words, to tell languages by."""

    agent: Patterns
    effusive: Patterns
    abuse: Patterns
    tokens: Patterns
    label: Patterns
    part: Patterns
    farewell: Patterns
    languages: dict[str, frozenset[str]]
    english: frozenset[str]


@cache
def _table() -> _Table:
    data = files(__package__).joinpath("phrases.json").read_bytes()
    try:
        return msgspec.json.decode(data, type=_Table)
    except msgspec.DecodeError as error:
        raise DataError(f"{__package__}/phrases.json: {error}") from error


@cache
def pattern(group: Group) -> re.Pattern[str]:
    """One expression for all phrases of a group; lines are matched each by itself.

    Raises:
        DataError: the file is damaged.
    """
    phrases: Patterns = getattr(_table(), group)
    return re.compile("|".join(phrases), re.I | re.M)


def common_words() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Common words of other languages by the language's name, and those of English."""
    return _table().languages, _table().english
