"""Codecs: how the turns of an episode are shown to an agent, and how what it sends is read as actions.

A codec is a stateless pair of functions with the two spaces that go with them. The same codec serves a
wrapper (`CodecWrapper(env, codec)`) and the vector environment (`make_vec(…, codec=codec)`).
"""

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Protocol, runtime_checkable

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from tau_emotion_gym._specs import kind_and_options, target_of
from tau_emotion_gym.envs.spaces import ActionSpace, TurnSpace
from tau_emotion_gym.episode import Episode, Turn
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import Domain

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


@runtime_checkable
class MaskedCodec(Codec, Protocol):
    """A codec whose actions are numbers, some of which cannot be carried out at times."""

    def mask(self, episode: Episode) -> NDArray[np.bool_]:
        """Which actions can be carried out now: a new boolean array of shape (actions,)."""
        ...


CodecSpec = Codec | str | Mapping[str, Any]
"""A codec: by name, as "module:callable", as a mapping with either under "kind" and the options beside it
(`{"kind": "chat_history", "max_turns": 20}`), or the object itself."""

CODECS = {
    "turns": f"{__name__}:Turns",
    "chat_history": "tau_emotion_gym.envs.codecs.history:ChatHistoryCodec",
    "chat_message": "tau_emotion_gym.envs.codecs.message:ChatMessageCodec",
    "model_text": "tau_emotion_gym.envs.codecs.text:ModelTextCodec",
    "discrete": "tau_emotion_gym.wrappers.numeric:DiscreteCodec",
    "discrete_numeric": "tau_emotion_gym.wrappers.numeric:DiscreteNumericCodec",
}
"""Codecs by name."""


def make_codec(spec: CodecSpec | None, domains: Sequence[Domain] = ()) -> Codec:
    """The codec that is meant; None is the plain one.

    Args:
        spec: which codec.
        domains: those of its environment, for codecs that say `takes_domains = True`.

    Raises:
        UnknownName: no such codec, or no such option of it.
        TypeError: an object that is no codec.
        ValueError: an option's value that the codec does not take.
    """
    if spec is None:
        return Turns()
    if found := kind_and_options(spec):
        return _made(*found, domains)
    if isinstance(spec, Codec) and not isinstance(spec, type):
        return spec
    raise TypeError(f"a codec has observation_space, action_space, show and read; {spec!r} is none")


def _made(kind: str, options: Mapping[str, Any], domains: Sequence[Domain]) -> Codec:
    make = target_of("codec", kind, CODECS.get(kind, kind))
    if make is None:
        raise unknown("codec", kind, CODECS)
    valid = signature(make).parameters
    for option in options:
        if option not in valid:
            raise unknown(f"option of codec {kind!r}", option, valid)
    given = (domains,) if getattr(make, "takes_domains", False) else ()
    codec: Codec = make(*given, **options)
    return codec
