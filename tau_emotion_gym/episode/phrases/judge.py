"""What each sentence of an agent's message does, judged by its acts and flags, and what they add up to."""

from tau_emotion_gym.episode.phrases import lexicon as lex

_MAY_CONFIRM = lex.CONFIRM | lex.PERMIT | lex.VERIFY
_MAY_AGREE = lex.YESNO | lex.VERIFYING
_MAY_OFFER = lex.WANT | lex.OFFER | lex.OPTIONS
_NOT_PLAIN = lex.CANNOT | lex.LACKING | lex.ASK | lex.WH | lex.IF | lex.WHEN | lex.OR | lex.EXCLUDE
_JUDGED = ~(lex.NUMBER | lex.PERF | lex.DONE | lex.PAIR | lex.OR | lex.IF | lex.WHEN | lex.EXAMPLE | lex.ABLE)
_COLOURED = ~(lex.REASON | lex.STATUS | lex.NEUTRAL | lex.BULLET | lex.BLANK | lex.FEEL | lex.CLOSE | lex.WAIT)


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
        """A line begins: `lex.ASK` or `lex.VERIFY` in a list of things to give or to confirm, else 0."""
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
        if seen & (lex.NUMBER | lex.LACKING) or flags & lex.STATUS:
            self.informs = self.informs or (mark != "?" and not asked)
        if not (seen & _JUDGED or flags & _COLOURED or self.context or self.opened):
            return
        question = mark == "?"
        closing = flags & lex.CLOSE
        cannot = seen & (lex.CANNOT | lex.LACKING) and _refuses(seen, flags, question)
        if cannot:
            self.refuses = True
            self.reason = self.reason or (seen & lex.CANNOT and seen & lex.NUMBER) > 0
        claims = _claims(seen, flags, question, bool(acts and not self.context))
        if claims:
            self.claims = self.informs = True
            self.claimed += deeds or acts
        if named and not asked and not closing and _asks_by_mark(seen, flags, question):
            asked = named
        if asked:
            self._ask(flags, asked)
            if question and seen & lex.WH and self.items > 1 and not (self.context or flags & lex.BULLET):
                self.offers = True
        confirms = (seen & _MAY_CONFIRM or flags & _MAY_AGREE) and _confirms(seen, flags, question, bool(asked), acts)
        if confirms:
            self.confirms = True
            self.confirmed += acts
        elif flags & (lex.CONFIRM_SOFT | lex.YESNO) or (flags & lex.VERIFYING and seen & lex.FACT):
            self.soft = True
            self.left_open = self.left_open or (seen & lex.PERMIT and flags & lex.CONFIRM_SOFT) > 0
        if flags & lex.VERIFYING and seen & lex.COLON and not flags & lex.BULLET:
            self.header = True
        if acts and not (cannot or confirms or (claims and not deeds)):
            self._act(flags, acts)
        if self.opened:
            self.offers = self.offers or flags & lex.BULLET > 0
            self.opened = False
        if not closing:
            if seen & (lex.OPEN | lex.WH) and not confirms and _is_open(seen, flags, question, bool(asked)):
                self.open_questions += 1
                self.opened = not flags & lex.BULLET
                self.offers = self.offers or (self.items > 1 and self.opened)
            elif self.left_open and flags & lex.CONFIRM_SOFT:
                pass
            elif question and not asked and not confirms and (seen & lex.PERMIT or flags & lex.WANT):
                self.questions += 1
            if (seen & lex.PERMIT or flags & _MAY_OFFER) and not (self.offers or self.left_open):
                self.offers = _offers(seen, flags, question, bool(asked), bool(confirms), bool(claims))
        if seen & lex.COLON or flags & lex.BLANK or (confirms and self.context):
            self._keep_context(seen, flags, bool(asked), bool(confirms))

    def _ask(self, flags: int, asked: list[str]) -> None:
        """Count what is new in it; alternatives are one question."""
        new = set(asked).difference(self.asked)
        self.asked += asked
        if self.either and flags & lex.BULLET:
            self.questions += self.either == 1
            self.either = 2
        elif new:
            self.questions += 1 if flags & lex.ALTERNATIVES else len(new)

    def _act(self, flags: int, acts: list[str]) -> None:
        """Actions that are neither done nor refused: what a confirmation elsewhere in the message means."""
        if flags & lex.BULLET and self.context == lex.VERIFY:
            self.confirmed += acts
        elif not flags & (lex.OFFER | lex.WANT):
            self.others += acts

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
        self.either = 1 if seen & lex.OR else 0
        if confirms or flags & lex.VERIFYING:
            self.context = lex.VERIFY
        else:
            self.context = lex.ASK if asked or seen & lex.ASK else 0


def _claims(seen: int, flags: int, question: bool, named: bool) -> bool:
    """A refusal gives old deeds as its reason; "was" tells a new deed only in a plain statement of an action."""
    if question or seen & _MAY_CONFIRM or flags & lex.CONFIRM_SOFT:
        return False
    if seen & lex.CLAIM:
        return not (seen & lex.CANNOT and flags & lex.REASON)
    return named and bool(flags & lex.PAST_DEED) and not (seen & _NOT_PLAIN or flags & lex.REASON)


def _refuses(seen: int, flags: int, question: bool) -> bool:
    if question or flags & lex.UNLESS:
        return False
    return bool(seen & lex.CANNOT) or not (flags & lex.BULLET or seen & lex.COLON)


def _asks_by_mark(seen: int, flags: int, question: bool) -> bool:
    """A detail is asked for by a question word, by the answers to choose from, or by a bare question mark."""
    if seen & (lex.CONFIRM | lex.PERMIT | lex.CANNOT):
        return False
    if flags & lex.YESNO and not seen & (lex.ACTION | lex.FACT):
        return True
    return question and (bool(seen & lex.WH) or not seen & ~(lex.SLOT | lex.OR | lex.NUMBER | lex.PAIR))


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
    return bool(flags & lex.AGREED) or seen == lex.VERIFY


def _is_open(seen: int, flags: int, question: bool, asked: bool) -> bool:
    if asked:
        return bool(seen & lex.OPEN and seen & lex.ASK and not flags & lex.ALTERNATIVES)
    return bool(seen & lex.OPEN or (question and seen & lex.WH))


def _offers(seen: int, flags: int, question: bool, asked: bool, confirms: bool, claims: bool) -> bool:
    if flags & lex.WANT and not (confirms and seen & lex.CONFIRM):
        return True
    if asked:
        return False
    if flags & lex.OFFER and not claims and not (question and seen & (lex.OPEN | lex.WH)):
        return True
    if flags & lex.OPTIONS and seen & lex.COLON and not flags & lex.BULLET:
        return True
    return bool(seen & lex.PERMIT and question and not confirms and not seen & lex.WH)
