"""Typed values in a message: what an agent had to tell a customer, in any of the ways that people write it.

Five kinds, each with one canonical string: money ("42.50"), date ("2026-03-05"), count ("3"), id ("W12") and
choice ("original payment method"). Percentages, times and plain numbers are not money. Time is linear.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cache, lru_cache

from tau_emotion_gym.errors import unknown

KEPT = 1024
"""Texts, and values, whose reading is kept."""

_ONES = (  # noqa: SIM905
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: number for number, word in enumerate(_ONES)} | {
    ten + joint + one: 20 + 10 * place + number
    for place, ten in enumerate(_TENS)
    for number, one in enumerate(("", *_ONES[1:10]))
    for joint in (("-", " ") if one else ("",))
}
_COUNT_WORDS = _WORDS | {"no": 0, "a": 1, "an": 1, "a single": 1, "a couple of": 2, "a dozen": 12, "both": 2}
_MONTHS = {
    name[:length]: number
    for number, name in enumerate(
        ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
         "november", "december"), 1,
    )
    for length in {3, 4 if name == "september" else 3, len(name)}
}  # fmt: skip

_PLAIN = (
    ("*", ""), ("`", ""), ("\u00a0", " "), ("\u202f", " "), ("\u2013", "-"), ("\u2014", " - "), ("\u2011", "-"),
    ("\u2212", "-"),
)  # fmt: skip
_RARE = tuple((mark, plain) for mark, plain in _PLAIN if mark in "\u202f\u2011\u2212")
_LONG_DASH = "\x01"
_SIMPLE = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ" + bytes(range(128, 256)),
    b"abcdefghijklmnopqrstuvwxyz"
    + b"".join(
        {"\u20ac": b"$", "\u00a3": b"$", "\u00a0": b" ", "\u2013": b"-", "\u2014": _LONG_DASH.encode()}.get(
            bytes((code,)).decode("cp1252", "replace"), b"?"
        )
        for code in range(128, 256)
    ),
)
"""From the code page that has the signs and dashes that people use to lower case; see `_simple`."""
_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})++|[0-9]++)"
_AMOUNT = rf"({_NUMBER})(?:\.([0-9]{{1,2}}))?(?![0-9]|[km]\b|[.,][0-9])"
_SIGNED = rf"\$\s?{_AMOUNT}(?!\s?%)"
_MONEY_BY_SIGN = re.compile(_SIGNED, re.ASCII)
_MONEY = re.compile(
    rf"{_SIGNED}|\b(?:usd|eur|gbp)\s?{_AMOUNT}"
    rf"|(?<![\w.,]){_AMOUNT}\s?(?:usd|eur|gbp|us dollars?|dollars?|bucks|euros?|pounds)\b"
    r"(?:(?:\s|\sand\s)([0-9]{1,2})\scents?\b)?"
    r"|(?<![\w.,])([0-9]{1,2})\s(?:cents?)\b",
    re.ASCII,
)
_CURRENCIES = ("usd", "eur", "gbp", "dollar", "buck", "pound", "cent")
_MAY_NAME_MONEY = re.compile(
    r"[0-9](?:\s?(?:usd|eur|gbp|us dol|dollar|buck|pound|cent)|(?<=(?:usd|eur|gbp)[0-9])|(?<=(?:usd|eur|gbp)\s[0-9]))"
).search
"""Whether a digit stands beside a currency's name: decides quickly since it looks only at digits."""
_MONTH = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"([0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s(?:of\s)?((?:19|20)[0-9]{2})\b(?!-[0-9]))?"
_NUMERIC = (
    r"((?:19|20)[0-9]{2})(?<![0-9/-][0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])"
    r"|(?<![\w/.$-])([0-9]{1,2})/([0-9]{1,2})(?:/((?:19|20)?[0-9]{2}))?(?![\w/])"
)
_DATE = re.compile(
    rf"{_NUMERIC}|\b{_MONTH}\s(?:the\s)?{_DAY}(?![\w:%]|\.[0-9]){_YEAR}"
    rf"|(?<![\w.,$:-]){_DAY}(?:\sof)?[\s-]{_MONTH}(?:-((?:19|20)[0-9]{{2}})\b|{_YEAR})",
    re.ASCII,
)
_SHORT = "|".join(name for name in _MONTHS if len(name) == 3)
_BEFORE_DAY = (
    rf"(?<=[a-z.]\s[0-9])(?:(?<=(?:ary|rch|ril|une|uly|ust|ber|ept|the|{_SHORT})\s[0-9])"
    rf"|(?<=(?:ept|{_SHORT})\.\s[0-9]))"
)
_AFTER_DAY = rf"(?:[0-9]|)(?:st|nd|rd|th|)(?:\sof|)[\s-](?:{_SHORT})"
_MAY_BE_DATE = re.compile(rf"[0-9](?:/[0-9]|[0-9]{{3}}[-.][0-9]|{_BEFORE_DAY}|{_AFTER_DAY})").search
"""A digit that may belong to a date: beside a month's name or between numbers. It looks only at digits, which
decides quickly; the date then begins at most `_LONGEST_MONTH` characters before it."""
_LONGEST_MONTH = len("september the ")
_ID = re.compile(
    r"(?<![\w$#.-])#?((?=[A-Za-z_-]*+[0-9]|[A-Z]{5,}+(?![\w$%-]))[A-Za-z0-9][A-Za-z0-9_-]{2,}+)(?![\w$%-])", re.ASCII
)
_NOT_BETWEEN = r"(?!(?:and|or|with|for|to|in|on|per|but|from|at|by)\b)"


