"""Where the talk stands between two messages: what was done, what was said yes to, whether anything moves."""

from collections.abc import Callable

from tau_emotion_gym.emotions import Event
from tau_emotion_gym.episode.reading import Reading

IDLE_FROM = 2
"""So many messages in a row without a call, a question for a detail, a request or a refusal are stalling."""

BARE_WORDS = 12
"""A request for a yes of at most so many words, without a figure and an action, says nothing to say yes to."""


class Manner:
    """The agent's manner over several messages.

    Attributes:
        deeds: names of the write tools that have succeeded in this conversation.
        news: those that have succeeded since the agent's last message.
        calls: tool calls since the agent's last message, failed ones included.
        progress: whether one of them has succeeded.
        declined: the last request for a yes that the customer turned down, word for word.
    """

    __slots__ = (
        "_acknowledged",
        "_before",
        "_greeted",
        "_idle",
        "_said",
        "calls",
        "declined",
        "deeds",
        "news",
        "progress",
    )

    def __init__(self) -> None:
        self.deeds: frozenset[str] = frozenset()
        self.news: frozenset[str] = frozenset()
        self.calls = 0
        self.progress = False
        self.declined = ""
        self._acknowledged = False
        self._greeted = False
        self._idle = 0
        self._before = ""
        self._said = 0

    def copy(self) -> "Manner":
        """An independent manner with the same content."""
        other = object.__new__(Manner)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    def called(self, name: str, *, writes: bool, ok: bool) -> None:
        """Note a tool call."""
        self.calls += 1
        if ok:
            self.progress = True
            self._acknowledged = False
        if ok and writes:
            self.deeds |= {name}
            self.news |= {name}

    def acknowledges(self, reading: Reading) -> bool:
        """Whether kindness counts: once until something moves, and with every refusal."""
        counts = reading.acknowledges and (not self._acknowledged or reading.refuses)
        self._acknowledged = self._acknowledged or reading.acknowledges
        return counts

    def stalls(self, reading: Reading, events: list[Event], said: int, *, vague: bool) -> bool:
        """Whether a message brings the customer nothing. A first word of greeting is free.

        Args:
            reading: what the message does.
            events: its events so far.
            said: the facts that the customer has stated, as bits.
            vague: it asks for a yes to nothing in particular.
        """
        moves = (
            self.calls
            or reading.asks
            or reading.refuses
            or said != self._said
            or (Event.CONFIRMATION_REQUEST in events and not vague)
        )
        self._said = said
        self._idle = 0 if moves else self._idle + 1
        greets, self._greeted = not self._greeted and reading.length > 0 and not reading.stalls, True
        return self._idle >= IDLE_FROM or (not greets and _empty(reading, acted=self.calls > 0))

    def bare(self, reading: Reading, text: str, names: Callable[[str], bool]) -> bool:
        """Whether a message asks for a yes without anything, in it or right before it, to say yes to.

        Args:
            reading: what the message does.
            text: the message.
            names: tells whether a message names an action that the customer wants.
        """
        before, self._before = self._before, text
        if not reading.confirms or reading.proposed or reading.length > BARE_WORDS:
            return False
        return not (any(sign.isdigit() for sign in text) or names(text) or names(before))

    def spoke(self) -> None:
        """Note that a message has gone out."""
        self.calls = 0
        self.progress = False
        self.news = frozenset()


def _empty(reading: Reading, *, acted: bool) -> bool:
    """Whether a message by itself holds no question, no news and no answer, and no work came before it."""
    if reading.asks or reading.confirms or reading.refuses or reading.claims_done or reading.informs:
        return False
    if reading.open_question or reading.offers or reading.hands_off:
        return False
    return reading.stalls or not acted
