"""Literal phrases compiled for one pass over a text: a trie as a regular expression, and a cue per phrase."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tau_emotion_gym.episode.phrases import Cues, cues

_GENERIC = tuple(n for n in Cues.__struct_fields__ if n not in ("done_first", "deed_nouns", "deed_verbs"))
(
    ASK, WH, VERIFY, WISH, FACT, PURPOSE, EXCLUDE, CONFIRM, CONFIRM_SOFT, YESNO, PERMIT, OPEN, IF, WHEN, OR,
    EXAMPLE, NEUTRAL, PERF, DONE, CLAIM, CANNOT, LACKING, UNLESS, REASON, OFFER, WANT, ABLE, OPTIONS, HANDS_OFF,
    FEEL, DISMISSIVE, WAIT, CLOSE, STATUS,
) = (1 << place for place in range(len(_GENERIC)))  # fmt: skip
END, COMMA, COLON, DASH, NUMBER, SLOT, ACTION, PAIR, BULLET, BLANK, ALTERNATIVES, VERIFYING = (
    1 << place for place in range(len(_GENERIC), len(_GENERIC) + 12)
)

_TABLE = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ()[]{}<>/|;_\r\t",
    b"abcdefghijklmnopqrstuvwxyz,,,,,,   \n, \n ",
)
_DELETED = b'*`~"'
_TYPOGRAPHIC = (
    ("\u2019", "'"), ("\u2018", "'"), ("\u2013", "-"), ("\u2014", " - "), ("\u2022", "-"), ("\u2011", "-"),
    ("\u2026", ". "), ("\u00a0", " "), ("\u202f", " "),
)  # fmt: skip
_QUESTION_WORDS = frozenset(("what", "which", "how", "when", "where", "who", "why"))
_MARKS = (("\n", END), (".", END), ("?", END), ("!", END), (",", COMMA), (":", COLON), ("-", DASH))
_BULLET = r"\n +(?:-|\d{1,2} [.,])"
_FIGURE = r"[$#]?\d[^ ]*"


class Term(NamedTuple):
    """What a phrase of the domain names: slots, actions, left and right halves of actions in two parts."""

    slots: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    opens: tuple[int, ...] = ()
    closes: tuple[tuple[int, str], ...] = ()


Cue = tuple[int, Term | None]
FIGURE: Cue = (NUMBER, None)


def normal(text: str) -> str:
    """ASCII lower case without Markdown marks; words, punctuation and line ends stand between spaces."""
    if not text.isascii():
        for mark, plain in _TYPOGRAPHIC:
            text = text.replace(mark, plain)
    if "\n* " in text:
        text = text.replace("\n* ", "\n- ")
    if "(" in text:
        text = text.replace("(s)", "s").replace("(", " (").replace(")", ") ")
    text = text.encode("ascii", "ignore").translate(_TABLE, _DELETED).decode("ascii")
    text = text.replace("e.g.", "eg").replace("i.e.", "ie").replace("\n", " \n ").replace(",", " , ")
    text = text.replace(". ", " . ").replace(": ", " : ").replace("?", " ? ").replace("!", " ! ")
    return f" \n {text} \n "


class Lexicon:
    """A domain's slots and actions and the generic cues, compiled together.

    `find` lists the phrases, figures, marks and line starts of a normalised text; `cue` knows each phrase's
    cue (it knows neither figures nor bullets).
    """

    def __init__(self, slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> None:
        table: dict[str, Cue] = {}
        for phrase, bits, term in (*_generic(), *_slots(slots), *_actions(actions)):
            key = " " + " ".join(normal(phrase).split())
            table[key] = _joined(table.get(key, (0, None)), (bits, term))
        for starter in cues().done_first:
            bits, term = table.get(f" {starter}", (0, None))
            for mark in ".\n!":
                table[f" {mark} {starter}"] = (bits | END | CLAIM, term)
        for mark, bits in _MARKS:
            table[f" {mark}"] = (bits, None)
        self.cue = table.get
        self.find = re.compile(_pattern(table)).findall


def _joined(old: Cue, new: Cue) -> Cue:
    bits = old[0] | new[0]
    if old[1] is None or new[1] is None:
        return bits, old[1] or new[1]
    a, b = old[1], new[1]
    return bits, Term(a.slots + b.slots, a.actions + b.actions, a.opens + b.opens, a.closes + b.closes)


def _generic() -> Iterator[tuple[str, int, None]]:
    table = cues()
    for place, name in enumerate(_GENERIC):
        for phrase in getattr(table, name):
            yield phrase, 1 << place, None
    for noun in table.deed_nouns:
        for verb in table.deed_verbs:
            yield f"{noun} {verb}", CLAIM, None


def _slots(slots: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, int, Term]]:
    for slot, phrases in slots.items():
        for phrase in phrases:
            bits = SLOT | WH if phrase.lower().split()[0] in _QUESTION_WORDS else SLOT
            yield phrase, bits, Term((slot,))
            if not phrase.endswith("s"):
                yield phrase + "s", bits, Term((slot,))


def _actions(actions: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, int, Term]]:
    halves = 0
    for action, phrases in actions.items():
        for phrase in phrases:
            left, gap, right = (part.strip() for part in phrase.lower().partition("~"))
            if not gap:
                for form in _forms(left):
                    yield form, ACTION, Term((), (action,))
                continue
            for form in _forms(left):
                yield form, PAIR, Term((), (), (halves,))
            for form in _forms(right):
                yield form, PAIR, Term((), (), (), ((halves, action),))
            halves += 1


def _forms(phrase: str) -> Iterable[str]:
    """The phrase with its first word inflected as a verb or a noun would be."""
    word, space, rest = phrase.partition(" ")
    stem = word[:-1] if word.endswith("e") else word
    forms = [word, word + "s", stem + "ed", stem + "ing"]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        forms += [word[:-1] + "ied", word[:-1] + "ies"]
    if len(word) > 2 and word[-1] not in "aeiouwxy" and word[-2] in "aeiou" and word[-3] not in "aeiou":
        forms += [word + word[-1] + "ed", word + word[-1] + "ing"]
    if word.endswith(("s", "sh", "ch", "x")):
        forms.append(word + "es")
    return dict.fromkeys(form + space + rest for form in forms)


def _pattern(phrases: Iterable[str]) -> str:
    root: dict[str, Any] = {}
    for phrase in phrases:
        node = root
        for letter in phrase:
            node = node.setdefault(letter, {})
        node[""] = {}
    return rf" (?:{_BULLET}|{_branch(root[' '])}|{_FIGURE})(?= )"


def _branch(node: dict[str, Any]) -> str:
    """The rest of the phrases below a node of the trie, longest first."""
    options = []
    for letter, child in node.items():
        if letter:
            options.append(re.escape(letter) + _branch(child))
    if not options:
        return ""
    body = options[0] if len(options) == 1 and "" not in node else f"(?:{'|'.join(options)})"
    return body + "?" if "" in node else body
