"""The numeric observation: what an agent can see of a dialogue, as numbers with names."""

from collections.abc import Mapping
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from tau_emotion_gym.episode import Episode
from tau_emotion_gym.episode.episode import MAX_STEPS
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.kit import Domain, Rule
from tau_emotion_gym.wrappers.agenda import Agenda
from tau_emotion_gym.wrappers.dialogue import Dialogue
from tau_emotion_gym.wrappers.impressions import Listener
from tau_emotion_gym.wrappers.linker import Linker
from tau_emotion_gym.wrappers.wishes import wishes_of

Vector = NDArray[np.float32]

PROGRESS = (
    "turn.message",
    "turn.result",
    "turn.error",
    "so_far.steps",
    "so_far.messages",
    "so_far.questions",
    "so_far.reports",
    "so_far.refusals",
    "since.calls",
    "since.messages",
    "since.untold",
    "customer.identified",
    "customer.agreed",
    "customer.declined",
    "customer.asks",
    "customer.gives",
    "customer.length",
)
"""The last turn; counts over the dialogue; calls since the last message, messages since the last call, and
results since the last report; what the customer's last message does."""

OWN = (
    "asks",
    "confirms",
    "claims_done",
    "refuses",
    "reason",
    "acknowledges",
    "stalls",
    "closes",
    "informs",
)
"""What the agent's own last message did (see `Reading`)."""

SLOT = ("asked", "given", "for_wish", "found")
"""Per detail: messages that asked for it since the current wish was brought up; whether the customer has given it;
whether it gave it for this wish; whether a result has shown what it means."""

MATTER = ("heard", "steps", "proposals", "refusals", "reports", "settled", "waiting")
"""Of the wish that is being dealt with: how often it was said; and since then, steps, requests for a yes, refusals, and
messages that told what was done or found. How many wishes came before it, and how many wait."""

TOOL = ("made", "for_wish", "failed", "fits", "new", "breaks_rule", "latest")
"""Per tool: successful calls; those since the current wish was brought up; failed ones; whether it can be called with
what was shown; whether that call is not one that was made; 1 when it breaks a rule of the policy (consent apart), -1
when it breaks none; whether the latest call was this one's."""


