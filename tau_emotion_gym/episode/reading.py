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
        terms = [cue(hit, FIGURE)[1] for hit in self._lexicon.find(normal(text))]
        return frozenset(slot for term in terms if term for slot in term.slots)

    def read(self, text: str) -> Reading:
        """What the message does. Any text is legal, the empty one included."""
        message = _Message()
        _follow(self._lexicon, normal(text), message)
        return message.reading(len(text.split()))


_BREAK = lex.COMMA | lex.COLON | lex.DASH
_ACTIVE = (
    lex.END | _BREAK | lex.NUMBER | lex.SLOT | lex.ACTION | lex.PAIR | lex.ASK | lex.WH | lex.VERIFY
    | lex.WISH | lex.FACT | lex.PURPOSE | lex.EXCLUDE | lex.CONFIRM | lex.PERMIT | lex.IF | lex.WHEN | lex.OR
    | lex.EXAMPLE | lex.PERF | lex.DONE | lex.CLAIM | lex.CANNOT | lex.LACKING | lex.OPEN
)  # fmt: skip
_NOT_IN_CONDITION = ~(
    lex.ASK | lex.WH | lex.VERIFY | lex.OPEN | lex.PERF | lex.DONE | lex.CLAIM | lex.CANNOT | lex.LACKING
)
_STOPS_ASKING = lex.WISH | lex.CANNOT | lex.PERMIT | lex.PURPOSE | lex.EXCLUDE
_MEANS_YES = lex.WISH | lex.CONFIRM | lex.ACTION


def _follow(lexicon: Lexicon, text: str, message: "_Message") -> None:
    """Follow the cues of a normalised text; each sentence ends in `message.sentence`."""
    cue = lexicon.cue
    seen = last = bullet = performed = lines = 0
    asking = verifying = conditional = example = claimed = False
    asked: list[str] = []
    named: list[str] = []
    acts: list[str] = []
    deeds: list[str] = []
    opened: list[int] = []
    for hit in lexicon.find(text):
        bits, term = cue(hit, FIGURE)
        if not bits & _ACTIVE:
            seen |= bits
            continue
        if bits & lex.NUMBER:
            if hit[1] != "\n":
                if not example:
                    seen |= bits
                    last = bits
                continue
            bits = lex.END | lex.BULLET
        if bits & lex.END:
            mark = hit[1]
            if seen:
                if last == lex.COLON:
                    seen |= lex.COLON
                if verifying:
                    seen |= lex.VERIFYING
                if lines > 1:
                    seen |= lex.BLANK
                message.sentence(seen | bullet, mark, asked, named, acts, deeds)
                seen = performed = lines = 0
                conditional = example = claimed = False
                asked, named, acts, deeds, opened = [], [], [], [], []
            last = 0
            asking = verifying = False
            if mark == "\n":
                lines += 1
                bullet = bits & lex.BULLET
                context = message.line(bullet)
                if context:
                    asking = context == lex.ASK
                    verifying = not asking
            bits &= ~(lex.END | lex.BULLET)
            if not bits:
                continue
        if bits & _BREAK:
            conditional = False
            performed = 0
            last = bits
            if acts and seen & lex.CLAIM:
                deeds += acts
                acts = []
            claimed = seen & lex.CLAIM > 0
            if bits == lex.COLON and bullet and verifying:
                named += asked
                asked = []
                verifying = False
            continue
        last = bits
        if conditional:
            if bits & lex.ASK and hit.startswith((" please", " could you", " can you", " may i")):
                conditional = False
            else:
                bits &= _NOT_IN_CONDITION
        if term:
            if term.closes and opened:
                for half, action in term.closes:
                    if half in opened:
                        acts.append(action)
                        bits |= lex.ACTION
            opened += term.opens
            acts += term.actions
        seen |= bits
        if bits & lex.ASK:
            asking = True
            verifying = False
        elif bits & lex.VERIFY and not seen & lex.CANNOT:
            verifying = True
            asking = False
        elif bits & _STOPS_ASKING:
            asking = False
            if bits & (lex.PURPOSE | lex.EXCLUDE) and asked:
                verifying = False
        elif bits & lex.FACT and verifying:
            named += asked
            asked = []
        if bits & lex.WH and verifying:
            asking = True
            verifying = False
        if bits & lex.SLOT and term and not conditional:
            if asking or (verifying and not seen & _MEANS_YES):
                asked += term.slots
            elif not seen & lex.EXCLUDE:
                named += term.slots
        if bits & (lex.IF | lex.WHEN):
            conditional = True
        elif bits & lex.OR and asked:
            seen |= lex.ALTERNATIVES
        elif bits & lex.EXAMPLE:
            example = True
        if bits & lex.DONE and (performed or claimed):
            seen |= lex.CLAIM
        if bits & lex.PERF:
            performed = 3
        elif performed:
            performed -= 1