def find(
    text: str,
    kind: str,
    nouns: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
    year: int | None = None,
) -> list[str]:
    """All values of a kind in a text, canonical, in order of appearance, repeats kept.

    Args:
        text: a message; Markdown is ignored.
        kind: "money", "date", "count", "id" or "choice".
        nouns: for counts, what is counted, in the singular ("bag"); irregular plurals are nouns of their own.
        options: for choices, the phrases to choose from.
        year: the year of dates written without one; None leaves such dates out.

    Raises:
        UnknownName: no such kind.
    """
    return [*_found(text, kind, nouns, options, year)]


@lru_cache(maxsize=KEPT)
def _found(text: str, kind: str, nouns: tuple[str, ...], options: tuple[str, ...], year: int | None) -> Iterable[str]:
    """A memo: the customer looks for what it waits for as the message comes, and the score at the end."""
    if kind == "money":
        return tuple(_money(_simple(text)))
    if kind == "date":
        text = _simple(text)
        first = _MAY_BE_DATE(text)
        return tuple(_dates(text, max(0, first.start() - _LONGEST_MONTH), year)) if first else ()
    if kind == "count":
        return _counts(_simple(text), nouns)
    for mark, plain in _PLAIN[:2] if text.isascii() else _PLAIN:
        text = text.replace(mark, plain)
    if kind == "id":
        return [m[1].upper() for m in _ID.finditer(text) if _is_id(m[1])]
    if kind == "choice":
        return _chosen(_words(text), options)
    raise unknown("kind of value", kind, _NORMAL)


def _simple(text: str) -> str:
    """ASCII lower case without Markdown; all signs of currencies are "$", and "?" stands for other letters."""
    if text.isascii():
        return text.replace("*", "").replace("`", "").lower()
    for mark, plain in _RARE:
        if mark in text:
            text = text.replace(mark, plain)
    text = text.encode("cp1252", "replace").translate(_SIMPLE, b"*`").decode("ascii")
    return text.replace(_LONG_DASH, " - ") if _LONG_DASH in text else text


@lru_cache(maxsize=KEPT)
def normal(kind: str, value: str) -> str:
    """The canonical string of one value.

    Raises:
        UnknownName: no such kind.
        ValueError: the value is not of this kind.
    """
    if kind not in _NORMAL:
        raise unknown("kind of value", kind, _NORMAL)
    try:
        return _NORMAL[kind](value)
    except (IndexError, KeyError) as error:
        raise ValueError(f"not a {kind}: {value!r}") from error


def _money(text: str) -> Iterator[str]:
    if not (any([name in text for name in _CURRENCIES]) and _MAY_NAME_MONEY(text)):  # noqa: C419 (a list is faster)
        if "$" in text:
            for match in _MONEY_BY_SIGN.finditer(text):
                yield _exact(match[1], match[2] or "")
        return
    for match in _MONEY.finditer(text):
        groups = match.groups()
        if groups[7]:
            yield "0." + groups[7].zfill(2)
            continue
        whole, part = next((groups[n], groups[n + 1]) for n in (0, 2, 4) if groups[n])
        yield _exact(whole, part or (groups[6] or "").zfill(2))


