"""Literal phrases compiled for one pass over a text: a trie as a regular expression, and a cue per phrase."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tau_emotion_gym.episode.phrases import Cues, cues
from tau_emotion_gym.episode.phrases.bits import (
    ACTION,
    ACTS,
    ASK,
    CLAIM,
    COLON,
    COMMA,
    CONFIRM,
    CONFIRM_SOFT,
    DASH,
    DISMISSIVE,
    DONE,
    END,
    FACT,
    FLAGS,
    NEUTRAL,
    NUMBER,
    OPEN,
    PAIR,
    PERF,
    PERMIT,
    POLITE,
    PURPOSE,
    SLOT,
    STATE,
    VERIFY,
    WAIT,
    WH,
)
from tau_emotion_gym.episode.phrases.normal import normal
from tau_emotion_gym.episode.phrases.verbs import forms, pasts

_COMBINED = (
    "identity",
    "identity_leads",
    "leave",
    "state_verbs",
    "insults",
    "insult_leads",
    "done_first",
    "deed_nouns",
    "deed_verbs",
    "go_ahead",
    "do_this",
    "work_leads",
    "work_verbs",
    "polite",
    "irregular",
)
assert {*ACTS, *FLAGS, *_COMBINED} == set(Cues.__struct_fields__)

_MANAGED = ("i was able to", "we were able to", "i managed to", "i've managed to", "we managed to")
_ANNOUNCED = ("i'll", "i will", "let me")
_STATES = ("is", "are", "it's", "that's")
_WAS = frozenset(("was", "were"))
_QUESTION_WORDS = frozenset(("what", "which", "how", "when", "where", "who", "whose", "why"))
_MARKS = (("\n", END), ("\v", END), (".", END), ("?", END), ("!", END), (",", COMMA), (":", COLON), ("-", DASH))
_BULLET = " +(?:-|[0-9]{1,2} [.,])(?= )"
_FIGURE = "[0-9]|[$#][0-9]"
_ALWAYS_APART = ",?"
"""Marks that begin no longer key and have spaces around them wherever they stand in a normalised text."""
_COMMON = "".join(reversed("etaoinsrhldcumfpgwybvkxjqz"))
"""Letters, the most frequent ones last: the order in which a branch of the trie is worth trying."""


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


Cue = tuple[int, int, Term | None]
"""Acts, flags, and what it names."""

Names = tuple[tuple[str, ...], tuple[str, ...], int, int, tuple[tuple[int, str], ...]]
"""A term as a plain tuple, which takes apart much faster than a named one."""

Hit = tuple[int, int, Names | None, str]
"""A cue, and the mark by which it ends the sentence before it: "", or one of `.?!`, a line end, a blank line."""

_NOTHING: Cue = (0, 0, None)


class _Hits(dict[str, Hit]):
    """What each match means. Of the lines that start with a bullet only the usual ones are listed."""

    def __missing__(self, match: str) -> Hit:
        return END | NUMBER, 0, None, match[1]


class Lexicon:
    """A domain's slots and actions and the generic cues, compiled together."""

    def __init__(self, slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> None:
        table = _phrases(slots, actions)
        hits = _Hits((key, _hit(*cue)) for key, cue in table.items())
        for key in [key for key in table if key.endswith(" ?")]:
            hits[key] = _hit(END, table[key][1], None, "?")
        for starter in cues().done_first:
            acts, flags, term = table.get(_key(starter), _NOTHING)
            hits[f" -{_key(starter)}"] = _hit(acts & ~DONE, flags | STATE, term)
            for mark in (".", "\n", "\v", "! "):
                hits[f" {mark}{_key(starter)}"] = _hit(acts | END | CLAIM, flags, term, mark[0])
        for mark, act in _MARKS:
            hits[f" {mark}"] = _hit(act, 0, None, mark if act == END else "")
        self._find = re.compile(_pattern(hits)).findall
        for figure in range(10):
            for sign in ("", "$", "#"):
                hits[f" {sign}{figure}"] = _hit(NUMBER, 0)
        for mark in "\n\v":
            for bullet in ("-", "  -", "   -", *(f"{number} {stop}" for number in range(1, 21) for stop in ".,")):
                hits[f" {mark} {bullet}"] = _hit(END | NUMBER, 0, None, mark)
        self._hit = hits.__getitem__
        self.cues: Mapping[str, Hit] = hits
        """Every phrase as it stands in a normalised text, and what it means."""

    def hits(self, text: str) -> Iterator[Hit]:
        """The phrases, figures, marks and line starts of a normalised text, in order."""
        return map(self._hit, self._find(text))


def ends(closed: tuple[tuple[int, str], ...], opened: int) -> list[str]:
    """The actions that a right half completes."""
    return [action for half, action in closed if half & opened]


def _hit(acts: int, flags: int, term: Term | None = None, mark: str = "") -> Hit:
    return acts, flags, term and tuple(term), mark  # type: ignore[return-value]


def _phrases(slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> dict[str, Cue]:
    table: dict[str, Cue] = {}

    def add(key: str, cue: Cue) -> None:
        table[key] = _joined(table.get(key, _NOTHING), cue)

    for phrase, cue in (*_generic(), *_slots(slots), *_actions(actions)):
        add(_key(phrase), cue)
    _inherit_halves(table)
    for phrase in cues().purpose:
        first, _, deed = phrase.partition(" ")
        if first == "to":
            table[_key(phrase)] = _joined((PURPOSE, 0, None), table.get(_key(deed), _NOTHING))
    _inherit_actions(table)
    for noun in cues().deed_nouns:
        for verb in cues().deed_verbs:
            add(_key(f"{noun} {verb}"), _deed(table, _key(noun), _key(verb)))
    polite = tuple(_key(phrase) + " " for phrase in cues().polite)
    for key, (acts, flags, term) in table.items():
        if acts & ASK and f"{key} ".startswith(polite):
            table[key] = acts | POLITE, flags, term
    return table


def _key(phrase: str) -> str:
    """The phrase as it stands in a normalised text, where a comma has a space before it and two after it."""
    return " " + " ".join(normal(phrase).split()).replace(" , ", " ,  ")


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
    named = dict.fromkeys((*left.actions, *right.actions, *ends(right.closed, left.opens)))
    return CLAIM, 0, Term((), tuple(named))


def _generic() -> Iterator[tuple[str, Cue]]:
    table = cues()
    for name, act in ACTS.items():
        for phrase in getattr(table, name):
            yield phrase, (act, 0, None)
    for name, flag in FLAGS.items():
        for phrase in getattr(table, name):
            yield phrase, (0, flag, None)
    for permit in table.permit:
        for deed in table.go_ahead:
            yield f"{permit} {deed}", (CONFIRM, 0, None)
        for deed in table.do_this:
            yield f"{permit} {deed}", (PERMIT, CONFIRM_SOFT, None)
    for lead in table.leave:
        for deed in table.go_ahead:
            yield f"{lead} {deed}", (CONFIRM, 0, None)
        for deed in table.do_this:
            yield f"{lead} {deed}", (0, CONFIRM_SOFT, None)
    for leads, tails, cue in (
        (table.work_leads, table.work_verbs, (0, WAIT, None)),
        (table.identity_leads, table.identity, (VERIFY | OPEN, 0, None)),
        (table.insult_leads, table.insults, (0, DISMISSIVE, None)),
        (_STATES, table.state_verbs, (0, STATE, None)),
    ):
        for lead in leads:
            for tail in tails:
                yield f"{lead} {tail}", cue


def _slots(slots: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Cue]]:
    for slot, phrases in slots.items():
        for phrase in phrases:
            asking = not _QUESTION_WORDS.isdisjoint(phrase.lower().split()[:2])
            acts = SLOT | WH if asking else SLOT
            if asking:
                yield phrase + "'s", (acts, 0, Term((slot,)))
            for form in (phrase,) if phrase.endswith("s") else (phrase, phrase + "s"):
                yield form, (acts, 0, Term((slot,)))
                yield form + " is", (acts | FACT, 0, Term((slot,)))
                yield form + " are", (acts | FACT, 0, Term((slot,)))
                yield form + " is now", (acts | FACT | PERF | CLAIM, 0, Term((slot,)))


def _actions(actions: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Cue]]:
    half = 1
    for action, phrases in actions.items():
        for phrase in phrases:
            left, gap, right = (part.strip() for part in phrase.lower().partition("~"))
            if not gap:
                yield from _verb(left, ACTION, Term((), (action,)))
                continue
            yield from _verb(left, PAIR, Term((), (), half))
            for form in forms(right):
                yield form, (PAIR, 0, Term((), (), 0, half, ((half, action),)))
            half <<= 1


