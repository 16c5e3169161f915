"""Wrappers made of codecs."""

from typing import Any

import gymnasium as gym
from gymnasium.spaces import Box
from gymnasium.utils import RecordConstructorArgs

from tau_emotion_gym.envs.codec import MOST_ACTIONS, Codec, CodecSpec, make_codec
from tau_emotion_gym.envs.codecs.budget import Counter
from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.envs.spaces import ActionSpace, Observation
from tau_emotion_gym.episode import Action, Episode, Turn


class CodecWrapper(gym.Wrapper[Any, Any, Observation, Action], RecordConstructorArgs):
    """Shows the conversation, and reads actions, as a codec says.

    Args:
        env: an environment of this package, under any wrappers that leave its turns and actions alone.
        codec: a name (see `tau_emotion_gym.envs.codec.CODECS`), "module:callable", a mapping with either
            under "kind" and options beside it, or a `Codec`. With a `Codec` object, `env.spec` cannot be
            written as JSON. One that leaves actions alone may stand over wrappers that change them.

    Raises:
        TypeError: another kind of environment, one that shows numbers, no codec, or two that both read actions.
        UnknownName: no codec of this name, or no such option of it.
    """

    def __init__(self, env: gym.Env[Observation, Action], codec: CodecSpec) -> None:
        RecordConstructorArgs.__init__(self, codec=codec)
        domain = getattr(env.unwrapped, "domain", None)
        self._wrap(env, make_codec(codec, [domain] if domain else []))

    def _wrap(self, env: gym.Env[Observation, Action], codec: Codec) -> None:
        if not isinstance(env.unwrapped, TauEmotionEnv):
            raise TypeError(f"{type(self).__name__} wraps environments of tau_emotion_gym, not {env}")
        if isinstance(env.observation_space, Box):
            raise TypeError(f"{type(self).__name__} shows turns, and {env} shows numbers")
        gym.Wrapper.__init__(self, env)
        self.codec = codec
        self._base: TauEmotionEnv = env.unwrapped
        self.observation_space = codec.observation_space()
        actions = ActionSpace(_offered(env.unwrapped))
        space = codec.action_space(actions)
        if space is not actions and not isinstance(env.action_space, ActionSpace):
            raise TypeError(f"{type(codec).__name__} makes plain actions, and {env} takes {env.action_space}")
        self.action_space = env.action_space if space is actions else space

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
        actions = self.codec.read(episode, action) if episode.outcome is None else (action,)
        for one in actions[:MOST_ACTIONS]:
            seen, reward, terminated, truncated, info = self.env.step(one)
            total += float(reward)
            turns.append(_turn_of(episode, seen))
            if terminated or truncated or turns[-1].role == "user":
                break
        return self.codec.show(episode, turns), total, terminated, truncated, info


class ChatHistory(CodecWrapper):
    """Observations are the conversation as OpenAI messages, the policy as the system message.

    Actions stay what they are; `tau_emotion_gym.envs.chat.chat_messages` says how turns appear. Without a
    limit nothing is left out. With one, the oldest turns are left out whole, so that no call stands without
    its result, and the system message says how many. Always there are the system message, the customer's
    newest message and the newest turn (see `tau_emotion_gym.envs.codecs.budget.Budget`).

    Args:
        env: an environment of this package, also under `ModelText` or `ChatMessage`.
        system: "policy", or "instructions": the prompt of the package's own language agents.
        max_turns: most turns: messages of the customer, and messages of the agent with the results of their calls.
        max_tokens: most tokens.
        count_tokens: the number of tokens in a text, as a function or "module:callable"; a quarter of its
            characters when None. With a function, `env.spec` cannot be written as JSON.

    Raises:
        TypeError, ValueError: another kind of environment, or a limit that is no positive integer.
        UnknownName: another word for `system`, or a "module:callable" that does not exist.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        system: str = "policy",
        max_turns: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Counter | str | None = None,
    ) -> None:
        limits = {"max_turns": max_turns, "max_tokens": max_tokens, "count_tokens": count_tokens}
        options: dict[str, Any] = {"system": system, **limits}
        RecordConstructorArgs.__init__(self, **options)
        self._wrap(env, make_codec({"kind": "chat_history", **options}))


class ModelText(CodecWrapper):
    """Actions are raw completions; observations are OpenAI messages, what is new or all of them.

    See `tau_emotion_gym.envs.codecs.text.ModelTextCodec` for how a completion is read.

    Args:
        env: an environment of this package that takes plain actions.
        options: `observe` ("new" or "history"), `system` ("instructions" or "policy"), `tools_in_prompt`,
            `max_turns`, `max_tokens` and `count_tokens`, see `tau_emotion_gym.envs.codecs.history.Messages`.

    Raises:
        TypeError, ValueError: another kind of environment, or an option of the wrong form.
        UnknownName: an option or a word for one that does not exist.
    """

    def __init__(self, env: gym.Env[Observation, Action], **options: Any) -> None:
        RecordConstructorArgs.__init__(self, **options)
        self._wrap(env, make_codec({"kind": "model_text", **options}))


class ChatMessage(CodecWrapper):
    """Actions are assistant messages in the OpenAI format; observations are messages, what is new or all of them.

    See `tau_emotion_gym.envs.codecs.message.ChatMessageCodec` for how a message is read.

    Args:
        env: an environment of this package that takes plain actions.
        options: as of `ModelText`.

    Raises:
        TypeError, ValueError: another kind of environment, or an option of the wrong form.
        UnknownName: an option or a word for one that does not exist.
    """

    def __init__(self, env: gym.Env[Observation, Action], **options: Any) -> None:
        RecordConstructorArgs.__init__(self, **options)
        self._wrap(env, make_codec({"kind": "chat_message", **options}))


def _turn_of(episode: Episode, observation: Observation) -> Turn:
    """The turn that was just observed: at the step limit a notice stands behind the last tool's result."""
    turns = reversed(episode.transcript[-2:])
    return next((turn for turn in turns if turn.observation == observation), episode.transcript[-1])


def _offered(env: TauEmotionEnv) -> list[Any]:
    return env.domain.offered(think_tool=env.settings.think_tool)
