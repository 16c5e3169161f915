"""The one reader of agents' free text: what a message asks, confirms, claims, refuses, offers, acknowledges.

A message is normalised once; one regular expression, a trie of all literal phrases, finds the cues in it;
a small state machine follows the cues through each sentence and list; each sentence is judged as it
ends. Time is linear in the length of the message.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from tau_emotion_gym.episode.phrases.judge import Message
from tau_emotion_gym.episode.phrases.lexicon import (
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
    CLOSE,
    COLON,
    COMMA,
    CONFIRM,
    DASH,
    DISMISSIVE,
    DONE,
    END,
    EXAMPLE,
    EXCLUDE,
    FACT,
    FEEL,
    FIGURE,
    HANDS_OFF,
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
    PURPOSE,
    REASON,
    SLOT,
    VERIFY,
    VERIFYING,
    WAIT,
    WH,
    WHEN,
    WISH,
    Lexicon,
    normal,
)
from tau_emotion_gym.episode.phrases.reasons import explains


class Reading(msgspec.Struct, frozen=True):
    """What one agent message does."""

    asks: tuple[str, ...]
    """Slots the message asks the customer for, in order, without repeats."""
    questions: int
    """How many things it asks: slots (alternatives count once), a confirmation, open questions."""
    open_question: bool
    """Asks something that is no known slot ("what would you like to change?")."""
    confirms: bool
    """Asks for a yes before doing something."""
    proposed: frozenset[str]
    """Actions named in what it asks to confirm."""
    claims: frozenset[str]
    """Actions that it says are done."""
    claims_done: bool
    """Says that something was carried out, named action or not (looking up and verifying apart)."""
    refuses: bool
    """Says that something cannot or will not be done, or that what was wanted does not exist."""
    reason: bool
    """A refusal gives a reason: because, policy, a limit, a date, a status."""
    offers: bool
    """Offers an alternative, a choice or a further service; the bare "anything else?" is `closes`."""
    hands_off: bool
    """Says that it transfers to a human, or offers one."""
    acknowledges: bool
    """Shows that it heard the feeling: apology, empathy, shared joy, reassurance."""
    dismissive: bool
    """Belittles the customer or the problem."""
    stalls: bool
    """Asks to wait, with nothing asked, told or done."""
    closes: bool
    """Asks whether there is anything else, or says goodbye."""
    informs: bool
    """Tells a concrete value or fact: a figure, date, status, deed."""
    length: int
    """Words."""


class Reader:
    """Reads agents' messages in the words of one domain.

    Args:
        slots: slot name to the literal phrases that name the detail.
        actions: action name to the phrases that name it. The first word is inflected ("cancel" also finds
            "cancelled"); `~` stands for any words of the same sentence ("change ~ address").

    Compiling takes some 50 milliseconds: keep one reader per domain. The readings of the last 2,048 messages
    of up to 1,000 characters are kept, since scripted agents repeat themselves.
    """

    def __init__(self, slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> None:
        self._lexicon = Lexicon(slots, actions)
        self._remembered = lru_cache(maxsize=2048)(self._read)

    def mentions(self, text: str) -> frozenset[str]:
        """The slots that the text names, asked for or not."""
        cue = self._lexicon.cue
        terms = [cue(hit, FIGURE)[2] for hit in self._lexicon.find(normal(text))]
        return frozenset(slot for term in terms if term for slot in term.slots)

    def read(self, text: str) -> Reading:
        """What the message does. Any text is legal, the empty one included."""
        return self._remembered(text) if len(text) <= 1000 else self._read(text)

    def _read(self, text: str) -> Reading:
        message = Message()
        plain = normal(text)
        _follow(self._lexicon, plain, message)
        if message.refuses and not (message.reason or message.flags & REASON):
            message.reason = explains(self._lexicon, plain)
        return _reading(message, len(text.split()))


def _reading(message: Message, length: int) -> Reading:
    flags = message.flags
    asks = tuple(dict.fromkeys(message.asked))
    proposed = frozenset(message.confirmed or message.others)
    confirms = message.confirms or (not asks and (message.header or (message.soft and bool(proposed))))
    leaves = message.left_open and not confirms
    told = message.claims or message.refuses or confirms or message.informs
    return Reading(
        asks=asks,
        questions=message.questions + message.open_questions + (confirms or leaves),
        open_question=message.open_questions > 0,
        confirms=confirms,
        proposed=proposed if confirms else frozenset(),
        claims=frozenset(message.claimed),
        claims_done=message.claims,
        refuses=message.refuses,
        reason=message.refuses and (message.reason or flags & REASON > 0),
        offers=message.offers or leaves,
        hands_off=flags & HANDS_OFF > 0,
        acknowledges=flags & FEEL > 0,
        dismissive=flags & DISMISSIVE > 0,
        stalls=flags & WAIT > 0 and not (told or asks or message.open_questions),
        closes=flags & CLOSE > 0,
        informs=message.informs,
        length=length,
    )


_BREAK = COMMA | COLON | DASH
_NOT_IN_CONDITION = ~(ASK | WH | VERIFY | OPEN | PERF | DONE | CLAIM | CANNOT | LACKING | SLOT)
_STOPS_ASKING = CANNOT | PERMIT | PURPOSE | EXCLUDE
_ASKING = ASK | VERIFY | FACT | WH | CONFIRM | _STOPS_ASKING
_JOINING = IF | WHEN | OR | EXAMPLE | PERF | DONE | ABLE
_MEANS_YES = WISH | CONFIRM | ACTION
_STATED = _MEANS_YES | FACT | PURPOSE
_POLITE = (" please", " could ", " can you", " may i", " would you mind")


def _follow(lexicon: Lexicon, text: str, message: Message) -> None:
    """Follow the cues of a normalised text; each sentence ends in `message.sentence`."""
    cue = lexicon.cue
    opened = seen = since = flags = last = bullet = performed = lines = 0
    asking = verifying = listed = conditional = example = claimed = False
    asked: list[str] = []
    named: list[str] = []
    acts: list[str] = []
    deeds: list[str] = []
    for hit in lexicon.find(text):
        act, flag, term = cue(hit, FIGURE)
        if flag:
            flags |= flag
        if not act:
            continue
        if act == COMMA:
            conditional = False
            performed = 0
            last = act
            if claimed:
                deeds += acts
                acts = []
                claimed = False
            continue
        if act == NUMBER:
            if hit[1] >= " ":
                if not example:
                    seen |= act
                    last = act
                    if verifying and listed and asked:
                        named += asked
                        asked = []
                continue
            act |= END
        if act & END:
            mark = hit[1]
            if seen or flags:
                if last == COLON:
                    seen |= last
                if verifying:
                    flags |= VERIFYING | AGREED if since & _MEANS_YES else VERIFYING
                if lines > 1:
                    flags |= BLANK
                if claimed:
                    deeds += acts
                    acts = []
                message.sentence(seen, flags | bullet, mark, asked, named, acts, deeds)
                opened = seen = since = flags = performed = lines = 0
                conditional = example = claimed = False
                if asked or named:
                    asked, named = [], []
                if acts or deeds:
                    acts, deeds = [], []
            last = 0
            asking = verifying = listed = False
            if mark < " ":
                lines += 1 if mark == "\n" else 2
                bullet = BULLET if act & NUMBER else 0
                if context := message.line(bullet):
                    asking = context == ASK
                    verifying = not asking
                    listed = True
            act &= ~(END | NUMBER)
            if not act:
                continue
        elif act & _BREAK:
            conditional = False
            performed = 0
            last = act
            if claimed:
                deeds += acts
                acts = []
                claimed = False
            if act == COLON and bullet and listed and verifying:
                named += asked
                asked = []
                verifying = listed = False
            continue
        before = last
        last = act
        if act == PAIR and term and not term.closes & opened:
            opened |= term.opens
            seen |= act
            continue
        if conditional:
            if act & ASK and hit.startswith(_POLITE):
                conditional = False
            else:
                act &= _NOT_IN_CONDITION
        if act & (PERMIT | OPEN) and seen & (WH | PURPOSE):
            act &= ~PERMIT if seen & WH else ~OPEN
        if term:
            _, actions, opens, closes, _ = term
            if closes & opened:
                acts += term.ends(opened)
                act |= ACTION
            opened |= opens
            acts += actions
        seen |= act
        since |= act
        if act & CLAIM:
            claimed = True
        if act & _ASKING:
            if act & ASK:
                if not seen & CANNOT or hit.startswith(_POLITE):
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
        if act & SLOT and term:
            if asking or (verifying and not since & _STATED and not (listed and seen & NUMBER)):
                asked += term.slots
            elif not seen & EXCLUDE:
                named += term.slots
        if act & _JOINING:
            if act & (IF | WHEN):
                conditional = True
            elif act & OR:
                if asked:
                    flags |= ALTERNATIVES
            elif act & EXAMPLE:
                example = True
            elif act & ABLE:
                if seen & CHOICE:
                    flags |= OFFER
            elif act & PERF:
                performed = 3
                flags = flags & ~PAST | flag & PAST
                continue
            elif performed and flags & PAST:
                flags |= PAST_DEED
            elif performed or deeds:
                seen |= CLAIM
                claimed = True
        if performed:
            performed -= 1