class Features:
    """Reads observations off dialogues.

    Args:
        linker: fills the calls.

    Attributes:
        names: the names of the numbers, in order.
    """

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        macros = linker.macros
        self._slots, self._tools = macros.slots, macros.tools
        self._listener = Listener(macros.domains, macros.tools)
        heard = self._listener.names
        wishes = tuple(dict.fromkeys(name for domain in macros.domains for name in wishes_of(domain).names))
        self.names = (
            *PROGRESS,
            *(f"own.{name}" for name in OWN),
            *(f"matter.{name}" for name in MATTER),
            *(f"slot.{slot}.{name}" for slot in self._slots for name in SLOT),
            *(f"tool.{tool}.{name}" for tool in self._tools for name in TOOL),
            *wishes,
            *(f"last.{name}" for name in heard),
            *(f"ever.{name}" for name in heard),
        )
        self._first_wish, self._first_heard = self.names.index(wishes[0]), len(self.names) - 2 * len(heard)
        self._likeness = {
            domain: np.array([self.names.index(name) for name in wishes_of(domain).names]) for domain in macros.domains
        }
        self._seen: WeakKeyDictionary[Dialogue, _Seen] = WeakKeyDictionary()

    @property
    def space(self) -> Box:
        """The observations' space: shape (len(names),), float32, from -1 to 1."""
        return Box(-1.0, 1.0, (len(self.names),), np.float32)

    def vector(self, episode: Episode) -> Vector:
        """The observation of an episode as it stands: a new array."""
        dialogue = self._linker.dialogues[episode]
        seen = self._seen.get(dialogue)
        if seen is None:
            seen = self._seen[dialogue] = _Seen(self._listener)
        if seen.version != dialogue.version:
            seen.version = dialogue.version
            seen.tools = np.array(self._judge(dialogue), dtype=np.float32)
        if seen.messages < len(dialogue.messages):
            seen.listen(dialogue)
        start = _progress(episode, dialogue) + _own(dialogue.reading) + _matter(dialogue.agenda)
        for slot in self._slots:
            start += _detail(dialogue, slot)
        found = np.zeros(len(self.names), dtype=np.float32)
        found[: len(start)] = start
        found[len(start) : self._first_wish] = seen.tools
        found[self._likeness[dialogue.domain]] = dialogue.agenda.current.likeness
        found[self._first_heard :] = seen.heard
        return found

    def _judge(self, dialogue: Dialogue) -> list[float]:
        """The numbers of all tools."""
        found: list[float] = []
        latest = dialogue.context.calls[-1].name if dialogue.context.calls else ""
        rules = _checked_rules(dialogue.domain)
        for name, filled in self._linker.filled(dialogue).items():
            tried = dialogue.tried.get(name)
            made, failed = dialogue.calls.get(name, 0), dialogue.failures.get(name, 0)
            fits, new, breaks = 0.0, 0.0, 0.0
            if filled is not None:
                bound = filled[1]
                fits = 1.0
                new = float(not tried or msgspec.structs.asdict(bound) not in tried)
                breaks = -1.0 if all(rule.check(dialogue.context, bound) for rule in rules[name]) else 1.0
            for_wish = dialogue.agenda.current.calls[name]
            found += (_share(made, 5), _share(for_wish, 3), _share(failed, 2), fits, new, breaks, float(name == latest))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Features, (self._linker,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Features":
        return Features(Linker(self._linker.macros.domains))


class _Seen:
    """The parts of one dialogue's observation that seldom change.

    Attributes:
        version: the dialogue's when `tools` was worked out.
        tools: the numbers of the tools.
        messages: how many of the customer's messages were listened to.
        heard: what was heard in its last message, then what was heard in any.
    """

    __slots__ = ("_listener", "heard", "messages", "tools", "version")

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.messages = 0
        self.version = -1
        self.tools: Vector = np.zeros(0, dtype=np.float32)
        self.heard: Vector = np.zeros(2 * len(listener.names), dtype=np.float32)

    def listen(self, dialogue: Dialogue) -> None:
        """Take in the messages since the last time."""
        last, ever = np.split(self.heard, 2)
        for message in dialogue.messages[self.messages :]:
            last[:] = 0.0
            places = list(self._listener.hear(message))
            last[places] = ever[places] = 1.0
        self.messages = len(dialogue.messages)


@cache
def _checked_rules(domain: Domain) -> Mapping[str, tuple[Rule, ...]]:
    """Tool → its rules, those apart that only a dialogue can show."""
    return {name: tuple(rule for rule in rules if not rule.in_play) for name, rules in domain.rules_of.items()}


def _progress(episode: Episode, dialogue: Dialogue) -> list[float]:
    turn = episode.transcript[-1]
    return [
        turn.role == "user",
        turn.role == "tool" and not turn.error,
        turn.error,
        _share(episode.steps, MAX_STEPS),
        _share(len(episode.messages), 40),
        _share(episode.questions, 10),
        _share(len(dialogue.reported), 3),
        _share(sum(dialogue.refused.values()), 6),
        _share(dialogue.since, 12),
        _share(dialogue.idle, 8),
        _share(dialogue.untold, 4),
        bool(dialogue.context.customers),
        dialogue.agreed,
        dialogue.declined,
        "?" in dialogue.message,
        dialogue.gave,
        _share(dialogue.message.count(" "), 60),
    ]


def _own(reading: Reading | None) -> list[float]:
    if reading is None:
        return [0.0] * len(OWN)
    return [
        bool(reading.asks),
        reading.confirms,
        reading.claims_done,
        reading.refuses,
        reading.reason,
        reading.acknowledges,
        reading.stalls,
        reading.closes,
        reading.informs,
    ]


def _detail(dialogue: Dialogue, slot: str) -> tuple[float, float, float, float]:
    now = dialogue.agenda.current
    own = now.given.get(slot)
    known = own or dialogue.given.get(slot)
    return (
        _share(now.asked[slot], 3),
        float(known is not None),
        float(own is not None),
        float(known is not None and known.value in dialogue.shown),
    )


def _matter(agenda: Agenda) -> list[float]:
    now = agenda.current
    return [
        _share(now.heard, 4),
        _share(now.steps, 20),
        _share(now.proposals, 3),
        _share(now.refusals, 3),
        _share(now.reports, 3),
        _share(agenda.settled, 3),
        _share(len(agenda.waiting), 3),
    ]


def _share(count: float, most: float) -> float:
    return count / most if count < most else 1.0
