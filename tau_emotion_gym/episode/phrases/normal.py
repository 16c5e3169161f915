"""Messages made plain before they are read: ASCII, lower case, no Markdown, marks standing alone."""

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
_FROM = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ()[]{}<>/|;_\r\t" + "".join(_PLAIN).encode(_CODE_PAGE)
_TO = b"abcdefghijklmnopqrstuvwxyz,,,,,,   \n, \n " + "".join(_PLAIN.values()).encode("ascii")
_TABLE = bytes.maketrans(_FROM, _TO)
_DELETED = b'*`~"' + bytes(code for code in range(128, 256) if code not in _FROM)


def normal(text: str) -> str:
    """ASCII lower case without Markdown; words, marks, line ends and blank lines stand between spaces.

    A blank line is "\\v". Letters outside of ASCII are dropped.
    """
    if text.isascii():
        raw = text.encode("ascii")
    else:
        for mark, plain in _RARE:
            if mark in text:
                text = text.replace(mark, plain)
        raw = text.encode(_CODE_PAGE, "ignore")
    if b"(" in raw:
        raw = raw.replace(b"(s)", b"s")
    if b"\n*" in raw:
        raw = raw.replace(b"\n* ", b"\n- ")
    text = raw.translate(_TABLE, _DELETED).decode("ascii")
    if _DASH in text:
        text = text.replace(_DASH, " - ")
    if _DOTS in text:
        text = text.replace(_DOTS, ". ")
    text = f"\n{text}\n".replace("\n", " \n ").replace(",", " , ").replace(". ", " . ").replace(": ", " : ")
    return text.replace("?", " ? ").replace("!", " ! ").replace(" \n  \n", " \v")
