"""Texts that match a pattern: the small part of regular expressions that tools' schemas use.

Understood: anchors, literals, `.`, `\\d`, `\\w`, `\\s`, escaped signs, character classes (also negated),
and the repetitions `?`, `*`, `+`, `{n}`, `{n,}` and `{n,m}`.
"""

import re
import string
from functools import lru_cache
from typing import NamedTuple

from tau_emotion_gym._draw import Draw

_WORD = string.ascii_letters + string.digits + "_"
_ANY = string.ascii_letters + string.digits + " -_#"
_CLASSES = {"d": string.digits, "w": _WORD, "s": " "}
_MORE = 3
"""How many repetitions beyond the least an open-ended one may get."""

_PIECE = re.compile(r"(\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|[^\\\[(){}*+?|])(\?|\*|\+|\{\d+(?:,\d*)?\})?", re.S)


class _Piece(NamedTuple):
    signs: str
    least: int
    most: int


def matching(pattern: str, draw: Draw) -> str:
    """A text that matches `pattern`.

    Raises:
        ValueError: the pattern uses more of the language than this module understands.
    """
    text = "".join(
        draw.pick(piece.signs) for piece in _pieces(pattern) for _ in range(draw.between(piece.least, piece.most))
    )
    if re.search(pattern, text) is None:
        raise ValueError(f"no text was found for the pattern {pattern!r}")
    return text


@lru_cache(maxsize=256)
def _pieces(pattern: str) -> tuple[_Piece, ...]:
    body = pattern.removeprefix("^").removesuffix("$")
    pieces: list[_Piece] = []
    at = 0
    while at < len(body):
        found = _PIECE.match(body, at)
        if found is None:
            raise ValueError(f"the pattern {pattern!r} cannot be sampled from {body[at:]!r} on")
        pieces.append(_Piece(_signs(found[1]), *_bounds(found[2])))
        at = found.end()
    return tuple(pieces)


def _signs(piece: str) -> str:
    if piece == ".":
        return _ANY
    if piece[0] == "\\":
        return _CLASSES.get(piece[1], piece[1])
    if piece[0] != "[":
        return piece
    chosen = re.compile(piece)
    return "".join(sign for sign in map(chr, range(32, 127)) if chosen.fullmatch(sign))


def _bounds(repetition: str | None) -> tuple[int, int]:
    if not repetition:
        return 1, 1
    if repetition in "?*+":
        least = int(repetition == "+")
        return least, 1 if repetition == "?" else least + _MORE
    low, comma, high = repetition[1:-1].partition(",")
    return int(low), int(high or (int(low) + _MORE if comma else low))
