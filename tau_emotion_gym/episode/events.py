"""What an agent's message did to the customer, read off the dialogue by rule."""

import re
from collections.abc import Mapping, Sequence

from tau_emotion_gym.emotions import Event
from tau_emotion_gym.episode.manner import Manner
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.kit import Fact, Slot

MOST_QUESTIONS = 3
"""More questions than this in one message, not all of them necessary, are a bundle."""

MOST_DRIPS = 2
"""So many messages in a row may each ask for something new with no tool call between them."""

MOST_REDUNDANT = 2
"""Redundant questions that count in one message."""

MOST_WORDS = 220
"""A longer message is overlong."""

SPARE_CALLS = 3
"""Tool calls between two messages beyond the reference's number that still cost nothing."""

_DISCLAIMS = re.compile(
    r"(?:don'?t|do not|didn'?t|did not|never) (?:know|have (?:it|that|one|any)\b|remember|recall)"
    r"|(?:can'?t|cannot|couldn'?t) (?:tell you|say|remember|recall|find)|no idea|not sure"
)
"""How people say that they do not know a detail."""


class Ledger:
    """What the customer knows and has said so far, and what the agent has asked for.

    Args:
        facts: everything the customer knows; a fact's place in it is its bit in `said`.
    """

    __slots__ = ("_asked", "_drips", "_masks", "_open", "_phrases", "_unknown", "said")

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._phrases = [(1 << place, fact.spoken.lower()) for place, fact in enumerate(facts)]
        self._masks: dict[str, int] = {}
        for place, fact in enumerate(facts):
            self._masks[fact.slot] = self._masks.get(fact.slot, 0) | 1 << place
        self.said = 0
        self._asked: frozenset[str] = frozenset()
        self._open: Mapping[str, tuple[str, ...]] = {}
        """Unknown slots that the last message asked for → the sentences that say so."""
        self._unknown: frozenset[str] = frozenset()
        """Slots that the customer has said not to know."""
        self._drips = 0

    def copy(self) -> "Ledger":
        """An independent ledger with the same content."""
        other = object.__new__(Ledger)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    def hear(self, text: str) -> None:
        """Note the facts that a user's message states, and the details that it says not to know."""
        low = text.lower()
        if self._open:
            disclaims = _DISCLAIMS.search(low.replace("’", "'")) is not None
            self._unknown |= {
                slot for slot, lines in self._open.items() if disclaims or any(line.lower() in low for line in lines)
            }
            self._open = {}
        said = self.said
        for bit, phrase in self._phrases:
            if not said & bit and phrase in low and states(low, phrase):
                said |= bit
        self.said = said

    def questions(
        self, asks: Sequence[str], slots: Mapping[str, Slot], *, identified: bool, acted: bool
    ) -> list[Event]:
        """The events of the slots that a message asks for.

        Args:
            asks: the slots, in order.
            slots: the domain's slots.
            identified: a tool has identified the customer.
            acted: the agent has called a tool since its last message.
        """
        if not asks:
            self._drips = 0
            return []
        masks, said = self._masks, self.said
        necessary = [slot for slot in asks if masks.get(slot, 0) & ~said]
        unknown = [slot for slot in asks if slot not in masks]
        repeated = len(asks) - len(necessary) - len(unknown)
        if unknown:
            repeated += sum([slot in self._unknown for slot in unknown])
        events = [Event.REDUNDANT_QUESTION] * min(repeated, MOST_REDUNDANT)
        if necessary:
            events.append(Event.NECESSARY_QUESTION)
        elif identified and any(slots[slot].lookup for slot in unknown if slot in slots and slot not in self._unknown):
            events.append(Event.AVOIDABLE_QUESTION)
        if unknown:
            self._open = {slot: slots[slot].unknown if slot in slots else () for slot in unknown}
        if self._drips_on(necessary, acted=acted):
            events.append(Event.DRIPPED_QUESTION)
        return events

    def _drips_on(self, necessary: list[str], *, acted: bool) -> bool:
        """Whether this is one more message in a row that asks for a single new thing."""
        fresh = [slot for slot in necessary if slot not in self._asked]
        self._asked |= frozenset(fresh)
        if acted or not necessary:
            self._drips = 0
        self._drips += bool(fresh)
        return self._drips > MOST_DRIPS and len(fresh) == 1


def states(text: str, phrase: str) -> bool:
    """Whether a lower-case text holds a phrase as whole words."""
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not (
            (at and text[at - 1].isalnum() and phrase[0].isalnum())
            or (end < len(text) and text[end].isalnum() and phrase[-1].isalnum())
        ):
            return True
        at = text.find(phrase, at + 1)
    return False


def message_events(
    reading: Reading,
    ledger: Ledger,
    manner: Manner,
    slots: Mapping[str, Slot],
    *,
    identified: bool,
    needless: bool,
    vague: bool,
) -> list[Event]:
    """The events of one message to the customer.

    Args:
        reading: what the message does.
        ledger: what was said and asked before it; updated.
        manner: what was done before it; updated.
        slots: the domain's slots.
        identified: a tool has identified the customer.
        needless: the yes that it asks for has just been given, or turned down in the same words.
        vague: it asks for a yes to nothing in particular.
    """
    events: list[Event] = []
    if manner.acknowledges(reading):
        events.append(Event.ACKNOWLEDGEMENT)
    if manner.progress:
        events.append(Event.PROGRESS)
    questions = ledger.questions(reading.asks, slots, identified=identified, acted=manner.calls > 0)
    events += questions
    if reading.questions > MOST_QUESTIONS and Event.REDUNDANT_QUESTION in questions:
        events.append(Event.BUNDLED_QUESTIONS)
    if reading.confirms:
        events.append(Event.REDUNDANT_QUESTION if needless else Event.CONFIRMATION_REQUEST)
    if reading.refuses:
        events.append(Event.REFUSAL_WITH_REASON if reading.reason else Event.REFUSAL_WITHOUT_REASON)
    if reading.hands_off:
        events.append(Event.HAND_OFF)
    if reading.dismissive:
        events.append(Event.DISMISSIVE)
    if reading.length > MOST_WORDS:
        events.append(Event.OVERLONG_MESSAGE)
    if manner.stalls(reading, events, ledger.said, vague=vague):
        events.append(Event.STALLING)
    return events