def _verb(phrase: str, act: int, term: Term) -> Iterator[tuple[str, Cue]]:
    """An action's phrase in all its forms; its participles are deeds, "I renewed" and "I managed to renew" claims."""
    for lead in _MANAGED:
        yield f"{lead} {phrase}", (act | CLAIM, 0, term)
    for lead in _ANNOUNCED:
        yield f"{lead} {phrase}", (act, WAIT, term)
    for form in forms(phrase):
        yield form, (act, 0, term)
    for form in pasts(phrase):
        yield form, (act | DONE, 0, term)
        for state in _STATES:
            yield f"{state} {form}", (act, STATE, term)
        for person in ("i", "we", "i just", "we just"):
            yield f"{person} {form}", (act | CLAIM, 0, term)


def _pattern(keys: Iterable[str]) -> str:
    """A regular expression for the keys, which begin with a space and end before one, and for figures.

    Python's engine skips an alternative quickly only if it begins with a letter or with a set, so nothing here
    begins with anything optional.
    """
    root: dict[str, Any] = {}
    for key in keys:
        node = root
        for letter in key:
            node = node.setdefault(letter, {})
        node[""] = {}
    words = root[" "]
    for mark in _ALWAYS_APART:
        assert words.pop(mark) == {"": {}}
    lines = [f"{mark}(?:{_BULLET}|{'|'.join(_branches(words.pop(mark)))})" for mark in "\n\v"]
    ends = [re.escape(mark) + _either(_branches(words.pop(mark))) for mark in ".!:"]
    return f" (?:[{_ALWAYS_APART}]|(?:{'|'.join([*lines, *ends, *_branches(words)])})(?= )|{_FIGURE})"


def _branches(node: dict[str, Any]) -> list[str]:
    """The rests of the keys below a node of the trie: longest first, then the most frequent letters.

    An empty alternative for the key that ends here is much cheaper than making all others optional. One look at
    the space after a key, behind them all, compiles in half the time that one for each key takes.
    """
    letters = sorted((letter for letter in node if letter), key=_COMMON.find, reverse=True)
    options = [re.escape(letter) + _either(_branches(node[letter])) for letter in letters]
    return [*options, ""] if "" in node else options


def _either(options: list[str]) -> str:
    return options[0] if len(options) == 1 else f"(?:{'|'.join(options)})"
