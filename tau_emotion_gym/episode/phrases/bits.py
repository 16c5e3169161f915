"""What a phrase means, as bits: the acts that steer the reading of a sentence, the flags that colour it.

Both sets stay below 2**30, where the interpreter's arithmetic is fastest. The plain acts come first, so that
`act <= PLAIN` tells them from all others with one comparison.
"""

(
    END, COMMA, COLON, DASH, NUMBER, PAIR,
    SLOT, ACTION, ASK, POLITE, WH, VERIFY, WISH, FACT, PURPOSE, EXCLUDE, CONFIRM, PERMIT, OPEN, IF, CHOICE, WHEN,
    OR, EXAMPLE, PERF, DONE, CLAIM, CANNOT, LACKING, ABLE,
) = (1 << place for place in range(30))  # fmt: skip
PLAIN = PAIR

(
    CONFIRM_SOFT, YESNO, NEUTRAL, UNLESS, REASON, OFFER, WANT, OPTIONS, HANDS_OFF, FEEL, DISMISSIVE, WAIT, CLOSE,
    STATUS, PAST, BULLET, BLANK, ALTERNATIVES, VERIFYING, AGREED, PAST_DEED, STATE,
    BAD_NEWS, ESCALATES, ESCALATES_TO,
) = (1 << place for place in range(25))  # fmt: skip
"""Flags; the reader sets those from `BULLET` to `PAST_DEED`."""

ACTS = {
    "ask": ASK, "wh": WH, "verify": VERIFY, "wish": WISH, "fact": FACT, "purpose": PURPOSE, "exclude": EXCLUDE,
    "confirm": CONFIRM, "permit": PERMIT, "open": OPEN, "if_": IF, "choice": CHOICE, "when": WHEN, "or_": OR,
    "example": EXAMPLE, "perf": PERF, "done": DONE, "claim": CLAIM, "cannot": CANNOT, "lacking": LACKING,
    "able": ABLE,
}  # fmt: skip
"""Acts by the name of their phrases."""

FLAGS = {
    "confirm_soft": CONFIRM_SOFT, "yesno": YESNO, "neutral": NEUTRAL, "unless": UNLESS, "reason": REASON,
    "offer": OFFER, "want": WANT, "options": OPTIONS, "hands_off": HANDS_OFF, "feel": FEEL,
    "dismissive": DISMISSIVE, "wait": WAIT, "close": CLOSE, "status": STATUS, "past": PAST,
    "bad_news": BAD_NEWS, "escalates": ESCALATES, "escalates_to": ESCALATES_TO,
}  # fmt: skip
"""Flags by the name of their phrases."""
