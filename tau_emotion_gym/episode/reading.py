"""The one reader of agents' free text: what a message asks, confirms, claims, refuses, offers, acknowledges.

A message is normalised once; one regular expression, a trie of all literal phrases, finds the cues in it;
a small state machine follows the cues through each sentence and list; each sentence is judged as it
ends. Time is linear in the length of the message.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from tau_emotion_gym.episode.phrases.bits import (
    ABLE,
    ACTION,
    AGREED,
    ALTERNATIVES,
    ASK,
    BAD_NEWS,
    BLANK,
    BULLET,
    CANNOT,
    CHOICE,
    CLAIM,
    CLOSE,
    COLON,
    COMMA,
    CONFIRM,
    DISMISSIVE,
    DONE,
    END,
    EXAMPLE,
    EXCLUDE,
    FACT,
    FEEL,
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
    PLAIN,
    POLITE,
    PURPOSE,
    REASON,
    SLOT,
    STATE,
    STATUS,
    VERIFY,
    VERIFYING,
    WAIT,
    WH,
    WHEN,
    WISH,
)
from tau_emotion_gym.episode.phrases.judge import TINTED, WEIGHTY, Message
from tau_emotion_gym.episode.phrases.lexicon import Lexicon, ends
from tau_emotion_gym.episode.phrases.normal import normal
from tau_emotion_gym.episode.phrases.reasons import explains, is_bad_news

_NONE: frozenset[str] = frozenset()


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
    promises: bool
    """Announces further work by the agent, whatever else it does; what a yes is asked for is no promise."""
    closes: bool
    """Asks whether there is anything else, or says goodbye."""
    informs: bool
    """Tells a concrete value or fact: a figure, date, status, deed."""
    length: int
    """Words, nearly: spaces and line ends, and one."""


SHORT = 120
KEPT = 1024


class Reader:
    """Reads agents' messages in the words of one domain.

    Args:
        slots: slot name to the literal phrases that name the detail.
        actions: action name to the phrases that name it. The first word is inflected ("cancel" also finds
            "cancelled"); `~` stands for any words of the same sentence ("change ~ address").

    Compiling takes some 300 milliseconds: keep one reader per domain. Agents repeat their short questions,
    so the last `KEPT` readings of messages up to `SHORT` characters are kept.
    """

    def __init__(self, slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> None:
        self._lexicon = Lexicon(slots, actions)
        self._read_short = lru_cache(maxsize=KEPT)(self._read)

    def mentions(self, text: str) -> frozenset[str]:
        """The slots that the text names, asked for or not."""
        named = [names for _, _, names, _ in self._lexicon.hits(normal(text)) if names]
        return frozenset(slot for names in named for slot in names[0])

    def read(self, text: str) -> Reading:
        """What the message does. Any text is legal, the empty one included."""
        return self._read_short(text) if len(text) <= SHORT else self._read(text)

    def _read(self, text: str) -> Reading:
        message = Message()
        plain = normal(text)
        _follow(self._lexicon, plain, message)
        if message.flags & BAD_NEWS and not (message.refuses or message.claims):
            message.refuses = message.reason = is_bad_news(self._lexicon, plain)
        elif message.refuses and not (message.reason or message.flags & REASON):
            message.reason = explains(self._lexicon, plain)
        return _reading(message, _words(text))


def _words(text: str) -> int:
    """Splitting the text would count exactly and take three times as long."""
    return text.count(" ") + text.count("\n") + 1 if text else 0


def _reading(message: Message, length: int) -> Reading:
    flags = message.flags
    asked = message.asked
    asks = tuple(dict.fromkeys(asked)) if asked else ()
    named = message.confirmed or message.others
    confirms = message.confirms or (not asked and (message.header or (message.soft and bool(named))))
    leaves = message.left_open and not confirms
    opens = message.open_questions
    waits = flags & WAIT > 0
    claims, claimed = message.claims, message.claimed
    if message.states is not None and not confirms:
        claims, claimed = True, claimed + message.states
    informs = message.informs or claims
    told = message.refuses or confirms or informs
    return Reading(
        asks,
        message.questions + opens + (confirms or leaves),
        opens > 0,
        confirms,
        frozenset(named) if confirms and named else _NONE,
        frozenset(claimed) if claimed else _NONE,
        claims,
        message.refuses,
        message.refuses and (message.reason or flags & REASON > 0),
        message.offers or leaves,
        flags & HANDS_OFF > 0,
        flags & FEEL > 0,
        flags & DISMISSIVE > 0,
        waits and not (told or asked or opens),
        waits and not confirms,
        flags & CLOSE > 0,
        informs,
        length,
    )


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


def _follow(lexicon: Lexicon, text: str, message: Message) -> None:
    """Follow the cues of a normalised text; each sentence ends in `message.sentence`.

    One loop with all its state in local variables, since it runs some forty times for a message. Of the sentence:

    - `seen`, `flags`: its acts and flags so far; `since`: its acts since it began to verify; `last`: the last act;
    - `asking`, `verifying`: whether a slot named now is asked for, outright or by "please confirm";
      `listed`: it is because of a header above;
    - `asked`, `named`: slots that are asked for, and that are only named; `acts`, `deeds`: actions, and those done;
    - `opened`: left halves of actions in two parts; `performed`: for how many more cues a participle is a deed;
    - `conditional`, `example`, `claimed`: within a condition, after "for example", a claim was made;
    - `bullet`, `lines`: it stands in a list; line ends passed since the last sentence.
    """
    opened = seen = since = flags = last = bullet = performed = lines = 0
    asking = verifying = listed = conditional = example = claimed = False
    asked: list[str] = []
    named: list[str] = []
    acts: list[str] = []
    deeds: list[str] = []
    for act, flag, names, mark in lexicon.hits(text):
        if flag:
            flags |= flag
        if act & END:
            if seen or flags:
                if last == COLON:
                    seen |= COLON
                if verifying:
                    flags |= VERIFYING | AGREED if since & _MEANS_YES else VERIFYING
                if claimed:
                    deeds += acts
                    acts = []
                if (
                    seen & WEIGHTY or flags & TINTED or asked or mark == "?"
                    or message.context or message.opened
                ):  # fmt: skip
                    flags |= bullet | BLANK if lines > 1 else bullet
                    message.sentence(seen, flags, mark, asked, named, acts, deeds)
                else:
                    message.flags |= flags
                    message.following = False
                    if seen & NUMBER or flags & STATUS:
                        message.informs = True
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
                if bullet or message.context:
                    context = message.line(bullet)
                    asking = context == ASK
                    listed = context > 0
                    verifying = listed and not asking
            act &= _NOT_END
            if not act:
                continue
        elif act <= PLAIN:
            if act == COMMA:
                conditional = False
                performed = 0
                if claimed:
                    deeds += acts
                    acts = []
                    claimed = False
                last = act
                continue
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
