"""What each sentence of an agent's message does, judged by its acts and flags, and what they add up to."""

from tau_emotion_gym.episode.phrases import bits

_MAY_CONFIRM = bits.CONFIRM | bits.PERMIT | bits.VERIFY
_NEWS = bits.NUMBER | bits.LACKING
_MAY_AGREE = bits.YESNO | bits.VERIFYING
_MAY_OFFER = bits.WANT | bits.OFFER | bits.OPTIONS
_NOT_PLAIN = bits.CANNOT | bits.LACKING | bits.ASK | bits.WH | bits.IF | bits.WHEN | bits.OR | bits.EXCLUDE

WEIGHTY = (
    bits.COLON | bits.ACTION | bits.VERIFY | bits.CONFIRM | bits.PERMIT | bits.OPEN | bits.CLAIM | bits.CANNOT
    | bits.LACKING
)  # fmt: skip
TINTED = bits.CONFIRM_SOFT | bits.YESNO | bits.OFFER | bits.WANT | bits.VERIFYING
"""A sentence without any of these acts and flags needs no judgement if it is no question, asks for no detail
and follows no header and no open question."""
_STEERING = WEIGHTY & ~(bits.COLON | bits.ACTION)
_COLOURING = TINTED | bits.OPTIONS | bits.PAST_DEED


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
    )

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.claimed: list[str] = []
        self.confirmed: list[str] = []
        self.others: list[str] = []
        self.flags = self.questions = self.open_questions = self.context = self.either = self.items = 0
        self.claims = self.confirms = self.informs = self.left_open = self.offers = self.soft = False
        self.header = self.in_list = self.opened = self.reason = self.refuses = False

    def line(self, bullet: int) -> int:
        """A line begins: `bits.ASK` or `bits.VERIFY` in a list of things to give or to confirm, else 0."""
        if bullet:
            self.in_list = True
            self.items += 1
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
        if (seen & _NEWS or flags & bits.STATUS) and not (question or asked):
            self.informs = True
        if not (seen & _STEERING or flags & _COLOURING or asked or question or self.context or self.opened):
            if acts:
                self._act(flags, acts)
            if seen & bits.COLON:
                self._keep_context(seen, flags, False, False)
            return
        closing = flags & bits.CLOSE
        cannot = seen & (bits.CANNOT | bits.LACKING) and _refuses(seen, flags, question)
        if cannot:
            self.refuses = True
            self.reason = self.reason or (seen & bits.CANNOT and seen & bits.NUMBER) > 0
        claims = (seen & bits.CLAIM or flags & bits.PAST_DEED) and _claims(
            seen, flags, question, bool(acts and not self.context)
        )
        if claims:
            self.claims = self.informs = True
            self.claimed += deeds or acts
        if named and not asked and not closing and _asks_by_mark(seen, flags, question):
            asked = named
        if asked:
            self._ask(flags, asked)
            if question and seen & bits.WH and self.items > 1 and not (self.context or flags & bits.BULLET):
                self.offers = True
        confirms = (seen & _MAY_CONFIRM or flags & _MAY_AGREE) and _confirms(seen, flags, question, bool(asked), acts)
        if confirms:
            self.confirms = True
            self.confirmed += acts
        elif flags & (bits.CONFIRM_SOFT | bits.YESNO) or (flags & bits.VERIFYING and seen & bits.FACT):
            self.soft = True
            self.left_open = self.left_open or (seen & bits.PERMIT and flags & bits.CONFIRM_SOFT) > 0
        if flags & bits.VERIFYING and seen & bits.COLON and not flags & bits.BULLET:
            self.header = True
        if acts and not (cannot or confirms or (claims and not deeds)):
            self._act(flags, acts)
        if self.opened:
            self.offers = self.offers or flags & bits.BULLET > 0
            self.opened = False
        if not closing:
            if seen & (bits.OPEN | bits.WH) and not confirms and _is_open(seen, flags, question, bool(asked)):
                self.open_questions += 1
                self.opened = not flags & bits.BULLET
                self.offers = self.offers or (self.items > 1 and self.opened)
            elif self.left_open and flags & bits.CONFIRM_SOFT:
                pass
            elif question and not asked and not confirms and (seen & bits.PERMIT or flags & bits.WANT):
                self.questions += 1
            if (seen & bits.PERMIT or flags & _MAY_OFFER) and not (self.offers or self.left_open):
                self.offers = _offers(seen, flags, question, bool(asked), bool(confirms), bool(claims))
        if seen & bits.COLON or flags & bits.BLANK or (confirms and self.context):
            self._keep_context(seen, flags, bool(asked), bool(confirms))

    def _ask(self, flags: int, asked: list[str]) -> None:
        """Count what is new in it; alternatives are one question."""
        new = set(asked).difference(self.asked)
        self.asked += asked
        if self.either and flags & bits.BULLET:
            self.questions += self.either == 1
            self.either = 2
        elif new:
            self.questions += 1 if flags & bits.ALTERNATIVES else len(new)

    def _act(self, flags: int, acts: list[str]) -> None:
        """Actions that are neither done nor refused: what a confirmation elsewhere in the message means."""
        if flags & bits.BULLET and self.context == bits.VERIFY:
            self.confirmed += acts
        elif not flags & (bits.OFFER | bits.WANT):
            self.others += acts

    def _keep_context(self, seen: int, flags: int, asked: bool, confirms: bool) -> None:
        """A header opens a list; a later paragraph ends it."""
        if flags & bits.BULLET:
            if confirms and self.context:
                self.context = bits.VERIFY
            return
        if not seen & bits.COLON:
            self.context = 0
            return
        self.in_list = False
        self.either = 1 if seen & bits.OR else 0
        if confirms or flags & bits.VERIFYING:
            self.context = bits.VERIFY
        else:
            self.context = bits.ASK if asked or seen & bits.ASK else 0


