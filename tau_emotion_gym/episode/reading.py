"""The one reader of agents' free text: what a message asks, confirms, claims, refuses, offers, acknowledges.

A message is normalised once; one regular expression, a trie of all literal phrases, finds the cues in it;
a small state machine follows the cues through each sentence and each list, and `_Message` judges each
sentence as it ends. Time is linear in the length of the message.
"""

from collections.abc import Mapping, Sequence

import msgspec

from tau_emotion_gym.episode.phrases import lexicon as lex
from tau_emotion_gym.episode.phrases.lexicon import Lexicon, normal


class Reading(msgspec.Struct, frozen=True):
    """What one agent message does."""

    asks: tuple[str, ...]
    """Slots the message asks the customer for, in order, without repeats."""
    questions: int
    """How many things the customer must answer: slot asks (alternatives count once), a confirmation, open questions."""
    open_question: bool
    """Asks something that is no known slot ("what would you like to change?")."""
    confirms: bool
    """Asks for a yes before doing something."""
    proposed: frozenset[str]
    """Actions named in what it asks to confirm."""
    claims: frozenset[str]
    """Actions that it says are done."""
    claims_done: bool
    """Says that something was changed or carried out, named action or not (looking up and verifying apart)."""
    refuses: bool
    """Says that something cannot or will not be done."""
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

    Compiling takes some milliseconds: keep one reader per domain. A reader holds nothing of what it read.
    """

    def __init__(self, slots: Mapping[str, Sequence[str]], actions: Mapping[str, Sequence[str]]) -> None:
        self._lexicon = Lexicon(slots, actions)

    def mentions(self, text: str) -> frozenset[str]:
        """The slots that the text names, asked for or not."""
        cue = self._lexicon.cue
        return frozenset(
            slot for hit in self._lexicon.find(normal(text)) for slot in cue(hit, lex.NUMBER_CUE).slots
        )

    def read(self, text: str) -> Reading:
        """What the message does. Any text is legal, the empty one included."""
        message = _Message()
        _follow(self._lexicon, normal(text), message)
        return message.reading(len(text.split()))


def _follow(lexicon: Lexicon, text: str, message: "_Message") -> None:
    """Run the state machine over the cues of a normalised text; every sentence ends in `message.sentence`."""
    cue = lexicon.cue
    number = lex.NUMBER_CUE
    seen = fresh = 0
    asking = verifying = conditional = example = alternatives = claiming = claimed = False
    performed = 0
    asked: list[str] = []
    named: list[str] = []
    acts: list[str] = []
    opened: list[int] = []
    bullet = False
    fresh = True
    last = 0
    for hit in lexicon.find(text):
        bits, slots, actions, opens, closes = cue(hit, number)
        if bits & lex.END:
            mark = hit[1]
            if seen:
                if mark == "." and bullet and seen == lex.NUMBER:
                    seen = 0
                    continue
                message.sentence(
                    seen, mark, last, bullet, verifying, claiming, alternatives, asked, named, acts
                )
                seen = 0
                conditional = example = alternatives = claiming = claimed = False
                performed = 0
                asked, named, acts, opened = [], [], [], []
            asking = verifying = False
            if mark == "\n":
                fresh = True
                bullet = False
            last = 0
            if bits == lex.END:
                continue
            bits &= ~lex.END
            fresh = False
        if fresh:
            fresh = False
            bullet = bits == lex.DASH or bits == lex.NUMBER
            context = message.line(bullet)
            asking = context == lex.ASK
            verifying = context == lex.VERIFY
            if bullet:
                seen |= bits
                last = bits
                continue
        last = bits
        if bits & (lex.COMMA | lex.COLON | lex.DASH):
            conditional = False
            performed = 0
            if claiming:
                message.claim(acts)
                acts = []
                claiming = False
                claimed = True
            if bits & lex.COLON and verifying and bullet and asked:
                named += asked
                asked = []
            continue
        if conditional:
            bits &= ~(lex.CANNOT | lex.PERF | lex.DONE | lex.WH | lex.OPEN | lex.ASK | lex.VERIFY)
            if bits & lex.SLOT:
                seen |= bits & ~lex.SLOT
                continue
        if bits & lex.NUMBER and example:
            continue
        seen |= bits
        if bits & lex.ASK:
            asking = True
            verifying = False
        if bits & lex.VERIFY:
            verifying = True
            asking = False
        if bits & (lex.WISH | lex.CONFIRM | lex.CANNOT | lex.PERMIT):
            asking = False
        if bits & lex.WH and (verifying or asking):
            asking = True
        if slots:
            if asking or (verifying and not seen & (lex.WISH | lex.CONFIRM | lex.ACTION)):
                asked += slots
            else:
                named += slots
        if bits & lex.OR and asked:
            alternatives = True
        if bits & lex.IF:
            conditional = True
        if bits & lex.EXAMPLE:
            example = True
        if actions:
            acts += actions
        if opens:
            opened += opens
        if closes and opened:
            for pair, action in closes:
                if pair in opened:
                    acts.append(action)
                    seen |= lex.ACTION
        if bits & lex.DONE:
            if performed or claimed:
                claiming = True
        if performed:
            performed -= 1
        if bits & lex.PERF:
            performed = 3
        if bits & lex.DONE_FIRST:
            claiming = True


class _Message:
    """What the sentences read so far add up to."""

    __slots__ = (
        "asked", "claimed", "claims_done", "closes", "confirmed", "confirms", "context", "flags", "in_list", "named",
        "informs", "offers", "open_questions", "others", "questions", "reason", "refuses",
    )  # fmt: skip

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.claimed: list[str] = []
        self.confirmed: list[str] = []
        self.others: list[str] = []
        self.flags = 0
        self.questions = 0
        self.open_questions = 0
        self.context = 0
        self.in_list = False
        self.claims_done = self.confirms = self.refuses = self.reason = self.offers = self.informs = False
        self.closes = False

    def line(self, bullet: bool) -> int:
        """A line begins: the context of the list that it belongs to."""
        if bullet:
            self.in_list = True
        elif self.in_list:
            self.in_list = False
            self.context = 0
        return self.context

    def claim(self, acts: list[str]) -> None:
        """Something was said to be done."""
        self.claims_done = self.informs = True
        self.claimed += acts

    def sentence(
        self,
        seen: int,
        mark: str,
        last: int,
        bullet: bool,
        verifying: bool,
        claiming: bool,
        alternatives: bool,
        asked: list[str],
        named: list[str],
        acts: list[str],
    ) -> None:
        """Judge one sentence by its cues."""
        self.flags |= seen
        question = mark == "?"
        if claiming:
            self.claim(acts)
        cannot = seen & lex.CANNOT and not seen & lex.UNLESS and not question
        if cannot:
            self.refuses = True
            if seen & (lex.REASON | lex.NUMBER):
                self.reason = True
        closing = seen & lex.CLOSE
        if (
            question
            and not asked
            and named
            and not closing
            and not seen & (lex.CONFIRM | lex.PERMIT | lex.CANNOT)
        ):
            if seen & lex.WH or seen & ~(lex.NUMBER | lex.OR) in (lex.SLOT, lex.SLOT | lex.WH):
                asked = named
        if asked:
            self.asked += asked
            self.questions += 1 if alternatives else len(dict.fromkeys(asked))
        confirms = seen & lex.CONFIRM or (
            verifying
            and not asked
            and not bullet
            and (seen & (lex.WISH | lex.ACTION) or last & lex.COLON or seen == lex.VERIFY)
        )
        if not confirms and seen & lex.PERMIT and seen & lex.ACTION and question:
            confirms = not cannot
        if confirms and not closing:
            self.confirms = True
            self.confirmed += acts
        elif acts and not claiming and not cannot:
            self.others += acts
        if not asked and not confirms and not closing:
            if seen & lex.OPEN or (question and seen & lex.WH and not seen & lex.PERMIT):
                self.open_questions += 1
        if closing:
            self.closes = True
        elif seen & lex.OFFER or (seen & lex.PERMIT and question and not confirms):
            self.offers = True
        if seen & lex.STATUS or (seen & lex.NUMBER and not asked and not question and seen != lex.NUMBER):
            self.informs = True
        if last & lex.COLON and not bullet:
            self.in_list = False
            if asked or (seen & (lex.ASK | lex.OPEN) and not confirms):
                self.context = lex.ASK
            elif verifying:
                self.context = lex.VERIFY
            else:
                self.context = 0

    def reading(self, length: int) -> Reading:
        """The whole message's reading."""
        flags = self.flags
        told = self.claims_done or self.refuses or self.confirms or self.informs
        open_question = self.open_questions > 0
        return Reading(
            asks=tuple(dict.fromkeys(self.asked)),
            questions=self.questions + self.open_questions + self.confirms,
            open_question=open_question,
            confirms=self.confirms,
            proposed=frozenset(self.confirmed or self.others) if self.confirms else frozenset(),
            claims=frozenset(self.claimed),
            claims_done=self.claims_done,
            refuses=self.refuses,
            reason=self.refuses and (self.reason or flags & lex.REASON > 0),
            offers=self.offers,
            hands_off=flags & lex.HANDS_OFF > 0,
            acknowledges=flags & lex.FEEL > 0,
            dismissive=flags & lex.DISMISSIVE > 0,
            stalls=flags & lex.WAIT > 0 and not (told or self.asked or open_question),
            closes=self.closes,
            informs=self.informs,
            length=length,
        )
