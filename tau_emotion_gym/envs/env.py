"""One conversation at a time behind the Gymnasium interface."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar, Self

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding

from tau_emotion_gym.emotions import EmotionSpec
from tau_emotion_gym.envs.chat import function_tools
from tau_emotion_gym.envs.deal import Tasks
from tau_emotion_gym.envs.names import check_id
from tau_emotion_gym.envs.settings import make_settings
from tau_emotion_gym.envs.spaces import ActionSpace, Observation, TurnSpace
from tau_emotion_gym.envs.stream import Stream, checked_seed
from tau_emotion_gym.envs.transcript import show, transcript_text
from tau_emotion_gym.episode import Action, Episode, Outcome, Turn, UserRequest, info
from tau_emotion_gym.episode.episode import MAX_STEPS
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.users import User, UserError
from tau_emotion_gym.users.base import UserSpec, checked_reply

RENDER_MODES = ("ansi", "human")


class TauEmotionEnv(gym.Env[Observation, Action]):
    """A customer service conversation: the agent under training on one side, an emotional customer on the other.

    An observation is one turn, `{"role": "user" | "tool", "name": str, "content": str}`; an action is
    `{"name": tool, "arguments": {…}}`, where the name "respond" sends the argument `content` to the
    customer (`tau_emotion_gym.respond("…")`, `tau_emotion_gym.call("tool", key=value)`). Malformed
    actions become error turns and never raise. `info` has the keys and types of
    `tau_emotion_gym.episode.INFO_KEYS` from reset to end.

    Everything that happens is a function of the settings, the seed of the last seeded reset, the number
    of resets since, and the actions. The first reset without a seed starts somewhere at random.

    Args:
        domain: name of the domain, or path of a domain's folder.
        emotion: the emotion condition: "task", "random", a family, a leaf, a path, an index, an
            `EmotionCondition`, or None for neutral (see `tau_emotion_gym.emotions.conditions`).
        split: "test", or "train" for tasks without end.
        tasks: which tasks to play: None (drawn from the seed), a list of ids (in order; a seeded reset
            with seed s starts at place s mod length), or a cursor `{"start": a, "step": b}` over the
            split (a seeded reset starts at a).
        world_seed: the training world.
        user: who plays the customer: "scripted", "module:callable", or a mapping with "kind".
        user_exit: who decides that the customer leaves: "affect", "model" or "either"; None is what suits
            the user (the scripted one: "affect").
        reward: weights of reward terms that differ from the default (see `DEFAULT_REWARD`).
        max_steps: actions after which the episode is truncated.
        think_tool: offer the `think` tool.
        render_mode: "ansi" (`render()` returns the transcript), "human" (turns are printed as they
            happen), or None.

    Raises:
        UnknownName: a name that does not exist, with the nearest valid ones.
        TypeError, ValueError: a value of the wrong form or out of range.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # type: ignore[misc]
    _spec: EnvSpec | None = None

    def __init__(
        self,
        domain: str | Path,
        *,
        emotion: EmotionSpec = "task",
        split: str = "test",
        tasks: Tasks = None,
        world_seed: int = 0,
        user: UserSpec = "scripted",
        user_exit: str | None = None,
        reward: Mapping[str, float] | None = None,
        max_steps: int = MAX_STEPS,
        think_tool: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise unknown("render_mode", render_mode, RENDER_MODES)
        settings = make_settings(
            domain,
            emotion=emotion,
            split=split,
            tasks=tasks,
            world_seed=world_seed,
            user=user,
            user_exit=user_exit,
            reward=reward,
            max_steps=max_steps,
            think_tool=think_tool,
        )
        self.settings = settings
        self.render_mode = render_mode
        self.observation_space = TurnSpace()
        self.action_space = ActionSpace(settings.domain.offered(think_tool=think_tool))
        self._user: User | None = settings.make_user()
        self._stream = Stream(settings, settings.user_exit or self.user.default_exit)
        self._generator: np.random.Generator | None = None
        self._episode: Episode | None = None
        self._over = False
        self._printed = 0

    # --- the Gymnasium interface ----------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; the customer speaks first.

        Args:
            seed: starts the sequence of episodes again: the same seed, the same episodes. Without it the
                sequence goes on.
            options: for this episode alone: "task_id" (any task of the domain, of either split),
                "emotion" (any form; None means neutral) and "episode_seed" (an integer or its digits).
                Task, condition and episode seed, which `info` shows, repeat an episode anywhere.

        Returns:
            The customer's first message, and `info`. If the customer's server fails, the observation is a
            notice, and the first step truncates.

        Raises:
            UnknownName: an unknown option, task or emotion, with the nearest valid ones.
            TypeError, ValueError: an option of the wrong form.
            gymnasium.error.Error: a seed that is no integer from 0 to 2**64 - 1.
        """
        start = None if seed is None else checked_seed(seed)
        self._stream, episode = self._stream.begin(options, seed=start)
        if start is not None:
            self._generator, self._np_random_seed = None, start
        turn = self._ask(episode, episode.open())
        self._episode, self._over, self._printed = episode, False, 0
        self._print()
        return turn.observation, info(episode)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action; nothing that is sent as one raises.

        Returns:
            The tool's result or the customer's answer; the reward (0.0 until the end); terminated (the
            conversation came to an end); truncated (it was cut short: what `reward` prices counts, success
            does not); `info`.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset, and after the end.
        """
        episode = self._episode
        if episode is None or self._over:
            raise ResetNeeded("call reset() before step(): the episode is over, or none has begun")
        if episode.outcome is None:
            result = episode.act(action)
            turn = self._ask(episode, result) if isinstance(result, UserRequest) else result
        else:
            turn = episode.transcript[-1]
        self._print()
        outcome = episode.outcome
        if outcome is None:
            return turn.observation, 0.0, False, False, info(episode)
        self._over = True
        terminated = outcome.terminated
        score = episode.score()
        return turn.observation, score.reward, terminated, not terminated, info(episode, score)

    def render(self) -> str | None:
        """The transcript so far as text ("ansi"); None in the other modes, where turns print themselves."""
        if self.render_mode != "ansi":
            return None
        return transcript_text(self._episode.transcript) if self._episode else ""

    def close(self) -> None:
        """Let go of the user and its clients; `reset` makes a new one. May be called twice."""
        closing = getattr(self._user, "close", None)
        self._user = None
        if closing is not None:
            closing()

    @property
    def spec(self) -> EnvSpec | None:
        """What `gymnasium.make` was given; None for an environment made by its class."""
        return self._spec

    @spec.setter
    def spec(self, value: EnvSpec | None) -> None:
        if value is not None:
            check_id(value.id, [self.domain.name])
        self._spec = value

    @property
    def _np_random(self) -> np.random.Generator | None:
        """Gymnasium's generator, made when somebody asks for it: making one costs more than a reset."""
        if self._generator is None and self._np_random_seed is not None:
            self._generator, _ = seeding.np_random(self._np_random_seed)
        return self._generator

    @_np_random.setter
    def _np_random(self, value: np.random.Generator | None) -> None:
        self._generator = value

    # --- beyond it --------------------------------------------------------------------------------------

    @property
    def domain(self) -> Domain:
        """The domain."""
        return self.settings.domain

    @property
    def policy(self) -> str:
        """The policy that the agent has to keep: what belongs into its system prompt."""
        return self.settings.domain.policy

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as OpenAI function definitions, without "respond" (see `function_tools`)."""
        return function_tools(self.domain, think_tool=self.settings.think_tool)

    @property
    def episode(self) -> Episode:
        """The episode being played, or last played.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self._episode is None:
            raise ResetNeeded("call reset() first: no episode has begun")
        return self._episode

    @property
    def user(self) -> User:
        """The user simulator, made anew after `close()` and in every process that unpickles the env."""
        if self._user is None:
            self._user = self.settings.make_user()
        return self._user

    def fork(self) -> Self:
        """An independent environment at the same point, for look-ahead. Costs O(turns + changes)."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._stream = self._stream.fork()
        twin._generator = deepcopy(self._generator)
        twin.action_space = deepcopy(self.action_space)
        twin.observation_space = deepcopy(self.observation_space)
        if self._episode is not None:
            twin._episode = self._episode.fork()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_user": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _ask(self, episode: Episode, request: UserRequest) -> Turn:
        try:
            reply = self.user.reply(request)
        except UserError as error:
            return episode.stop(Outcome.INFRASTRUCTURE, str(error))
        return episode.hear(checked_reply(self.user, request, reply))

    def _print(self) -> None:
        if self.render_mode == "human" and self._episode is not None:
            transcript = self._episode.transcript
            show(transcript_text(transcript[self._printed :]))
            self._printed = len(transcript)