def _claims(seen: int, flags: int, question: bool, named: bool) -> bool:
    """A refusal gives old deeds as its reason; "was" tells a new deed only in a plain statement of an action."""
    if question or seen & _MAY_CONFIRM or flags & bits.CONFIRM_SOFT:
        return False
    if seen & bits.CLAIM:
        return not (seen & bits.CANNOT and flags & bits.REASON)
    return named and bool(flags & bits.PAST_DEED) and not (seen & _NOT_PLAIN or flags & bits.REASON)


def _refuses(seen: int, flags: int, question: bool) -> bool:
    if question or flags & bits.UNLESS:
        return False
    return bool(seen & bits.CANNOT) or not (flags & bits.BULLET or seen & bits.COLON)


def _asks_by_mark(seen: int, flags: int, question: bool) -> bool:
    """A detail is asked for by a question word, by the answers to choose from, or by a bare question mark."""
    if seen & (bits.CONFIRM | bits.PERMIT | bits.CANNOT):
        return False
    if flags & bits.YESNO and not seen & (bits.ACTION | bits.FACT):
        return True
    return question and (bool(seen & bits.WH) or not seen & ~(bits.SLOT | bits.OR | bits.NUMBER | bits.PAIR))


def _confirms(seen: int, flags: int, question: bool, asked: bool, acts: list[str]) -> bool:
    if seen & bits.CONFIRM:
        return not flags & bits.CLOSE
    if seen & bits.PERMIT and seen & bits.ACTION and question:
        if asked or seen & (bits.WH | bits.OPEN | bits.CANNOT):
            return False
        return not (seen & bits.OR and len(set(acts)) > 1)
    if flags & bits.YESNO and seen & bits.ACTION:
        return not asked and not seen & bits.FACT
    if asked or flags & bits.BULLET or seen & (bits.FACT | bits.OPEN):
        return False
    if not flags & bits.VERIFYING:
        return bool(seen & bits.VERIFY and seen & bits.WH and seen & bits.ACTION and not seen & bits.ASK)
    return bool(flags & bits.AGREED) or seen == bits.VERIFY


def _is_open(seen: int, flags: int, question: bool, asked: bool) -> bool:
    if asked:
        return bool(seen & bits.OPEN and seen & bits.ASK and not flags & bits.ALTERNATIVES)
    return bool(seen & bits.OPEN or (question and seen & bits.WH))


def _offers(seen: int, flags: int, question: bool, asked: bool, confirms: bool, claims: bool) -> bool:
    if flags & bits.WANT and not (confirms and seen & bits.CONFIRM):
        return True
    if asked:
        return False
    if flags & bits.OFFER and not claims and not (question and seen & (bits.OPEN | bits.WH)):
        return True
    if flags & bits.OPTIONS and seen & bits.COLON and not flags & bits.BULLET:
        return True
    return bool(seen & bits.PERMIT and question and not confirms and not seen & bits.WH)
