"""Codecs: how the turns of an episode are shown to an agent, and how what it sends is read as actions.

A codec is a stateless pair of functions with the two spaces that go with them. The same codec serves a
wrapper (`CodecWrapper(env, codec)`) and the vector environment (`make_vec(…, codec=codec)`).
"""

import importlib
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from gymnasium.spaces import Space

from tau_emotion_gym.envs.chat import chat_messages
from tau_emotion_gym.envs.spaces import ActionSpace, MessagesSpace, TurnSpace
from tau_emotion_gym.episode import Episode, Turn
from tau_emotion_gym.errors import UnknownName, unknown

MOST_ACTIONS = 16
"""Actions that one step of a codec may carry out; the rest of a longer list is not run."""


@runtime_checkable
class Codec(Protocol):
    """How turns are shown and how actions are read."""

    def observation_space(self) -> Space[Any]:
        """The space of what `show` returns."""
        ...

    def action_space(self, actions: ActionSpace) -> Space[Any]:
        """The space of what `read` takes, given the environment's own."""
        ...

    def show(self, episode: Episode, turns: Sequence[Turn]) -> Any:
        """What the agent observes: a new object, never one that was returned before.

        Args:
            episode: the episode as it stands; its transcript ends with the last of `turns`.
            turns: the turns that answer the agent's last step, at least one.
        """
        ...

    def read(self, episode: Episode, action: Any) -> Sequence[Any]:
        """The actions to carry out one after another, at least one; never raises.

        Those after one that reaches the customer, or ends the episode, are not carried out: they were
        decided before the answer was known.
        """
        ...


class Turns:
    """The plain codec: one turn to observe, one action to take."""

    def observation_space(self) -> Space[Any]:
        """A `TurnSpace`."""
        return TurnSpace()

    def action_space(self, actions: ActionSpace) -> Space[Any]:
        """The environment's own."""
        return actions

    def show(self, episode: Episode, turns: Sequence[Turn]) -> dict[str, str]:
        """The last turn as `{"role", "name", "content"}`."""
        return turns[-1].observation

    def read(self, episode: Episode, action: Any) -> Sequence[Any]:
        """The action itself."""
        return (action,)


class ChatHistoryCodec(Turns):
    """The whole conversation as OpenAI messages, with the policy as the system message."""

    def observation_space(self) -> Space[Any]:
        """A `MessagesSpace`."""
        return MessagesSpace()

    def show(self, episode: Episode, turns: Sequence[Turn]) -> Any:
        """The messages so far (see `chat_messages`)."""
        return chat_messages(episode.domain.policy, episode.transcript)


CODECS = {"turns": f"{__name__}:Turns", "chat_history": f"{__name__}:ChatHistoryCodec"}
"""Codecs by name."""


def make_codec(spec: "Codec | str | None") -> Codec:
    """The codec of this name, at this "module:callable", or the object itself; None is the plain one.

    Raises:
        UnknownName: no such codec.
        TypeError: an object that is no codec.
    """
    if spec is None:
        return Turns()
    if not isinstance(spec, str):
        if isinstance(spec, Codec) and not isinstance(spec, type):
            return spec
        raise TypeError(f"a codec has observation_space, action_space, show and read; {spec!r} is none")
    module, _, name = CODECS.get(spec, spec).partition(":")
    if not name:
        raise unknown("codec", spec, CODECS)
    try:
        made: Codec = getattr(importlib.import_module(module), name)()
    except (ImportError, AttributeError) as error:
        raise UnknownName(f"codec {spec!r}: {error}") from None
    return made
