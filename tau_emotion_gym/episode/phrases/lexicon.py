"""Literal phrases compiled for one pass over a text: a trie as a regular expression, and a cue per phrase."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tau_emotion_gym.episode.phrases import Cues, cues

# Two sets of bits, each small enough for the interpreter's fast path. Acts steer the reading of a sentence.
(
    END, COMMA, COLON, DASH, NUMBER, SLOT, ACTION, PAIR, ASK, WH, VERIFY, WISH, FACT, PURPOSE, EXCLUDE, CONFIRM,
    PERMIT, OPEN, IF, CHOICE, WHEN, OR, EXAMPLE, PERF, DONE, CLAIM, CANNOT, LACKING, ABLE,
) = (1 << place for place in range(29))  # fmt: skip
# Flags only colour it; the last six are set by the reader.
(
    CONFIRM_SOFT, YESNO, NEUTRAL, UNLESS, REASON, OFFER, WANT, OPTIONS, HANDS_OFF, FEEL, DISMISSIVE, WAIT, CLOSE,
    STATUS, PAST, BULLET, BLANK, ALTERNATIVES, VERIFYING, AGREED, PAST_DEED,
) = (1 << place for place in range(21))  # fmt: skip

_ACTS = {
    "ask": ASK, "wh": WH, "verify": VERIFY, "wish": WISH, "fact": FACT, "purpose": PURPOSE, "exclude": EXCLUDE,
    "confirm": CONFIRM, "permit": PERMIT, "open": OPEN, "if_": IF, "choice": CHOICE, "when": WHEN, "or_": OR,
    "example": EXAMPLE, "perf": PERF, "done": DONE, "claim": CLAIM, "cannot": CANNOT, "lacking": LACKING,
    "able": ABLE,
}  # fmt: skip
_FLAGS = {
    "confirm_soft": CONFIRM_SOFT, "yesno": YESNO, "neutral": NEUTRAL, "unless": UNLESS, "reason": REASON,
    "offer": OFFER, "want": WANT, "options": OPTIONS, "hands_off": HANDS_OFF, "feel": FEEL,
    "dismissive": DISMISSIVE, "wait": WAIT, "close": CLOSE, "status": STATUS, "past": PAST,
}  # fmt: skip
_COMBINED = ("done_first", "deed_nouns", "deed_verbs", "go_ahead", "do_this", "irregular")
assert {*_ACTS, *_FLAGS, *_COMBINED} == set(Cues.__struct_fields__)

_TABLE = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ()[]{}<>/|;_\r\t",
    b"abcdefghijklmnopqrstuvwxyz,,,,,,   \n, \n ",
)
_DELETED = b'*`~"'
_TYPOGRAPHIC = (
    ("\u2019", "'"), ("\u2018", "'"), ("\u2013", "-"), ("\u2014", " - "), ("\u2022", "-"), ("\u2011", "-"),
    ("\u2026", ". "), ("\u00a0", " "), ("\u202f", " "),
)  # fmt: skip
_WAS = frozenset(("was", "were"))
_PREFIXES = ("re", "un", "over")
_QUESTION_WORDS = frozenset(("what", "which", "how", "when", "where", "who", "why"))
_MARKS = (("\n", END), ("\v", END), (".", END), ("?", END), ("!", END), (",", COMMA), (":", COLON), ("-", DASH))
_BULLET = r"[\n\v] +(?:-|\d{1,2} [.,])"
_FIGURE = r"[$#]?\d[^ ]*"


class Term(NamedTuple):
    """What a phrase of the domain names: slots, actions, left and right halves of actions in two parts."""

    slots: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    opens: int = 0
    """One bit for each action in two parts whose left half this is."""
    closes: int = 0
    """The same for right halves."""
    closed: tuple[tuple[int, str], ...] = ()
    """Each bit of `closes` with its action."""

    def ends(self, opened: int) -> tuple[str, ...]:
        """The actions that this right half completes."""
        return tuple(action for half, action in self.closed if half & opened)


Cue = tuple[int, int, Term | None]
"""Acts, flags, and what it names."""

FIGURE: Cue = (NUMBER, 0, None)
_NOTHING: Cue = (0, 0, None)


def normal(text: str) -> str:
    """ASCII lower case without Markdown; words, marks, line ends and blank lines stand between spaces."""
    if not text.isascii():
        for mark, plain in _TYPOGRAPHIC:
            text = text.replace(mark, plain)
    if "\n* " in text:
        text = text.replace("\n* ", "\n- ")
    if "(" in text:
        text = text.replace("(s)", "s").replace("(", " (").replace(")", ") ")
    text = text.encode("ascii", "ignore").translate(_TABLE, _DELETED).decode("ascii")
    text = (
        f"\n{text}\n".replace("\n", " \n ")
        .replace("e.g.", "eg")
        .replace("i.e.", "ie")
        .replace(", ", ",")
        .replace(",", " , ")
    )
    text = text.replace(". ", " . ").replace(": ", " : ").replace("?", " ? ").replace("!", " ! ")
    return text.replace(" . \n", " \n").replace(" \n  \n", " \v")


class Lexicon:
    """A domain's slots and actions and the generic cues, compiled together.

    `find` lists the phrases, figures, marks and line starts of a normalised text; `cue` knows each phrase's
    cue (it knows neither figures nor bullets).
    """

    def __init__(self, slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> None:
        table: dict[str, Cue] = {}
        for phrase, cue in (*_generic(), *_slots(slots), *_actions(actions)):
            key = _key(phrase)
            table[key] = _joined(table.get(key, _NOTHING), cue)
        _inherit_halves(table)
        for phrase in cues().purpose:
            first, _, deed = phrase.partition(" ")
            if first == "to":
                table[_key(phrase)] = _joined((PURPOSE, 0, None), table.get(_key(deed), _NOTHING))
        _inherit_actions(table)
        for noun in cues().deed_nouns:
            for verb in cues().deed_verbs:
                key = _key(f"{noun} {verb}")
                table[key] = _joined(table.get(key, _NOTHING), _deed(table, _key(noun), _key(verb)))
        for starter in cues().done_first:
            acts, flags, term = table.get(_key(starter), _NOTHING)
            for mark in ".\n\v!":
                table[f" {mark}{_key(starter)}"] = (acts | END | CLAIM, flags, term)
        for mark, act in _MARKS:
            table[f" {mark}"] = (act, 0, None)
        self.cue = table.get
        self.find = re.compile(_pattern(table)).findall


def _key(phrase: str) -> str:
    return " " + " ".join(normal(phrase).split())


def _joined(old: Cue, new: Cue) -> Cue:
    a, b = old[2], new[2]
    if a and b:
        term: Term | None = Term(
            a.slots + b.slots, a.actions + b.actions, a.opens | b.opens, a.closes | b.closes, a.closed + b.closed
        )
    else:
        term = a or b
    return old[0] | new[0], old[1] | new[1], term


def _inherit_halves(table: dict[str, Cue]) -> None:
    """A phrase has the halves of the phrases within it: "travel insurance" closes what "insurance" closes."""
    halves = {key: cue[2] for key, cue in table.items() if cue[2] and (cue[2].opens or cue[2].closes)}
    for key in [key for key, cue in table.items() if cue[2] and not cue[0] & ACTION and key.count(" ") > 1]:
        words = key.split()
        for i in range(len(words)):
            for j in range(i + 1, len(words) + (i > 0)):
                term = halves.get(" " + " ".join(words[i:j]))
                if term:
                    table[key] = _joined(table[key], (PAIR, 0, Term((), (), term.opens, term.closes, term.closed)))


def _inherit_actions(table: dict[str, Cue]) -> None:
    """A generic phrase names the actions of the longest phrases within it ("I cancelled", "hold on"), unless it
    is neutral. A neutral "was paid" is none where paying is an action: there it is a deed."""
    named = {key: cue[2].actions for key, cue in table.items() if cue[2] and cue[2].actions}
    for key, (_, flags, term) in list(table.items()):
        words = key.split()
        if term or len(words) == 1:
            continue
        if flags & NEUTRAL:
            if words[0] in _WAS and f" {words[-1]}" in named and len(words) == 2:
                del table[key]
            continue
        found = dict.fromkeys(action for inner in _longest(words, named) for action in named[inner])
        if found:
            table[key] = _joined(table[key], (ACTION, 0, Term((), tuple(found))))


def _longest(words: list[str], phrases: Mapping[str, Any]) -> Iterator[str]:
    """The phrases in a row of words, from left to right, the longest at each place."""
    start = 0
    while start < len(words):
        for end in range(len(words), start, -1):
            key = " " + " ".join(words[start:end])
            if key in phrases:
                yield key
                start = end - 1
                break
        start += 1


def _deed(table: dict[str, Cue], noun: str, verb: str) -> Cue:
    """The claim that "noun verb" makes, with the actions that the domain sees in it."""
    left, right = table.get(noun, _NOTHING)[2] or Term(), table.get(verb, _NOTHING)[2] or Term()
    named = dict.fromkeys(left.actions + right.actions + right.ends(left.opens))
    return CLAIM, 0, Term((), tuple(named))


def _generic() -> Iterator[tuple[str, Cue]]:
    table = cues()
    for name, act in _ACTS.items():
        for phrase in getattr(table, name):
            yield phrase, (act, 0, None)
    for name, flag in _FLAGS.items():
        for phrase in getattr(table, name):
            yield phrase, (0, flag, None)
    for permit in table.permit:
        for deed in table.go_ahead:
            yield f"{permit} {deed}", (CONFIRM, 0, None)
        for deed in table.do_this:
            yield f"{permit} {deed}", (PERMIT, CONFIRM_SOFT, None)


def _slots(slots: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Cue]]:
    for slot, phrases in slots.items():
        for phrase in phrases:
            acts = SLOT | WH if phrase.lower().split()[0] in _QUESTION_WORDS else SLOT
            for form in (phrase,) if phrase.endswith("s") else (phrase, phrase + "s"):
                yield form, (acts, 0, Term((slot,)))
                yield form + " is", (acts | FACT, 0, Term((slot,)))
                yield form + " are", (acts | FACT, 0, Term((slot,)))


def _actions(actions: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Cue]]:
    half = 1
    for action, phrases in actions.items():
        for phrase in phrases:
            left, gap, right = (part.strip() for part in phrase.lower().partition("~"))
            if not gap:
                yield from _verb(left, ACTION, Term((), (action,)))
                continue
            yield from _verb(left, PAIR, Term((), (), half))
            for form in _forms(right):
                yield form, (PAIR, 0, Term((), (), 0, half, ((half, action),)))
            half <<= 1


def _verb(phrase: str, act: int, term: Term) -> Iterator[tuple[str, Cue]]:
    """An action's phrase in all its forms; its participles are deeds, and "I renewed" is a claim."""
    for form in _forms(phrase):
        yield form, (act, 0, term)
    for form in _pasts(phrase):
        yield form, (act | DONE, 0, term)
        for person in ("i", "we"):
            yield f"{person} {form}", (act | CLAIM, 0, term)


