"""What each sentence of an agent's message does, judged by its acts and flags, and what they add up to."""

from collections.abc import Sequence

from tau_emotion_gym.episode.phrases.bits import (
    ACTION,
    AGREED,
    ALTERNATIVES,
    ASK,
    BLANK,
    BULLET,
    CANNOT,
    CLAIM,
    CLOSE,
    COLON,
    CONFIRM,
    CONFIRM_SOFT,
    ESCALATES,
    ESCALATES_TO,
    EXCLUDE,
    FACT,
    HANDS_OFF,
    IF,
    LACKING,
    NUMBER,
    OFFER,
    OPEN,
    OPTIONS,
    OR,
    PAIR,
    PAST_DEED,
    PERMIT,
    REASON,
    SLOT,
    STATE,
    STATUS,
    UNLESS,
    VERIFY,
    VERIFYING,
    WANT,
    WH,
    WHEN,
    YESNO,
)

_MAY_CONFIRM = CONFIRM | PERMIT | VERIFY
_NO = CANNOT | LACKING
_SOFT = CONFIRM_SOFT | YESNO
_OPENING = OPEN | WH
_TELLING = FACT | OPEN
_NO_QUESTION = CONFIRM | PERMIT | CANNOT
_NO_PROPOSAL = WH | OPEN | CANNOT
_NO_REQUEST = WH | OPEN | CANNOT | CONFIRM | PERMIT | VERIFY | ACTION | PAIR
_NOT_BARE = ~(SLOT | OR | NUMBER | PAIR)
_NEWS = NUMBER | LACKING
_MAY_AGREE = YESNO | VERIFYING
_MAY_OFFER = WANT | OFFER | OPTIONS
_NOT_PLAIN = CANNOT | LACKING | ASK | WH | IF | WHEN | OR | EXCLUDE

WEIGHTY = (
    COLON | ACTION | VERIFY | CONFIRM | PERMIT | OPEN | CLAIM | CANNOT
    | LACKING
)  # fmt: skip
TINTED = CONFIRM_SOFT | YESNO | OFFER | WANT | VERIFYING | STATE | ESCALATES
"""A sentence without any of these acts and flags needs no judgement if it is no question, asks for no detail
and follows no header and no open question."""
_STEERING = WEIGHTY & ~(COLON | ACTION)
_COLOURING = TINTED | OPTIONS | PAST_DEED


class Message:
    """What the sentences read so far add up to."""

    __slots__ = (
        "asked",
        "claimed",
        "claims",
        "confirmed",
        "confirms",
        "context",
        "either",
        "flags",
        "following",
        "header",
        "in_list",
        "informs",
        "items",
        "left_open",
        "offers",
        "open_questions",
        "opened",
        "others",
        "questions",
        "reason",
        "refuses",
        "soft",
        "states",
    )

    def __init__(self) -> None:
        self.asked: dict[str, None] = {}
        """Slots in order: a set that keeps it."""
        self.claimed: list[str] = []
        self.confirmed: list[str] = []
        self.others: list[str] = []
        self.states: list[str] | None = None
        self.following = False
        self.flags = self.questions = self.open_questions = self.context = self.either = self.items = 0
        self.claims = self.confirms = self.informs = self.left_open = self.offers = self.soft = False
        self.header = self.in_list = self.opened = self.reason = self.refuses = False

    def line(self, bullet: int) -> int:
        """A line begins: `ASK` or `VERIFY` in a list of things to give or to confirm, else 0."""
        if bullet:
            if self.following:
                self.context = ASK
                self.following = False
            self.in_list = True
            self.items += 1
            return self.context
        return 0 if self.in_list else self.context

    def sentence(
        self,
        seen: int,
        flags: int,
        question: bool,
        asked: Sequence[str],
        named: Sequence[str],
        acts: Sequence[str],
        deeds: Sequence[str],
    ) -> None:
        """Judge one sentence by its acts and flags."""
        self.flags |= flags
        if flags & ESCALATES and flags & ESCALATES_TO:
            self.flags |= HANDS_OFF
        self.following = question and seen & ASK > 0 and not (asked or named or seen & _NO_REQUEST or flags & CLOSE)
        if (seen & _NEWS or flags & STATUS) and not (question or asked):
            self.informs = True
        if not (seen & _STEERING or flags & _COLOURING or asked or question or self.context or self.opened):
            if acts:
                self._act(flags, acts)
            if seen & COLON:
                self._keep_context(seen, flags, False, False)
            return
        closing = flags & CLOSE
        cannot = seen & _NO and _refuses(seen, flags, question)
        if cannot:
            self.refuses = True
            self.reason = self.reason or (seen & CANNOT and seen & NUMBER) > 0
        claims = (seen & CLAIM or flags & PAST_DEED) and _claims(seen, flags, question, bool(acts and not self.context))
        if claims:
            self.claims = self.informs = True
            self.claimed += deeds or acts
        elif flags & STATE and _tells_state(seen, flags, question):
            if self.states is None:
                self.states = []
            self.states += acts
        if named and not asked and not closing and _asks_by_mark(seen, flags, question):
            asked = named
        if asked:
            self._ask(flags, asked)
            if question and seen & WH and self.items > 1 and not (self.context or flags & BULLET):
                self.offers = True
        confirms = (seen & _MAY_CONFIRM or flags & _MAY_AGREE) and _confirms(seen, flags, question, bool(asked), acts)
        if confirms:
            self.confirms = True
            self.confirmed += acts
        elif flags & _SOFT or (flags & VERIFYING and seen & FACT):
            self.soft = True
            self.left_open = self.left_open or (seen & PERMIT and flags & CONFIRM_SOFT) > 0
        if flags & VERIFYING and seen & COLON and not flags & BULLET:
            self.header = True
        if acts and not (cannot or confirms or (claims and not deeds)):
            self._act(flags, acts)
        if self.opened:
            self.offers = self.offers or flags & BULLET > 0
            self.opened = False
        if not closing:
            if seen & _OPENING and not confirms and _is_open(seen, flags, question, bool(asked)):
                self.open_questions += 1
                self.opened = not flags & BULLET
                self.offers = self.offers or (self.items > 1 and self.opened)
            elif self.left_open and flags & CONFIRM_SOFT:
                pass
            elif question and not asked and not confirms and (seen & PERMIT or flags & WANT):
                self.questions += 1
            if (seen & PERMIT or flags & _MAY_OFFER) and not (self.offers or self.left_open):
                self.offers = _offers(seen, flags, question, bool(asked), bool(confirms), bool(claims))
        if seen & COLON or flags & BLANK or (confirms and self.context):
            self._keep_context(seen, flags, bool(asked), bool(confirms))

    def _ask(self, flags: int, asked: Sequence[str]) -> None:
        """Count what is new in it; alternatives are one question."""
        before = len(self.asked)
        self.asked.update(dict.fromkeys(asked))
        new = len(self.asked) - before
        if self.either and flags & BULLET:
            self.questions += self.either == 1
            self.either = 2
        elif new:
            self.questions += 1 if flags & ALTERNATIVES else new

    def _act(self, flags: int, acts: Sequence[str]) -> None:
        """Actions that are neither done nor refused: what a confirmation elsewhere in the message means."""
        if flags & BULLET and self.context == VERIFY:
            self.confirmed += acts
        elif not flags & (OFFER | WANT):
            self.others += acts

    def _keep_context(self, seen: int, flags: int, asked: bool, confirms: bool) -> None:
        """A header opens a list; a later paragraph ends it."""
        if flags & BULLET:
            if confirms and self.context:
                self.context = VERIFY
            return
        if not seen & COLON:
            self.context = 0
            return
        self.in_list = False
        self.either = 1 if seen & OR else 0
        if confirms or flags & VERIFYING:
            self.context = VERIFY
        else:
            self.context = ASK if asked or seen & ASK else 0


