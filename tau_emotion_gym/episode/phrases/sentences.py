"""A message's sentences: where they begin and end, and what the cues of each one add up to.

A sentence that stands under no header means the same wherever it stands, and agents repeat their sentences, so those
are read once and remembered.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from tau_emotion_gym.episode.phrases.bits import (
    ABLE,
    ACTION,
    AGREED,
    ALTERNATIVES,
    ASK,
    BLANK,
    BULLET,
    CANNOT,
    CHOICE,
    CLAIM,
    COLON,
    CONFIRM,
    DONE,
    END,
    EXAMPLE,
    EXCLUDE,
    FACT,
    IF,
    LACKING,
    NUMBER,
    OFFER,
    OPEN,
    OR,
    PAIR,
    PAST,
    PAST_DEED,
    PERF,
    PERMIT,
    PLAIN,
    POLITE,
    PURPOSE,
    SLOT,
    STATE,
    STATUS,
    VERIFY,
    VERIFYING,
    WH,
    WHEN,
    WISH,
)
from tau_emotion_gym.episode.phrases.judge import TINTED, WEIGHTY, Message
from tau_emotion_gym.episode.phrases.lexicon import Hit, Lexicon, ends

LONGEST_ALIKE = 4000
"""Characters of a text in which figures are made alike; of longer ones hardly a piece occurs again."""

LONGEST_KEPT = 240
"""Characters of a piece that is remembered."""

KEPT_PIECES = 4096
"""When so many are remembered, all are forgotten: a dictionary is lighter than keeping the order of use."""

_CUT = " \x01 "
"""Stands between two pieces for a moment; no normalised text has it."""

_MARKS = ((" ? ", f" ?{_CUT}"), (" . ", f"{_CUT}. "), (" \n", f"{_CUT}\n"), (" \v", f"{_CUT}\v"))
_LINES = (" \n", " \v")
_BULLETED = re.compile(r" [\n\v] +(?:-|[0-9]{1,2} [.,])(?= )").match
_NUMBERED = re.compile(rf"([\n\v] +[0-9]{{1,2}}){_CUT}(?=\.)")
_FIGURE = re.compile("[0-9]")
_ONLY_A_FIGURE = re.compile(" [$#]?[0-9]").fullmatch
_ANY_DIGIT = bytes.maketrans(b"123456789", b"000000000")

Sentence = tuple[int, int, bool, tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]
"""What a sentence adds up to: acts, flags, whether it ends with a question mark, slots asked for, slots named, actions,
deeds, and whether anything in it needs judgement."""

_STOP: Hit = (END, 0, None, ".")
_NOT_IN_CONDITION = ~(ASK | WH | VERIFY | OPEN | PERF | DONE | CLAIM | CANNOT | LACKING | SLOT)
_STOPS_ASKING = CANNOT | PERMIT | PURPOSE | EXCLUDE
_ASKING = ASK | VERIFY | FACT | WH | CONFIRM | _STOPS_ASKING
_LINKING = IF | WHEN | OR | EXAMPLE | ABLE
_CONDITION = IF | WHEN
_DOING = PERF | DONE | CLAIM
_LEAVE = PERMIT | OPEN
_SETTLED = WH | PURPOSE
_NOT_END = ~(END | NUMBER)
_NOT_PAST = ~PAST
_MEANS_YES = WISH | CONFIRM | ACTION
_STATED = _MEANS_YES | FACT | PURPOSE


class Sentences:
    """Finds and follows the sentences of normalised messages in the words of one domain."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._hits = lexicon.hits
        self._seams = tuple(dict.fromkeys(_seams(lexicon.cues)))
        self._numbered = _shortest(_numbered(lexicon.cues))
        self._known: dict[str, tuple[Sentence, ...]] = {}

    def follow(self, text: str, message: Message) -> None:
        """Judge the sentences of a normalised text one by one; what they add up to stands in `message`."""
        bullet = lines = 0
        known = self._known
        for piece in self.pieces(text):
            context = 0
            if piece.startswith(_LINES):
                lines += 1 if piece[1] == "\n" else 2
                bullet = BULLET if _BULLETED(piece) else 0
                if bullet or message.context:
                    context = message.line(bullet)
            if context:
                found = scan(self._hits(piece), context, bullet)
            elif (remembered := known.get(piece)) is not None:
                found = remembered
            else:
                found = self._read(piece)
            for seen, flags, question, asked, named, acts, deeds, weighs in found:
                if weighs or message.context or message.opened:
                    flags |= bullet | BLANK if lines > 1 else bullet
                    message.sentence(seen, flags, question, asked, named, acts, deeds)
                else:
                    message.flags |= flags
                    message.following = False
                    if seen & NUMBER or flags & STATUS:
                        message.informs = True
                lines = 0

    def _read(self, piece: str) -> tuple[Sentence, ...]:
        """The sentences of a piece under no header, which are remembered from then on."""
        found = scan(self._hits(piece), 0, 0)
        if len(piece) <= LONGEST_KEPT:
            if len(self._known) >= KEPT_PIECES:
                self._known.clear()
            self._known[piece] = found
        return found

    def pieces(self, text: str) -> list[str]:
        """The text cut behind question marks and before full stops and line ends, but through no phrase and no bullet.

        Nothing stands before the first line's beginning and behind the last one's end. In a text that is not too long
        and cannot hold a phrase with a figure of its own, one figure is as good as another: all are "0" there, so
        that sentences which differ in nothing else are the same piece.
        """
        if len(text) <= LONGEST_ALIKE and not any([phrase in text for phrase in self._numbered]):  # noqa: C419 (faster)
            text = text.encode("ascii").translate(_ANY_DIGIT).decode("ascii")
        cut = _cut(text)
        for seam, whole in self._seams:
            if seam in cut:
                cut = cut.replace(seam, whole)
        if _has_lines(cut) or cut.lstrip(" \x01\n")[:1].isdigit():
            cut = _NUMBERED.sub(r"\1 ", cut)
        return cut.split("\x01")[1:-1]