def _forms(phrase: str) -> Iterable[str]:
    """The phrase with its first word inflected as a verb or a noun would be."""
    word, space, rest = phrase.partition(" ")
    stem = word[:-1] if word.endswith("e") else word
    forms = [word, word + "s", stem + "ing", *_past(word)]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        forms.append(word[:-1] + "ies")
    if _doubles(word):
        forms.append(word + word[-1] + "ing")
    if word.endswith(("s", "sh", "ch", "x")):
        forms.append(word + "es")
    return dict.fromkeys(form + space + rest for form in forms)


def _pasts(phrase: str) -> Iterable[str]:
    """The phrase with its first word in the past tense and as a participle."""
    word, space, rest = phrase.partition(" ")
    return dict.fromkeys(form + space + rest for form in _past(word))


def _past(verb: str) -> list[str]:
    """The forms that a regular verb would have, and those of an irregular one ("unfreeze" like "freeze")."""
    forms = [verb + "d" if verb.endswith("e") else verb + "ed"]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        forms.append(verb[:-1] + "ied")
    if _doubles(verb):
        forms.append(verb + verb[-1] + "ed")
    irregular = cues().irregular
    for prefix in ("", *_PREFIXES):
        if verb.startswith(prefix) and (bare := verb.removeprefix(prefix)) in irregular:
            forms += [prefix + form for form in irregular[bare]]
    return forms


def _doubles(verb: str) -> bool:
    """Whether the last consonant may be doubled: "cancelled", "swapped"."""
    end = verb[-3:]
    return len(end) == 3 and end[2] not in "aeiouwxy" and end[1] in "aeiou" and end[0] not in "aeiou"


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
    options = [re.escape(letter) + _branch(child) for letter, child in node.items() if letter]
    if not options:
        return ""
    body = options[0] if len(options) == 1 and "" not in node else f"(?:{'|'.join(options)})"
    return body + "?" if "" in node else body
