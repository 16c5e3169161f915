"""Literal phrases compiled for one pass over a text: a trie as a regular expression, and a cue for each phrase."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tau_emotion_gym.episode.phrases import cues

_BITS = {
    name: 1 << place
    for place, name in enumerate(
        "ask wh verify wish confirm permit open if_ or_ example neutral perf done done_first cannot unless "
        "reason offer hands_off feel dismissive wait close status end comma colon dash number slot action pair".split()
    )
}
(
    ASK, WH, VERIFY, WISH, CONFIRM, PERMIT, OPEN, IF, OR, EXAMPLE, NEUTRAL, PERF, DONE, DONE_FIRST, CANNOT, UNLESS,
    REASON, OFFER, HANDS_OFF, FEEL, DISMISSIVE, WAIT, CLOSE, STATUS, END, COMMA, COLON, DASH, NUMBER, SLOT, ACTION, PAIR,
) = _BITS.values()  # fmt: skip

_TABLE = bytes.maketrans(
    b'ABCDEFGHIJKLMNOPQRSTUVWXYZ"()[]{}<>/|;\r\t',
    b"abcdefghijklmnopqrstuvwxyz ,,,,,,   \n,\n ",
)
_MARKS = b"*`_~"
_TYPOGRAPHIC = (
    ("\u2019", "'"), ("\u2018", "'"), ("\u201c", " "), ("\u201d", " "), ("\u2013", "-"), ("\u2014", " - "),
    ("\u2022", "-"), ("\u2011", "-"), ("\u2026", ". "), ("\u00a0", " "), ("\u202f", " "),
)  # fmt: skip
_QUESTION_WORDS = frozenset(("what", "which", "how", "when", "where", "who", "why"))


class Cue(NamedTuple):
    """What one phrase means: `bits` of the generic cues, slots and actions it names, halves of pairs."""

    bits: int
    slots: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    opens: tuple[int, ...] = ()
    closes: tuple[tuple[int, str], ...] = ()


NUMBER_CUE = Cue(NUMBER)


def normal(text: str) -> str:
    """ASCII lower case without Markdown marks; every word and mark stands between single spaces or line ends."""
    if not text.isascii():
        for mark, plain in _TYPOGRAPHIC:
            text = text.replace(mark, plain)
    if "\n* " in text:
        text = text.replace("\n* ", "\n- ")
    text = text.encode("ascii", "ignore").translate(_TABLE, _MARKS).decode("ascii")
    text = text.replace("e.g.", "eg").replace("i.e.", "ie")
    text = text.replace("\n", " \n ").replace(". ", " . ").replace(", ", " , ").replace(": ", " : ")
    text = text.replace("?", " ? ").replace("!", " ! ")
    return f" {text} \n "


class Lexicon:
    """A domain's slots and actions and the generic cues, compiled together."""

    def __init__(self, slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> None:
        table: dict[str, Cue] = {}
        for phrase, cue in (*_generic(), *_slots(slots), *_actions(actions)):
            key = " " + " ".join(normal(phrase).split())
            old = table.get(key)
            table[key] = (
                cue
                if old is None
                else Cue(old[0] | cue[0], *(a + b for a, b in zip(old[1:], cue[1:], strict=True)))
            )
        for starter in cues().done_first:
            for ender in ".\n!":
                table[f" {ender} {starter}"] = _starting(table.get(f" {starter}"))
        for mark, bits in (
            ("\n", END),
            (".", END),
            ("?", END),
            ("!", END),
            (",", COMMA),
            (":", COLON),
            ("-", DASH),
        ):
            table[" " + mark] = Cue(bits)
        self.cue = table.get
        self.find = re.compile(_pattern(table)).findall


def _starting(cue: Cue | None) -> Cue:
    return cue._replace(bits=cue.bits | END | DONE_FIRST) if cue else Cue(END | DONE_FIRST)


def _generic() -> Iterator[tuple[str, Cue]]:
    table = cues()
    for name, bit in _BITS.items():
        if name != "done_first":
            for phrase in getattr(table, name, ()):
                yield phrase, Cue(bit)


def _slots(slots: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Cue]]:
    for slot, phrases in slots.items():
        for phrase in phrases:
            first, _, rest = phrase.lower().partition(" ")
            bits = SLOT | WH if first in _QUESTION_WORDS else SLOT
            yield phrase, Cue(bits, (slot,))
            if not phrase.endswith("s") and phrase not in _QUESTION_WORDS:
                yield phrase + "s", Cue(bits, (slot,))


def _actions(actions: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Cue]]:
    pair = 0
    for action, phrases in actions.items():
        for phrase in phrases:
            left, gap, right = (part.strip() for part in phrase.lower().partition("~"))
            if not gap:
                for form in _forms(left):
                    yield form, Cue(ACTION, (), (action,))
                continue
            for form in _forms(left):
                yield form, Cue(PAIR, (), (), (pair,))
            for form in _forms(right):
                yield form, Cue(PAIR, (), (), (), ((pair, action),))
            pair += 1


def _forms(phrase: str) -> Iterable[str]:
    """The phrase with its first word inflected as a verb or noun would be."""
    word, space, rest = phrase.partition(" ")
    stem = word[:-1] if word.endswith("e") else word
    ends = [stem + "ed", stem + "ing", word + "s", word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        ends += [word[:-1] + "ied", word[:-1] + "ies"]
    if len(word) > 2 and word[-1] not in "aeiouwxy" and word[-2] in "aeiou" and word[-3] not in "aeiou":
        ends += [word + word[-1] + "ed", word + word[-1] + "ing"]
    if word.endswith(("s", "sh", "ch", "x")):
        ends.append(word + "es")
    return dict.fromkeys(end + space + rest for end in ends)


def _pattern(phrases: Iterable[str]) -> str:
    """All phrases as one trie, longest first, each up to a space; a number is a cue too."""
    root: dict[str, Any] = {}
    for phrase in phrases:
        node = root
        for letter in phrase:
            node = node.setdefault(letter, {})
        node[""] = True
    branches = _branch(root[" "])
    return rf" (?:{branches}|[$#]?\d[^ ]*)(?= )"


def _branch(node: dict[str, Any]) -> str:
    options = []
    for letter, child in node.items():
        if letter:
            tail = letter
            while len(child) == 1 and "" not in child:
                ((letter, child),) = child.items()
                tail += letter
            options.append(re.escape(tail) + (_branch(child) if len(child) > 1 or "" not in child else ""))
    body = options[0] if len(options) == 1 else "(?:" + "|".join(options) + ")"
    return f"(?:{body})?" if "" in node and options else body if options else ""
