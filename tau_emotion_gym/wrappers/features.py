"""The numeric observation: what an agent can see of a dialogue, as numbers with names."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from tau_emotion_gym.episode import Episode
from tau_emotion_gym.episode.reading import Reading
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.wrappers.dialogue import Dialogue
from tau_emotion_gym.wrappers.impressions import Impression, Listener
from tau_emotion_gym.wrappers.linker import Linker

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

SLOT = ("asked", "known")
"""Per detail: messages that asked for it; whether the customer has given it."""

TOOL = ("made", "failed", "fits", "new", "breaks_rule", "latest")
"""Per tool: successful calls; failed ones; whether it can be called with what was shown; whether that call
is not one that was made; 1 when it breaks a rule of the policy (consent apart), -1 when it breaks none;
whether the latest call was this one's."""


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
        self.names = (
            *PROGRESS,
            *(f"own.{name}" for name in OWN),
            *(f"slot.{slot}.{name}" for slot in self._slots for name in SLOT),
            *(f"tool.{tool}.{name}" for tool in self._tools for name in TOOL),
            *(f"last.{name}" for name in heard),
            *(f"ever.{name}" for name in heard),
        )
        self._last = len(self.names) - 2 * len(heard)
        self._ever = len(self.names) - len(heard)
        self._impressions: WeakKeyDictionary[Dialogue, Impression] = WeakKeyDictionary()
        self._judged: WeakKeyDictionary[Dialogue, tuple[int, list[float]]] = WeakKeyDictionary()

    @property
    def space(self) -> Box:
        """The observations' space: shape (len(names),), float32, from -1 to 1."""
        return Box(-1.0, 1.0, (len(self.names),), np.float32)

    def vector(self, episode: Episode) -> Vector:
        """The observation of an episode as it stands: a new array."""
        dialogue = self._linker.dialogues[episode]
        vector = np.zeros(len(self.names), dtype=np.float32)
        start = _progress(episode, dialogue) + _own(dialogue.reading)
        for slot in self._slots:
            start += (_share(dialogue.asked.get(slot, 0), 2), slot in dialogue.given)
        start += self._of_tools(dialogue)
        vector[: self._last] = start
        impression = self._impressions.get(dialogue)
        if impression is None:
            impression = self._impressions[dialogue] = Impression()
        impression.update(self._listener, dialogue)
        vector[[self._last + at for at in impression.last]] = 1.0
        vector[[self._ever + at for at in impression.ever]] = 1.0
        return vector

    def _of_tools(self, dialogue: Dialogue) -> list[float]:
        version, found = self._judged.get(dialogue, (-1, []))
        if version != dialogue.version:
            found = self._judge(dialogue)
            self._judged[dialogue] = dialogue.version, found
        return found

    def _judge(self, dialogue: Dialogue) -> list[float]:
        found: list[float] = []
        latest = dialogue.context.calls[-1].name if dialogue.context.calls else ""
        for name, filled in self._linker.filled(dialogue).items():
            found.append(_share(dialogue.calls.get(name, 0), 3))
            found.append(_share(dialogue.failures.get(name, 0), 2))
            if filled is None:
                found += (0.0, 0.0, 0.0)
            else:
                bound = filled[1]
                new = msgspec.structs.asdict(bound) not in dialogue.tried.get(name, ())
                rules = dialogue.domain.rules_of[name]
                broken = any(not rule.in_play and not rule.check(dialogue.context, bound) for rule in rules)
                found += (1.0, float(new), 1.0 if broken else -1.0)
            found.append(float(name == latest))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Features, (self._linker,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Features":
        return Features(Linker(self._linker.macros.domains))


def features_of(domains: Sequence[Domain]) -> Features:
    """Features with a linker of their own."""
    return Features(Linker(domains))


def _progress(episode: Episode, dialogue: Dialogue) -> list[float]:
    turn = episode.transcript[-1]
    return [
        turn.role == "user",
        turn.role == "tool" and not turn.error,
        turn.error,
        _share(episode.steps, episode.max_steps),
        _share(len(episode.messages), 40),
        _share(episode.questions, 10),
        _share(len(dialogue.reported), 3),
        _share(sum(dialogue.refused.values()), 6),
        _share(dialogue.since, 8),
        _share(dialogue.idle, 4),
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


def _share(count: float, most: float) -> float:
    return min(count / most, 1.0)
