"""Wrappers made of codecs."""

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from tau_emotion_gym.envs.codec import MOST_ACTIONS, Codec, CodecSpec, make_codec
from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.envs.spaces import ActionSpace, Observation
from tau_emotion_gym.episode import Action, Episode, Turn


class CodecWrapper(gym.Wrapper[Any, Any, Observation, Action], RecordConstructorArgs):
    """Shows the conversation, and reads actions, as a codec says.

    Args:
        env: an environment of this package, under any wrappers that leave its turns and actions alone.
        codec: a name ("turns", "chat_history"), "module:callable", or a `Codec`. With a `Codec` object,
            `env.spec` cannot be written as JSON.

    Raises:
        TypeError: another kind of environment, or no codec.
        UnknownName: no codec of this name.
    """

    def __init__(self, env: gym.Env[Observation, Action], codec: CodecSpec) -> None:
        RecordConstructorArgs.__init__(self, codec=codec)
        domain = getattr(env.unwrapped, "domain", None)
        self._wrap(env, make_codec(codec, [domain] if domain else []))

    def _wrap(self, env: gym.Env[Observation, Action], codec: Codec) -> None:
        if not isinstance(env.unwrapped, TauEmotionEnv):
            raise TypeError(f"{type(self).__name__} wraps environments of tau_emotion_gym, not {env}")
        gym.Wrapper.__init__(self, env)
        self.codec = codec
        self._base: TauEmotionEnv = env.unwrapped
        self.observation_space = codec.observation_space()
        self.action_space = codec.action_space(ActionSpace(_offered(env.unwrapped)))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environment's, the observation shown by the codec."""
        _, info = self.env.reset(seed=seed, options=options)
        episode = self._base.episode
        return self.codec.show(episode, episode.transcript[-1:]), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The actions that the codec reads, one after another, until one reaches the customer or the end.

        Returns:
            What the codec shows; the sum of the rewards; the last action's flags and info.
        """
        episode = self._base.episode
        turns = []
        total, terminated, truncated = 0.0, False, False
        info: dict[str, Any] = {}
        for one in self.codec.read(episode, action)[:MOST_ACTIONS]:
            seen, reward, terminated, truncated, info = self.env.step(one)
            total += float(reward)
            turns.append(_turn_of(episode, seen))
            if terminated or truncated or turns[-1].role == "user":
                break
        return self.codec.show(episode, turns), total, terminated, truncated, info


class ChatHistory(CodecWrapper):
    """Observations are the whole conversation as OpenAI messages, the policy as the system message.

    Actions stay `{"name", "arguments"}`; `tau_emotion_gym.envs.chat.chat_messages` says how turns appear.
    """

    def __init__(self, env: gym.Env[Observation, Action]) -> None:
        RecordConstructorArgs.__init__(self)
        self._wrap(env, make_codec("chat_history"))


def _turn_of(episode: Episode, observation: Observation) -> Turn:
    """The turn that was just observed: at the step limit a notice stands behind the last tool's result."""
    turns = reversed(episode.transcript[-2:])
    return next((turn for turn in turns if turn.observation == observation), episode.transcript[-1])


def _offered(env: TauEmotionEnv) -> list[Any]:
    return env.domain.offered(think_tool=env.settings.think_tool)