class _Message:
    """What the sentences read so far add up to."""

    __slots__ = (
        "asked",
        "claimed",
        "claims",
        "closes",
        "confirmed",
        "confirms",
        "context",
        "flags",
        "in_list",
        "informs",
        "offers",
        "open_questions",
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
        self.claims = self.closes = self.confirms = self.informs = self.offers = self.soft = False
        self.in_list = self.reason = self.refuses = False

    def line(self, bullet: int) -> int:
        """A line begins: `ASK` or `VERIFY` in a list of things to give or to confirm, else 0."""
        if bullet:
            self.in_list = True
            return self.context
        return 0 if self.in_list else self.context

    def sentence(
        self, seen: int, mark: str, asked: list[str], named: list[str], acts: list[str], deeds: list[str]
    ) -> None:
        """Judge one sentence by its cues."""
        self.flags |= seen
        question = mark == "?"
        bullet = seen & lex.BULLET
        closing = seen & lex.CLOSE
        claims = seen & lex.CLAIM and not question and not seen & (lex.PERMIT | lex.VERIFY)
        cannot = _refuses(seen, question)
        if claims:
            self.claims = self.informs = True
            self.claimed += deeds or acts
        if cannot:
            self.refuses = True
            self.reason = self.reason or seen & (lex.REASON | lex.NUMBER) > 0
        if question and named and not asked and not closing and _asks_by_mark(seen):
            asked = named
        if asked:
            self.asked += asked
            self.questions += 1 if seen & lex.ALTERNATIVES else len(dict.fromkeys(asked))
        confirms = _confirms(seen, question, bool(asked), len(set(acts)))
        if confirms:
            self.confirms = True
            self.confirmed += acts
        elif seen & (lex.CONFIRM_SOFT | lex.YESNO) or (seen & lex.VERIFYING and seen & lex.FACT):
            self.soft = True
        if acts and not claims and not cannot and not confirms:
            if bullet and self.context == lex.VERIFY:
                self.confirmed += acts
            elif not seen & (lex.OFFER | lex.WANT):
                self.others += acts
        if closing:
            self.closes = True
        elif not asked and not confirms and _is_open(seen, question):
            self.open_questions += 1
        if not closing and _offers(seen, question, bool(asked), bool(confirms)):
            self.offers = True
        if seen & lex.STATUS or (seen & lex.NUMBER and not asked and not question):
            self.informs = True
        self._keep_context(seen, bool(asked), bool(confirms))

    def _keep_context(self, seen: int, asked: bool, confirms: bool) -> None:
        """A header opens a list; a later paragraph ends it."""
        if seen & lex.BULLET:
            return
        if seen & lex.COLON:
            self.in_list = False
            if confirms or seen & lex.VERIFYING:
                self.context = lex.VERIFY
            else:
                self.context = lex.ASK if asked or seen & lex.ASK else 0
        elif seen & lex.BLANK:
            self.context = 0

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
            closes=self.closes,
            informs=self.informs,
            length=length,
        )


def _refuses(seen: int, question: bool) -> bool:
    if question or seen & lex.UNLESS:
        return False
    return bool(seen & lex.CANNOT or (seen & lex.LACKING and not seen & lex.BULLET))


def _asks_by_mark(seen: int) -> bool:
    """A question that names a detail asks for it when a question word says so or there is nothing else."""
    if seen & (lex.CONFIRM | lex.PERMIT | lex.CANNOT):
        return False
    return bool(seen & lex.WH) or not seen & ~(
        lex.SLOT | lex.OR | lex.ALTERNATIVES | lex.BULLET | lex.BLANK | lex.NUMBER
    )


def _confirms(seen: int, question: bool, asked: bool, actions: int) -> bool:
    if seen & lex.CONFIRM:
        return not seen & lex.CLOSE
    if seen & lex.PERMIT and seen & lex.ACTION and question:
        return (
            not seen & (lex.WH | lex.OPEN | lex.CANNOT) and not asked and not (actions > 1 and seen & lex.OR)
        )
    if seen & lex.YESNO and seen & lex.ACTION:
        return not asked
    if not seen & lex.VERIFYING or asked or seen & (lex.BULLET | lex.FACT | lex.OPEN):
        return False
    return (
        bool(seen & (lex.WISH | lex.ACTION | lex.COLON)) or seen & ~(lex.BLANK | lex.VERIFYING) == lex.VERIFY
    )


def _is_open(seen: int, question: bool) -> bool:
    return bool(seen & lex.OPEN or (question and seen & lex.WH and not seen & lex.PERMIT))


def _offers(seen: int, question: bool, asked: bool, confirms: bool) -> bool:
    if seen & lex.WANT:
        return True
    if asked:
        return False
    if seen & lex.OFFER or (seen & lex.ABLE and seen & lex.IF) or (seen & lex.OPTIONS and seen & lex.COLON):
        return True
    return bool(seen & lex.PERMIT and question and not confirms and not seen & lex.WH)