def _cut(text: str) -> str:
    for mark, cut in _MARKS:
        text = text.replace(mark, cut)
    return text


def _has_lines(text: str) -> bool:
    """Whether a normalised text has more than one line: its two ends are line ends already."""
    return text.count("\n") > 2 or "\v" in text


def _seams(cues: Mapping[str, Hit]) -> Iterator[tuple[str, str]]:
    """Where a cut would go through a phrase, like "e.g.": the word before it, or the mark that the phrase begins with;
    as they are then, and as they should be. Too few cuts do no harm."""
    for key, (act, _, _, _) in cues.items():
        if key.startswith(_LINES):
            continue
        head, *parts = _cut(f"{key} ").removesuffix("\x01 ").rstrip().split("\x01")
        for part in parts:
            word = head.rstrip().rpartition(" ")[2]
            if word == "?":
                word = head.rstrip(" ?").rpartition(" ")[2] + " ?"
                yield f" {word}{_CUT}", f" {word} "
            elif word:
                yield f"{word}{_CUT}{part.lstrip()[:1]}", f"{word} {part.lstrip()[:1]}"
            elif not act & END:
                yield f"{_CUT}{part.strip()}", f" {part.strip()}"
            head = part


def _numbered(cues: Iterable[str]) -> Iterator[str]:
    """What stands before the first figure in phrases like "tier 2"."""
    for key in cues:
        figure = _FIGURE.search(key)
        if figure and not (_ONLY_A_FIGURE(key) or key.startswith(_LINES)):
            yield key[: figure.start()]


def _shortest(texts: Iterable[str]) -> tuple[str, ...]:
    """Those in which no other one stands: who looks for them finds all."""
    found: list[str] = []
    for text in sorted(set(texts), key=len):
        if not any(other in text for other in found):
            found.append(text)
    return tuple(found)


