"""Numeric observations, and the codecs with which the vector environment has them."""

from collections.abc import Sequence
from typing import Any, ClassVar, cast

import gymnasium as gym
from gymnasium.spaces import Discrete, Space
from gymnasium.utils import RecordConstructorArgs

from tau_emotion_gym.envs.codec import Turns
from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.envs.spaces import ActionSpace
from tau_emotion_gym.episode import Episode, Turn
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.wrappers.discrete import DiscreteActions
from tau_emotion_gym.wrappers.features import Features, Vector
from tau_emotion_gym.wrappers.linker import Linker, Mask


class NumericObservation(gym.ObservationWrapper[Vector, Any, Any], RecordConstructorArgs):
    """Observations as a vector of float32 from -1 to 1, of the same length for every task of a domain.

    It is made of what an agent can see: the transcript, the results of tools, and the policy as code. `names`
    says what each number is: the last turn and counts; what the agent's own last message did; the wish that is
    being dealt with, by its wording, and what was done about it; per detail whether it was asked for, given and
    found; per tool how often it was called, whether it can be called with what was shown, and whether that call
    would break a rule; the customer's tone and the actions that its words name, in the last message and in any.
    It never holds affect, the customer's brief, or anything of the task, except through the calls that linking
    fills (see `DiscreteActions`) and the descriptions that it resolves ("found").

    Args:
        env: an environment of this package; under `DiscreteActions`, both share their work.

    Raises:
        TypeError: another kind of environment.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        if not isinstance(env.unwrapped, TauEmotionEnv):
            raise TypeError(f"NumericObservation wraps environments of tau_emotion_gym, not {env}")
        gym.ObservationWrapper.__init__(self, env)
        self._base: TauEmotionEnv = env.unwrapped
        self.features = Features(_linker_of(env) or Linker([self._base.domain]))
        self.observation_space = cast("Space[Vector]", self.features.space)

    @property
    def names(self) -> tuple[str, ...]:
        """What each number of an observation is, in order."""
        return self.features.names

    def observation(self, observation: Any) -> Vector:
        """The vector of the episode as it stands."""
        return self.features.vector(self._base.episode)


def _linker_of(env: gym.Env[Any, Any]) -> Linker | None:
    while isinstance(env, gym.Wrapper):
        if isinstance(env, DiscreteActions):
            return env.linker
        env = env.env
    return None


class DiscreteCodec(Turns):
    """Actions are numbers of macro-actions (see `DiscreteActions`); observations are turns.

    Args:
        domains: the domains; an environment gives its own to a codec that it makes by name.
    """

    takes_domains: ClassVar[bool] = True

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.linker = Linker(domains)

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of the macro-actions, in order."""
        return self.linker.macros.names

    def action_space(self, actions: ActionSpace) -> Space[Any]:
        """`Discrete`: one number for each macro-action."""
        return Discrete(len(self.linker.macros))

    def read(self, episode: Episode, action: Any) -> Sequence[Any]:
        """The one action that the macro-action means now; what is no number of one passes as it is."""
        return (self.linker.read(episode, action),)

    def mask(self, episode: Episode) -> Mask:
        """Which macro-actions can be carried out now: a new boolean array of shape (actions,)."""
        return self.linker.mask(episode)


class DiscreteNumericCodec(DiscreteCodec):
    """Macro-actions and numeric observations (see `DiscreteActions` and `NumericObservation`)."""

    def __init__(self, domains: Sequence[Domain]) -> None:
        super().__init__(domains)
        self.features = Features(self.linker)

    @property
    def names(self) -> tuple[str, ...]:
        """What each number of an observation is, in order."""
        return self.features.names

    def observation_space(self) -> Space[Any]:
        """A `Box` from -1 to 1."""
        return self.features.space

    def show(self, episode: Episode, turns: Sequence[Turn]) -> Any:
        """The vector of the episode as it stands."""
        return self.features.vector(episode)
