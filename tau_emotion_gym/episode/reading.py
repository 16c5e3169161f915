"""The one reader of agents' free text: what a message asks, confirms, claims, refuses, offers, acknowledges.

A message is normalised once; one regular expression, a trie of all literal phrases, finds the cues in it;
a small state machine follows the cues through each sentence and list; `_Message` judges each sentence as it
ends. Time is linear in the length of the message.
"""

from collections.abc import Mapping, Sequence

import msgspec

from tau_emotion_gym.episode.phrases import lexicon as lex
from tau_emotion_gym.episode.phrases.lexicon import FIGURE, Lexicon, normal


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

    Compiling takes some 50 milliseconds: keep one reader per domain. A reader holds nothing of what it read.
    """

    def __init__(self, slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> None:
        self._lexicon = Lexicon(slots, actions)

    def mentions(self, text: str) -> frozenset[str]:
        """The slots that the text names, asked for or not."""
        cue = self._lexicon.cue
        terms = [cue(hit, FIGURE)[2] for hit in self._lexicon.find(normal(text))]
        return frozenset(slot for term in terms if term for slot in term.slots)

    def read(self, text: str) -> Reading:
        """What the message does. Any text is legal, the empty one included."""
        message = _Message()
        _follow(self._lexicon, normal(text), message)
        return message.reading(len(text.split()))


_BREAK = lex.COMMA | lex.COLON | lex.DASH
_NOT_IN_CONDITION = ~(
    lex.ASK | lex.WH | lex.VERIFY | lex.OPEN | lex.PERF | lex.DONE | lex.CLAIM | lex.CANNOT | lex.LACKING | lex.SLOT
)
_STOPS_ASKING = lex.CANNOT | lex.PERMIT | lex.PURPOSE | lex.EXCLUDE
_ASKING = lex.ASK | lex.VERIFY | lex.FACT | lex.WH | lex.CONFIRM | _STOPS_ASKING
_JOINING = lex.IF | lex.WHEN | lex.OR | lex.EXAMPLE | lex.PERF | lex.DONE | lex.ABLE
_MEANS_YES = lex.WISH | lex.CONFIRM | lex.ACTION
_STATED = _MEANS_YES | lex.FACT | lex.PURPOSE
_POLITE = (" please", " could ", " can you", " may i", " would you mind")


def _follow(lexicon: Lexicon, text: str, message: "_Message") -> None:
    """Follow the cues of a normalised text; each sentence ends in `message.sentence`."""
    cue = lexicon.cue
    seen = since = flags = last = bullet = performed = lines = 0
    asking = verifying = listed = conditional = example = False
    asked: list[str] = []
    named: list[str] = []
    acts: list[str] = []
    deeds: list[str] = []
    opened: list[int] = []
    for hit in lexicon.find(text):
        act, flag, term = cue(hit, FIGURE)
        if flag:
            flags |= flag
        if not act:
            continue
        if act == lex.COMMA:
            conditional = False
            performed = 0
            last = act
            if seen & lex.CLAIM and acts:
                deeds += acts
                acts = []
            continue
        if act == lex.NUMBER:
            if hit[1] != "\n":
                if not example:
                    seen |= act
                    last = act
                    if verifying and listed and asked:
                        named += asked
                        asked = []
                continue
            act |= lex.END
        if act & lex.END:
            mark = hit[1]
            if seen or flags:
                if last == lex.COLON:
                    seen |= last
                if verifying:
                    flags |= lex.VERIFYING | lex.AGREED if since & _MEANS_YES else lex.VERIFYING
                if lines > 1:
                    flags |= lex.BLANK
                message.sentence(seen, flags | bullet, mark, asked, named, acts, deeds)
                seen = since = flags = performed = lines = 0
                conditional = example = False
                asked, named, acts, deeds, opened = [], [], [], [], []
            last = 0
            asking = verifying = listed = False
            if mark == "\n":
                lines += 1
                bullet = lex.BULLET if act & lex.NUMBER else 0
                context = message.line(bullet)
                if context:
                    asking = context == lex.ASK
                    verifying = not asking
                    listed = True
            act &= ~(lex.END | lex.NUMBER)
            if not act:
                continue
        elif act & _BREAK:
            conditional = False
            performed = 0
            last = act
            if act == lex.COLON and bullet and listed and verifying:
                named += asked
                asked = []
                verifying = listed = False
            continue
        last = act
        if conditional:
            if act & lex.ASK and hit.startswith(_POLITE):
                conditional = False
            else:
                act &= _NOT_IN_CONDITION
        if term:
            if term.closes and opened:
                for half, action in term.closes:
                    if half in opened:
                        acts.append(action)
                        act |= lex.ACTION
            opened += term.opens
            acts += term.actions
        seen |= act
        since |= act
        if act & _ASKING:
            if act & lex.ASK:
                if not seen & lex.CANNOT or hit.startswith(_POLITE):
                    if listed:
                        named += asked
                        asked = []
                    asking = True
                    verifying = listed = False
            elif act & lex.VERIFY:
                if not seen & lex.CANNOT:
                    verifying = True
                    asking = listed = False
                    since = 0
            elif act & _STOPS_ASKING:
                asking = False
                if asked:
                    verifying = listed = False
            elif act & lex.CONFIRM:
                if asked:
                    asking = False
            elif verifying or listed:
                if act & lex.FACT:
                    named += asked
                    asked = []
                elif act & lex.WH:
                    asking = True
                    verifying = listed = False
        if act & lex.SLOT and term:
            if asking or (verifying and not since & _STATED):
                asked += term.slots
            elif not seen & lex.EXCLUDE:
                named += term.slots
        if act & _JOINING:
            if act & (lex.IF | lex.WHEN):
                conditional = True
            elif act & lex.OR:
                if asked:
                    flags |= lex.ALTERNATIVES
            elif act & lex.EXAMPLE:
                example = True
            elif act & lex.ABLE:
                if seen & lex.CHOICE:
                    flags |= lex.OFFER
            elif act & lex.PERF:
                performed = 3
                continue
            elif performed or (seen & lex.CLAIM and deeds):
                seen |= lex.CLAIM
        if performed:
            performed -= 1


class _Message:
    """What the sentences read so far add up to."""

    __slots__ = (
        "asked",
        "claimed",
        "claims",
        "confirmed",
        "confirms",
        "context",
        "flags",
        "in_list",
        "informs",
        "offers",
        "open_questions",
        "opened",
        "others",
        "questions",
        "reason",
        "refuses",
        "soft",
    )

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.claimed: list[str] = []
        self.confirmed: list[str] = []
        self.others: list[str] = []
        self.flags = self.questions = self.open_questions = self.context = 0
        self.claims = self.confirms = self.informs = self.offers = self.soft = False
        self.in_list = self.opened = self.reason = self.refuses = False

    def line(self, bullet: int) -> int:
        """A line begins: `ASK` or `VERIFY` in a list of things to give or to confirm, else 0."""
        if bullet:
            self.in_list = True
            return self.context
        return 0 if self.in_list else self.context

    def sentence(
        self,
        seen: int,
        flags: int,
        mark: str,
        asked: list[str],
        named: list[str],
        acts: list[str],
        deeds: list[str],
    ) -> None:
        """Judge one sentence by its acts and flags."""
        self.flags |= flags
        question = mark == "?"
        closing = flags & lex.CLOSE
        claims = seen & lex.CLAIM and not question and not seen & (lex.PERMIT | lex.VERIFY)
        if claims:
            self.claims = self.informs = True
            self.claimed += deeds or acts
        cannot = seen & (lex.CANNOT | lex.LACKING) and _refuses(seen, flags, question)
        if cannot:
            self.refuses = True
            self.reason = self.reason or seen & lex.NUMBER > 0
        if named and not asked and not closing and _asks_by_mark(seen, flags, question):
            asked = named
        if asked:
            self.asked += asked
            self.questions += 1 if flags & lex.ALTERNATIVES else len(set(asked))
        confirms = _confirms(seen, flags, question, bool(asked), acts)
        if confirms:
            self.confirms = True
            self.confirmed += acts
        elif flags & (lex.CONFIRM_SOFT | lex.YESNO) or (flags & lex.VERIFYING and seen & lex.FACT):
            self.soft = True
        if acts and not (claims or cannot or confirms):
            if flags & lex.BULLET and self.context == lex.VERIFY:
                self.confirmed += acts
            elif not flags & (lex.OFFER | lex.WANT):
                self.others += acts
        if flags & lex.BULLET and self.opened:
            self.offers = True
        self.opened = False
        if not closing:
            if not asked and not confirms and _is_open(seen, question):
                self.open_questions += 1
                self.opened = not flags & lex.BULLET
            if _offers(seen, flags, question, bool(asked), bool(confirms), bool(claims)):
                self.offers = True
        if flags & lex.STATUS or (seen & lex.NUMBER and not asked and not question):
            self.informs = True
        if seen & lex.COLON or flags & lex.BLANK or (confirms and self.context):
            self._keep_context(seen, flags, bool(asked), bool(confirms))

    def _keep_context(self, seen: int, flags: int, asked: bool, confirms: bool) -> None:
        """A header opens a list; a later paragraph ends it."""
        if flags & lex.BULLET:
            if confirms and self.context:
                self.context = lex.VERIFY
            return
        if not seen & lex.COLON:
            self.context = 0
            return
        self.in_list = False
        if confirms or flags & lex.VERIFYING:
            self.context = lex.VERIFY
        else:
            self.context = lex.ASK if asked or seen & lex.ASK else 0

    def reading(self, length: int) -> Reading:
        """The whole message's reading."""
        flags = self.flags
        asks = tuple(dict.fromkeys(self.asked))
        proposed = frozenset(self.confirmed or self.others)
        confirms = self.confirms or (self.soft and bool(proposed) and not asks)
        told = self.claims or self.refuses or confirms or self.informs
        return Reading(
            asks=asks,
            questions=self.questions + self.open_questions + confirms,
            open_question=self.open_questions > 0,
            confirms=confirms,
            proposed=proposed if confirms else frozenset(),
            claims=frozenset(self.claimed),
            claims_done=self.claims,
            refuses=self.refuses,
            reason=self.refuses and (self.reason or flags & lex.REASON > 0),
            offers=self.offers,
            hands_off=flags & lex.HANDS_OFF > 0,
            acknowledges=flags & lex.FEEL > 0,
            dismissive=flags & lex.DISMISSIVE > 0,
            stalls=flags & lex.WAIT > 0 and not (told or asks or self.open_questions),
            closes=flags & lex.CLOSE > 0,
            informs=self.informs,
            length=length,
        )


