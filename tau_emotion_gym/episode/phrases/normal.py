"""Messages made plain before they are read: ASCII, lower case, no Markdown, marks standing alone."""

import re

_DASH, _DOTS = "\x01", "\x02"
"""Stand in for the marks that need more than one character."""

_CODE_PAGE = "cp1252"
"""Has the typographic marks that people and models use, in one byte each."""

_RARE = (("\u2011", "-"), ("\u202f", " "))
"""Marks that the code page lacks."""

_PLAIN = {
    "\u2019": "'", "\u2018": "'", "\u2013": "-", "\u2022": "-", "\u00a0": " ", "\u2014": _DASH, "\u2026": _DOTS,
    _DASH: " ", _DOTS: " ",
}  # fmt: skip
_FROM = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ()[]{}<>/|;_\r\t\v" + "".join(_PLAIN).encode(_CODE_PAGE)
_TO = b"abcdefghijklmnopqrstuvwxyz,,,,,,   \n, \n  " + "".join(_PLAIN.values()).encode("ascii")
_TABLE = bytes.maketrans(_FROM, _TO)
_OPENERS = (
    "Are|Can|Could|Do|Does|Did|Has|Have|How|I|I'll|I've|If|Is|It|Just|Let|May|Okay|Once|Please|Reply|Shall|Should|"
    "So|Thank|That|The|There|This|To|We|What|When|Which|Will|Would|You|Your"
)
"""Words that begin a sentence even after an abbreviation."""

_ABBREVIATED = re.compile(
    r"\.(?:(?<=\b(?i:[dm]r|ms|st)\.)|(?<=\b(?i:mrs|[ap]\.m)\.))(?! (?:" + _OPENERS + r")\b)"
    r"|\.(?<=\b(?i:no)\.)(?= ?#?[0-9])"
)
"""Dots that end no sentence: "Dr. Ibarra", "at 11 a.m.?", "No. 5"."""

_DELETED = b'*`~"' + bytes(code for code in range(128, 256) if code not in _FROM)


def normal(text: str) -> str:
    """ASCII lower case without Markdown; words, marks, line ends and blank lines stand between spaces.

    A blank line is "\\v". Letters outside of ASCII are dropped. Dots and colons get a space before them wherever
    they stand; that they end something is seen by the space after them.
    """
    text = _ABBREVIATED.sub("", text)
    plain = _plain(text.encode("ascii")) if text.isascii() else _from_typographic(text)
    plain = f"\n{plain}\n".replace("\n", " \n ").replace(",", " , ").replace(".", " .").replace(":", " :")
    return plain.replace("?", " ? ").replace("!", " ! ").replace(" \n  \n", " \v")


def _plain(raw: bytes) -> str:
    if b"(" in raw:
        raw = raw.replace(b"(s)", b"s")
    if b"*" in raw:
        raw = raw.replace(b"\n* ", b"\n- ")
    return raw.translate(_TABLE, _DELETED).decode("ascii")


def _from_typographic(text: str) -> str:
    for mark, plain in _RARE:
        if mark in text:
            text = text.replace(mark, plain)
    return _plain(text.encode(_CODE_PAGE, "ignore")).replace(_DASH, " - ").replace(_DOTS, ". ")
