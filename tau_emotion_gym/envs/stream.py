"""The sequence of episodes that one environment plays: a pure function of its settings and seed."""

import os
import re
from collections.abc import Mapping
from operator import index
from typing import Any

from gymnasium.error import Error

from tau_emotion_gym._draw import MASK, mix
from tau_emotion_gym.emotions import CONDITIONS, resolve
from tau_emotion_gym.envs.deal import Deal
from tau_emotion_gym.envs.settings import Settings
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.tasks.train import task_by_id

OPTIONS = ("task_id", "emotion", "episode_seed")
"""Keys of `reset(options=…)`. Each holds for that episode alone; an absent key means the env's setting,
and an explicit None for `emotion` means neutral."""

_DIGITS = re.compile("[0-9]{1,20}")


class Stream:
    """Makes one episode after another.

    Args:
        settings: the environment's settings.
        user_exit: who decides that the user leaves.
        deal: which tasks to play; those of the settings when None.
    """

    def __init__(self, settings: Settings, user_exit: str, deal: Deal | None = None) -> None:
        self.settings = settings
        self.user_exit = user_exit
        self.deal = settings.deal if deal is None else deal
        self.last_seed: int | None = None
        self._root: int | None = None
        self._count = 0

    def seed(self, seed: int) -> None:
        """Start again: from here on everything follows from `seed`."""
        self.last_seed = self._root = seed
        self._count = 0

    def start_unseeded(self, root: int) -> None:
        """Give a root to a stream that was never seeded; no effect on any other."""
        if self._root is None:
            self._root = root

    def begin(
        self, options: Mapping[str, Any] | None = None, *, seed: int | None = None, root: int | None = None
    ) -> tuple["Stream", Episode]:
        """The stream that goes on behind the next episode, and that episode; this stream stays as it is.

        Args:
            options: see `OPTIONS`.
            seed: starts the stream again first.
            root: of a stream that was never seeded.

        Raises:
            UnknownName, TypeError, ValueError: as `next`.
        """
        ahead = self.fork()
        if seed is not None:
            ahead.seed(seed)
        elif root is not None:
            ahead.start_unseeded(root)
        return ahead, ahead.next(options)

    def next(self, options: Mapping[str, Any] | None = None) -> Episode:
        """The next episode.

        Args:
            options: see `OPTIONS`.

        Raises:
            UnknownName: an unknown option, task or emotion, with the nearest valid ones.
            TypeError: options that are no mapping, or a task id that is no string.
            ValueError: an episode seed that is none.
        """
        options = checked_options(options)
        for key in options:
            if key not in OPTIONS:
                raise unknown("reset option", key, OPTIONS)
        if self._root is None:
            self._root = entropy()
        settings = self.settings
        domain = settings.domain
        draw = mix(self._root, self._count, "episode")
        task_id = options.get("task_id")
        if task_id is None:
            place = self.deal.place(self.last_seed, self._count, draw)
            task = self.deal.task(domain, settings.split, settings.world_seed, place)
        else:
            task = task_by_id(domain, _task_id(task_id))
        seed = draw
        if (given := options.get("episode_seed")) is not None:
            seed = _episode_seed(given)
        spec = options.get("emotion", settings.emotion)
        episode = Episode(
            domain,
            task,
            resolve(spec, assigned=CONDITIONS[task.condition], seed=seed),
            seed=seed,
            user_exit=self.user_exit,
            max_steps=settings.max_steps,
            think_tool=settings.think_tool,
            reward=settings.reward,
        )
        self._count += 1
        return episode

    def fork(self) -> "Stream":
        """An independent stream that goes on alike."""
        twin = object.__new__(Stream)
        twin.__dict__.update(self.__dict__)
        return twin


def entropy() -> int:
    """A root for a stream that nobody seeded, different in every process."""
    return int.from_bytes(os.urandom(8))


def checked_seed(seed: Any) -> int:
    """The seed of a reset as a plain integer; integers of numpy will do.

    Raises:
        gymnasium.error.Error: not an integer from 0 to 2**64 - 1.
    """
    try:
        number = index(seed)
    except TypeError:
        number = -1
    if not 0 <= number <= MASK:
        raise Error(f"a seed is an integer from 0 to 2**64 - 1, not {seed!r:.80}")
    return number


def checked_options(options: Any) -> Mapping[str, Any]:
    """The options of a reset; none for None.

    Raises:
        TypeError: no mapping.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options is a mapping with any of {', '.join(OPTIONS)}, not {options!r:.80}")
    return options


def _task_id(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"task_id is the id of a task, such as 'test-001', not {value!r:.80}")
    return value


def _episode_seed(value: Any) -> int:
    """An episode's seed as an integer, or as the digits that `info["episode_seed"]` shows."""
    try:
        number = int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= MASK:
        raise ValueError(f"episode_seed is an integer from 0 to 2**64 - 1, or its digits; not {value!r:.80}")
    return number