def scan(hits: Iterable[Hit], context: int, bullet: int) -> tuple[Sentence, ...]:
    """Follow the cues of a piece, which may hold several sentences but only one beginning of a line, its own.

    Args:
        hits: the cues.
        context: `ASK` or `VERIFY` in a list of things to give or to confirm, else 0.
        bullet: `BULLET` in a line that begins with a bullet, else 0.

    One loop with all its state in local variables, since it runs some ten times for a sentence. Of the sentence:

    - `seen`, `flags`: its acts and flags so far; `since`: its acts since it began to verify; `last`: the last act;
    - `asking`, `verifying`: whether a slot named now is asked for, outright or by "please confirm";
      `listed`: it is because of a header above;
    - `asked`, `named`: slots that are asked for, and that are only named; `acts`, `deeds`: actions, and those done;
    - `opened`: left halves of actions in two parts; `performed`: for how many more cues a participle is a deed;
    - `conditional`, `example`, `claimed`: within a condition, after "for example", a claim was made.
    """
    found: list[Sentence] = []
    opened = seen = since = flags = last = performed = 0
    asking = verifying = listed = conditional = example = claimed = False
    asked: list[str] = []
    named: list[str] = []
    acts: list[str] = []
    deeds: list[str] = []
    for act, flag, names, mark in (*hits, _STOP):
        if act & END:
            asks = mark == "?"
            if asks:
                flags |= flag
            if seen or flags:
                if last == COLON:
                    seen |= COLON
                if verifying:
                    flags |= VERIFYING | AGREED if since & _MEANS_YES else VERIFYING
                if claimed:
                    deeds += acts
                    acts = []
                weighs = bool(seen & WEIGHTY or flags & TINTED or asked or asks)
                found.append((seen, flags, asks, tuple(asked), tuple(named), tuple(acts), tuple(deeds), weighs))
                opened = seen = since = flags = performed = 0
                conditional = example = claimed = False
                if asked or named:
                    asked, named = [], []
                if acts or deeds:
                    acts, deeds = [], []
            last = 0
            if not asks:
                flags |= flag
            asking = verifying = listed = False
            if context and mark < " ":
                listed = True
                asking = context == ASK
                verifying = not asking
            act &= _NOT_END
            if not act:
                continue
        elif act <= PLAIN:
            flags |= flag
            if act == NUMBER:
                if not example:
                    seen |= act
                    last = act
                    if verifying and listed and asked:
                        named += asked
                        asked = []
                continue
            if act == PAIR:
                if names and not names[3] & opened:
                    opened |= names[2]
                    seen |= act
                    last = act
                    continue
            elif act:
                conditional = False
                performed = 0
                if claimed:
                    deeds += acts
                    acts = []
                    claimed = False
                last = act
                if act == COLON and bullet and listed and verifying:
                    named += asked
                    asked = []
                    verifying = listed = False
                continue
            else:
                continue
        else:
            flags |= flag
        before = last
        last = act
        if conditional:
            if act & POLITE:
                conditional = False
            else:
                act &= _NOT_IN_CONDITION
        if act & _LEAVE and seen & _SETTLED:
            act &= ~PERMIT if seen & WH else ~OPEN
        if names:
            _, actions, opens, closes, closed = names
            if closes & opened:
                acts += ends(closed, opened)
                act |= ACTION
            opened |= opens
            if actions:
                acts += actions
        seen |= act
        if verifying:
            since |= act
        if act & _ASKING:
            if act & ASK:
                if act & POLITE or not seen & CANNOT:
                    if listed:
                        named += asked
                        asked = []
                    asking = True
                    verifying = listed = False
            elif act & VERIFY:
                if not seen & CANNOT:
                    verifying = True
                    asking = listed = False
                    since = 0
            elif act & _STOPS_ASKING:
                if not (act & PURPOSE and before & WISH):
                    asking = False
                    if asked:
                        verifying = listed = False
            elif act & CONFIRM:
                if asked:
                    asking = False
            elif verifying or listed:
                if act & FACT:
                    named += asked
                    asked = []
                elif act & WH:
                    asking = True
                    verifying = listed = False
        if act & SLOT and names:
            if asking or (verifying and not since & _STATED and not (listed and seen & NUMBER)):
                asked += names[0]
            elif not seen & EXCLUDE:
                named += names[0]
        if act & _LINKING:
            if act & _CONDITION:
                conditional = True
            elif act & OR:
                if asked:
                    flags |= ALTERNATIVES
            elif act & EXAMPLE:
                example = True
            elif seen & CHOICE:
                flags |= OFFER
        elif act & _DOING:
            if act & PERF:
                performed = 3
                flags = flags & _NOT_PAST | flag & PAST
                continue
            if act & CLAIM:
                claimed = True
            if performed and flags & PAST:
                flags |= PAST_DEED
            elif performed or deeds:
                seen |= CLAIM
                claimed = True
            elif before & FACT and before & SLOT:
                flags |= STATE
        if performed:
            performed -= 1
    return tuple(found)
