"""The one reader of agents' free text: what a message asks, confirms, claims, refuses, offers, acknowledges.

A message is normalised once and cut into pieces of about a sentence; in each, one regular expression, a trie of all
literal phrases, finds the cues, and a small state machine follows them; pieces that occurred before are remembered;
each sentence is judged in order. Time is linear in the length of the message.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from tau_emotion_gym.episode.phrases.bits import BAD_NEWS, CLOSE, DISMISSIVE, FEEL, HANDS_OFF, REASON, WAIT
from tau_emotion_gym.episode.phrases.judge import Message
from tau_emotion_gym.episode.phrases.lexicon import Lexicon
from tau_emotion_gym.episode.phrases.normal import normal
from tau_emotion_gym.episode.phrases.reasons import explains, is_bad_news
from tau_emotion_gym.episode.phrases.sentences import Sentences

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


SHORT = 200
KEPT = 2048


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
        self._sentences = Sentences(self._lexicon)
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
        self._sentences.follow(plain, message)
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
        tuple(asked),
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