def _claims(seen: int, flags: int, question: bool, named: bool) -> bool:
    """A refusal gives old deeds as its reason; "was" tells a new deed only in a plain statement of an action."""
    if question or seen & _MAY_CONFIRM or flags & CONFIRM_SOFT:
        return False
    if seen & CLAIM:
        return not (seen & CANNOT and flags & REASON)
    return named and bool(flags & PAST_DEED) and not (seen & _NOT_PLAIN or flags & REASON)


def _tells_state(seen: int, flags: int, question: bool) -> bool:
    """In a list, under a condition or beside a refusal, a state is no news of a deed."""
    return not (question or seen & (_NOT_PLAIN | _MAY_CONFIRM) or flags & (BULLET | CONFIRM_SOFT | REASON))


def _refuses(seen: int, flags: int, question: bool) -> bool:
    if question or flags & UNLESS:
        return False
    return bool(seen & CANNOT) or not (flags & BULLET or seen & COLON)


def _asks_by_mark(seen: int, flags: int, question: bool) -> bool:
    """A detail is asked for by a question word, by the answers to choose from, or by a bare question mark."""
    if seen & _NO_QUESTION:
        return False
    if flags & YESNO and not seen & (ACTION | FACT):
        return True
    return question and (bool(seen & WH) or not seen & _NOT_BARE)


def _confirms(seen: int, flags: int, question: bool, asked: bool, acts: Sequence[str]) -> bool:
    if seen & CONFIRM:
        return not flags & CLOSE
    if seen & PERMIT and seen & ACTION and question:
        if asked or seen & _NO_PROPOSAL:
            return False
        return not (seen & OR and len(set(acts)) > 1)
    if flags & YESNO and seen & ACTION:
        return not asked and not seen & FACT
    if asked or flags & BULLET or seen & _TELLING:
        return False
    if not flags & VERIFYING:
        return bool(seen & VERIFY and seen & WH and seen & ACTION and not seen & ASK)
    return bool(flags & AGREED) or seen == VERIFY


def _is_open(seen: int, flags: int, question: bool, asked: bool) -> bool:
    if asked:
        return bool(seen & OPEN and seen & ASK and not flags & ALTERNATIVES)
    return bool(seen & OPEN or (question and seen & WH))


def _offers(seen: int, flags: int, question: bool, asked: bool, confirms: bool, claims: bool) -> bool:
    if flags & WANT and not (confirms and seen & CONFIRM):
        return True
    if asked:
        return False
    if flags & OFFER and not claims and not (question and seen & _OPENING):
        return True
    if flags & OPTIONS and seen & COLON and not flags & BULLET:
        return True
    return bool(seen & PERMIT and question and not confirms and not seen & WH)
