"""What the scripted user works with in one reply: the request, its memory, its voice, and the wishes' state."""

from functools import lru_cache

import msgspec

from tau_emotion_gym._draw import chance, pick
from tau_emotion_gym.episode.requests import Signal, UserRequest, Wish
from tau_emotion_gym.episode.turns import Turn
from tau_emotion_gym.kit import Kind
from tau_emotion_gym.kit.discovery import load_from
from tau_emotion_gym.users.memory import Memory
from tau_emotion_gym.users.voice import Act, Voice

HABIT = 0.6
"""Chance that a one-off behaviour of the leaf (freeze, avoid, hesitate) shows when there is occasion."""


class Plan(msgspec.Struct, frozen=True):
    """The content of a reply, before any voice."""

    act: Act
    core: str
    signal: Signal = Signal.CONTINUE
    stake: str = ""


class Scene:
    """One request to the scripted user, with the state of its wishes.

    Args:
        request: what the user is asked.
        memory: what it remembers; updated in place.
        voice: supplies the sentences of one-off behaviours.
    """

    __slots__ = ("brief", "domain", "memory", "request", "voice", "wishes")

    def __init__(self, request: UserRequest, memory: Memory, voice: Voice) -> None:
        self.request = request
        self.memory = memory
        self.voice = voice
        self.brief = request.brief
        self.wishes = request.brief.wishes
        self.domain = load_from(self.brief.domain, self.brief.folder)
        if not memory.insisted:
            memory.insisted = [0] * len(self.wishes)

    @property
    def heard(self) -> str:
        """The agent's last message."""
        return self.request.transcript[-1].content

    # --- wishes ---------------------------------------------------------------------------------------

    def open(self) -> tuple[int, ...]:
        """Numbers of the wishes brought up and not closed."""
        return _open(self.memory.revealed, self.memory.closed)

    def close(self, number: int) -> None:
        """Note that a wish is done, told, or given up."""
        self.memory.closed |= 1 << number

    def fell_back(self, number: int) -> bool:
        """Whether the second best was taken for a wish."""
        return bool(self.memory.fallen >> number & 1)

    def impossible(self, number: int) -> bool:
        """Whether the wish waits to be refused first."""
        kind = self.wishes[number].kind
        return kind is Kind.DENY or (kind is Kind.CONDITIONAL and not self.fell_back(number))

    def names(self, text: str, actions: frozenset[str]) -> bool:
        """Whether a text names one of these actions in its domain's words."""
        return any(self.domain.tools[action].named_in(text) for action in actions)

    # --- words ----------------------------------------------------------------------------------------

    def line(self, options: tuple[str, ...], purpose: str) -> str:
        """One of the options, drawn for this turn."""
        return pick(options, self.brief.seed, self.request.turn, purpose)

    def say_again(self, number: int) -> str:
        """A wish that was said before, in other words than the last time."""
        wish = self.wishes[number]
        last = next((turn.content for turn in reversed(self.request.transcript) if _names(turn, wish)), "")
        return wish.say if wish.again in last else wish.again

    def behave(self, behaviour: str) -> str:
        """A sentence that shows a one-off behaviour."""
        return self.voice.behave(behaviour, seed=self.brief.seed, turn=self.request.turn)

    def has_habit(self, behaviour: str) -> bool:
        """Whether this customer shows a one-off behaviour in this conversation."""
        return behaviour in self.voice.behaviours and chance(HABIT, self.brief.seed, 0, f"habit {behaviour}")


@lru_cache(maxsize=256)
def _open(revealed: int, closed: int) -> tuple[int, ...]:
    """A memo: with three wishes there are only a handful of answers."""
    return tuple(i for i in range(revealed) if not closed >> i & 1)


def _names(turn: Turn, wish: Wish) -> bool:
    """Whether the customer says the wish in this turn."""
    return turn.role == "user" and (wish.say in turn.content or wish.again in turn.content)