def _refuses(seen: int, flags: int, question: bool) -> bool:
    if question or flags & lex.UNLESS:
        return False
    return bool(seen & lex.CANNOT) or not flags & lex.BULLET


def _asks_by_mark(seen: int, flags: int, question: bool) -> bool:
    """A detail is asked for by a question word, by the answers to choose from, or by a bare question mark."""
    if seen & (lex.CONFIRM | lex.PERMIT | lex.CANNOT):
        return False
    if flags & lex.YESNO and not seen & (lex.ACTION | lex.FACT):
        return True
    return question and (bool(seen & lex.WH) or not seen & ~(lex.SLOT | lex.OR | lex.NUMBER))


def _confirms(seen: int, flags: int, question: bool, asked: bool, acts: list[str]) -> bool:
    if seen & lex.CONFIRM:
        return not flags & lex.CLOSE
    if seen & lex.PERMIT and seen & lex.ACTION and question:
        if asked or seen & (lex.WH | lex.OPEN | lex.CANNOT):
            return False
        return not (seen & lex.OR and len(set(acts)) > 1)
    if flags & lex.YESNO and seen & lex.ACTION:
        return not asked and not seen & lex.FACT
    if asked or flags & lex.BULLET or seen & (lex.FACT | lex.OPEN):
        return False
    if not flags & lex.VERIFYING:
        return bool(seen & lex.VERIFY and seen & lex.WH and seen & lex.ACTION and not seen & lex.ASK)
    return bool(flags & lex.AGREED or seen & lex.COLON or seen == lex.VERIFY)


def _is_open(seen: int, question: bool) -> bool:
    return bool(seen & lex.OPEN or (question and seen & lex.WH and not seen & lex.PERMIT))


def _offers(seen: int, flags: int, question: bool, asked: bool, confirms: bool, claims: bool) -> bool:
    if flags & lex.WANT and not confirms:
        return True
    if asked:
        return False
    if (flags & lex.OFFER and not claims) or (flags & lex.OPTIONS and seen & lex.COLON and not flags & lex.BULLET):
        return True
    return bool(seen & lex.PERMIT and question and not confirms and not seen & lex.WH)