def _exact(whole: str, part: str) -> str:
    return f"{whole.replace(',', '').lstrip('0') or '0'}.{part.ljust(2, '0')}"


def _dates(text: str, start: int, year: int | None) -> Iterator[str]:
    for match in _DATE.finditer(text, start):
        y1, _, m1, d1, m2, d2, y2, m3, d3, y3, d4, m4, y4, y5 = match.groups()
        if y1:
            found = y1, m1, d1
        elif m2:
            found = (y2 if not y2 or len(y2) == 4 else "20" + y2), m2, d2
        elif m3:
            found = y3, str(_MONTHS[str(m3)]), d3
        else:
            found = y4 or y5, str(_MONTHS[str(m4)]), d4
        of = found[0] or year
        if of:
            try:
                yield date(int(of), int(found[1]), int(found[2])).isoformat()
            except ValueError:
                continue


def _counts(text: str, nouns: tuple[str, ...]) -> list[str]:
    stems = [noun.lower().removesuffix("y") for noun in nouns]
    if not any(stem in text for stem in stems):
        return []
    return [_number(m[1] or m[2]) for m in _counted(nouns)(text)]


def _number(text: str) -> str:
    if text in _COUNT_WORDS:
        return str(_COUNT_WORDS[text])
    whole, _, part = text.replace(",", "").partition(".")
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + ("." + part if part else "")


@cache
def _counted(nouns: tuple[str, ...]) -> Callable[[str], Iterator[re.Match[str]]]:
    forms = {form for noun in nouns for form in _plurals(noun.lower())}
    noun = "(?:" + "|".join(re.escape(f) for f in sorted(forms, key=len, reverse=True)) + r")\b"
    words = "|".join(sorted(_COUNT_WORDS, key=len, reverse=True))
    number = rf"({_NUMBER}(?:\.[0-9]+)?|\b(?:{words})\b)"
    between = rf"(?:{_NOT_BETWEEN}[a-z][a-z'-]{{0,30}}\s){{0,2}}?"
    return re.compile(
        rf"(?<![\w$.,/:-]){number}[\s-]{between}{noun}"
        rf"|\b{noun}(?:\s?[:=]\s?|\s(?:is|are|was|were)\s){number}(?![\w%$:/-]|[.,][0-9])",
        re.ASCII,
    ).finditer


def _plurals(noun: str) -> tuple[str, ...]:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun, noun[:-1] + "ies"
    return noun, noun + ("es" if noun.endswith(("s", "sh", "ch", "x")) else "s")


def _is_id(token: str) -> bool:
    """Letters and digits mixed, four digits or more, or a code of five capitals or more."""
    if token.isdigit():
        return len(token) >= 4
    if any(c.isdigit() for c in token):
        return not _DATE.fullmatch(token)
    return len(token) >= 5 and token.isupper() and token.isalpha()


@cache
def _choices(options: tuple[str, ...]) -> Callable[[str], Iterator[re.Match[str]]]:
    phrases = sorted({_words(option) for option in options}, key=len, reverse=True)
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, phrases)) + r")(?!\w)").finditer


def _chosen(text: str, options: tuple[str, ...]) -> list[str]:
    if not any(_words(option) in text for option in options):
        return []
    return [match[0] for match in _choices(options)(text)]


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _one_money(value: str) -> str:
    whole, _, part = value.strip().lstrip("$").partition(".")
    if (whole.replace(",", "") + part).isascii() and (whole.replace(",", "") + part).isdigit() and len(part) <= 2:
        return _exact(whole, part)
    return find(value, "money")[0]


def _one_date(value: str) -> str:
    return find(value, "date")[0]


def _one_count(value: str) -> str:
    word = _words(value)
    if word not in _COUNT_WORDS and not re.fullmatch(rf"{_NUMBER}(?:\.[0-9]+)?", word):
        raise KeyError(value)
    return _number(word)


def _one_id(value: str) -> str:
    return value.strip().lstrip("#").upper()


_NORMAL: dict[str, Callable[[str], str]] = {
    "money": _one_money,
    "date": _one_date,
    "count": _one_count,
    "id": _one_id,
    "choice": _words,
}
