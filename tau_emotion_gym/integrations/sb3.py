"""Stable-Baselines3: the vector environment as a `VecEnv` with action masks.

SB3 steps environments one by one, each behind wrappers; here one `TauEmotionVectorEnv` per process steps them all,
with the codec `discrete_numeric`, so that stepping is not the bottleneck. Needs the extra `sb3`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from tau_emotion_gym.envs.settings import check_count
from tau_emotion_gym.envs.vector import TauEmotionVectorEnv
from tau_emotion_gym.episode import Episode, Outcome
from tau_emotion_gym.integrations.remote import Remote, opened
from tau_emotion_gym.wrappers.shaped import Potential, Shaping

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError("this needs stable-baselines3: pip install 'tau-emotion-gym[sb3]'") from error

CODEC = "discrete_numeric"
FIXED = {"codec", "autoreset_mode"}
"""Arguments of the vector environment that are not open."""

KEPT = ("success", "strict_success", "satisfaction", "patience", "violations", "steps")
"""Numbers of a finished episode's `info` that go into SB3's."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a trainer's rewards hold beside the environment's own; nothing by default.

    Attributes:
        gamma: the trainer's discount: rewards are shaped with the potential (see `wrappers.shaped`). None: not.
        weights: of the potential's terms (see `DEFAULT_POTENTIAL`).
        kept: partial credit: the share of the last state's potential that an episode keeps at its end. Where
            success is so rare that a policy never meets it, shaping alone teaches nothing: all that it gives
            on the way it takes back at the end. This is no shaping any more, it changes the aim.
        unsolved: what is added at an end without success that is neither the customer's leaving nor a server's
            failure, for example -1.0, so that giving up at once is no way out for a policy that knows nothing yet.
    """

    gamma: float | None = None
    weights: Mapping[str, float] | None = None
    kept: float = 0.0
    unsolved: float = 0.0


PLAIN = Lesson()
"""The environment's own rewards."""


class Batch(NamedTuple):
    """What a step of several environments gives.

    Attributes:
        observations: (environments, numbers), float32.
        masks: (environments, actions), bool.
        rewards: (environments,), float32, shaping included.
        over: (environments,), bool.
        infos: SB3's infos, one per environment.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    over: NDArray[np.bool_]
    infos: list[dict[str, Any]]


class Share:
    """The environments of one process.

    Args:
        options: arguments of `TauEmotionVectorEnv`.
        lesson: what is added to the rewards.
    """

    def __init__(self, options: Mapping[str, Any], lesson: Lesson) -> None:
        self.env = TauEmotionVectorEnv(codec=CODEC, **options)
        self._set(lesson)
        self._returns = np.zeros(self.env.num_envs)
        self._begun = False

    def _set(self, lesson: Lesson) -> None:
        self._lesson = lesson
        self._potential = Potential(lesson.weights)
        self._shaping = None if lesson.gamma is None else Shaping(lesson.gamma, self._potential)

    @property
    def spaces(self) -> tuple[Any, Any, tuple[str, ...]]:
        """The spaces of one environment and the names of the actions."""
        names: tuple[str, ...] = self.env.codec.action_names  # type: ignore[attr-defined]
        return self.env.single_observation_space, self.env.single_action_space, names

    def teach(self, lesson: Lesson) -> None:
        """Give another lesson from here on, in the midst of episodes too."""
        self._set(lesson)
        if self._shaping is not None and self._begun:
            self._shaping.begin(self.env.episodes)

    def reset(
        self, seeds: Sequence[int | None], options: Mapping[str, Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Begin everywhere; the observations and the masks."""
        observations, _ = self.env.reset(seed=seeds, options=options)
        self._returns[:] = 0.0
        self._begun = True
        if self._shaping is not None:
            self._shaping.begin(self.env.episodes)
        return np.stack(observations), self.env.action_masks()

    def step(self, actions: Iterable[int]) -> Batch:
        """One action everywhere; where an episode ended, the next one has begun."""
        episodes = self.env.episodes
        observations, rewards, terminated, truncated, infos = self.env.step(list(actions))
        over = terminated | truncated
        self._returns += rewards
        found: list[dict[str, Any]] = [{} for _ in episodes]
        for place in map(int, np.flatnonzero(over)):
            found[place] = self._ended(place, infos)
            rewards[place] += self._closing(episodes[place], found[place])
        shaped = rewards if self._shaping is None else rewards + self._shaping.step(self.env.episodes, over)
        return Batch(np.stack(observations), self.env.action_masks(), shaped.astype(np.float32), over, found)

    def _closing(self, episode: Episode, info: Mapping[str, Any]) -> float:
        """What the lesson adds at the end of an episode."""
        gave_up = not info["success"] and info["outcome"] not in (Outcome.DISSATISFIED, Outcome.INFRASTRUCTURE)
        return self._lesson.kept * self._potential.of_state(episode) + self._lesson.unsolved * gave_up

    def _ended(self, place: int, infos: Mapping[str, Any]) -> dict[str, Any]:
        final = infos["final_info"]
        raw, self._returns[place] = float(self._returns[place]), 0.0
        return {
            "terminal_observation": infos["final_obs"][place],
            "episode": {"r": raw, "l": int(final["steps"][place]), "t": 0.0},
            "outcome": final["outcome"][place],
            "task_id": final["task_id"][place],
            **{key: float(final[key][place]) for key in KEPT},
        }


class MaskedVecEnv(VecEnv):
    """Conversations for SB3 and sb3-contrib: numeric observations, macro-actions, `action_masks`.

    Every `info` is empty until an episode ends; then it holds `episode` (the raw return), `outcome`, `task_id`
    and the numbers of `KEPT`. The ends of episodes are all taken as final, the step limit too: how many steps
    are left is part of the observation.

    Args:
        num_envs: how many.
        seed: the first environment's seed; environment i has seed + i. An algorithm that is given a seed of its own
            seeds its environments with that instead.
        lesson: what is added to the rewards.
        workers: processes that step the environments; 0 steps them here.
        options: arguments of `TauEmotionVectorEnv`: `domain`, `split`, `emotion`, `reward`, …. Listed `tasks` and
            cursors are dealt round over the processes.

    Raises:
        ValueError: `num_envs` is no multiple of `workers`, or there are fewer tasks than workers.
        Exception: what `TauEmotionVectorEnv` raises for its arguments, from worker processes too.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        seed: int = 0,
        lesson: Lesson = PLAIN,
        workers: int = 0,
        **options: Any,
    ) -> None:
        if fixed := options.keys() & FIXED:
            raise TypeError(f"{', '.join(sorted(fixed))} cannot be chosen here: SB3 needs it as it is")
        self._group = options.get("group_size", 1)
        for name, value, least in (("num_envs", num_envs, 1), ("workers", workers, 0), ("group_size", self._group, 1)):
            check_count(name, value, least=least)
        parts = max(workers, 1)
        if num_envs % (parts * self._group):
            groups = f" and group_size={self._group}" if self._group > 1 else ""
            raise ValueError(f"num_envs={num_envs} is no multiple of workers={workers}{groups}")
        self._size = num_envs // parts
        own = [
            {**options, **_dealt(options.get("tasks"), part, parts), "num_envs": self._size} for part in range(parts)
        ]
        self._remotes = [Remote(Share, one, lesson) for one in own] if workers else []
        self._shares = [] if workers else [Share(own[0], lesson)]
        self._masks: NDArray[np.bool_] | None = None
        self._actions: list[NDArray[Any]] = []
        self.render_mode = None
        try:
            spaces = [*(share.spaces for share in self._shares), *(remote.ask("spaces") for remote in self._remotes)]
        except Exception:
            self.close()
            raise
        observation_space, action_space, self.action_names = spaces[0]
        super().__init__(num_envs, observation_space, action_space)
        self.seed(seed)

    def teach(self, lesson: Lesson) -> None:
        """Give another lesson from here on: to learn what to do first, say, and what to leave afterwards."""
        for share in self._shares:
            share.teach(lesson)
        for remote in self._remotes:
            remote.ask("teach", lesson)

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Options for the next reset; a list or array among them has one value per environment.

        Raises:
            ValueError: the environments are given different mappings.
        """
        if isinstance(options, list) and any(one != options[0] for one in options):
            raise ValueError(f"options are one mapping for all environments here, not {options!r:.200}")
        super().set_options(options)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds for the next reset: environment i gets seed + i, with groups seed + number of its group."""
        seeds = super().seed(seed)
        self._seeds = [seeds[place // self._group] for place in range(self.num_envs)]
        return self._seeds

    def reset(self) -> NDArray[np.float32]:
        """Begin everywhere; the observations, shape (num_envs, numbers).

        Takes the seeds of `seed` and the options of `set_options`, as SB3 has it: once each. Without seeds the
        sequences of episodes go on.

        Raises:
            UnknownName, TypeError, ValueError: an option that is none.
        """
        own = [slice(first, first + self._size) for first in range(0, self.num_envs, self._size)]
        given = [(self._seeds[part], _cut(self._options[0], part)) for part in own]
        for remote, arguments in zip(self._remotes, given, strict=False):
            remote.send("reset", *arguments)
        found = [share.reset(*arguments) for share, arguments in zip(self._shares, given, strict=False)]
        found += self._answers()
        self._reset_seeds()
        self._reset_options()
        self._masks = np.concatenate([masks for _, masks in found])
        return np.concatenate([observations for observations, _ in found])

    def step_async(self, actions: NDArray[Any]) -> None:
        """Send the actions to the processes.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
            ValueError: not one action per environment.
        """
        if self._masks is None:
            raise ResetNeeded("call reset() before step()")
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions for {self.num_envs} environments")
        self._actions = np.split(np.asarray(actions), self.num_envs // self._size)
        for remote, own in zip(self._remotes, self._actions, strict=False):
            remote.send("step", own)

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """The observations, rewards, ends and infos."""
        batches = [share.step(own) for share, own in zip(self._shares, self._actions, strict=False)]
        batches += self._answers()
        self._masks = np.concatenate([batch.masks for batch in batches])
        infos = [info for batch in batches for info in batch.infos]
        observations, _, rewards, over, _ = (np.concatenate(part) for part in zip(*batches, strict=True))
        return observations, rewards, over, infos

    def _answers(self) -> list[Any]:
        """What the processes answer, all of it taken before anything is raised."""
        answers = [remote.receive() for remote in self._remotes]
        return [opened(answer) for answer in answers]

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions each environment can carry out now, shape (num_envs, actions).

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self._masks is None:
            raise ResetNeeded("call reset() before action_masks()")
        return self._masks

    def close(self) -> None:
        """End the processes."""
        for share in self._shares:
            share.env.close()
        for remote in self._remotes:
            remote.close()

    # --- what SB3 asks of a VecEnv ------------------------------------------------------------------------

    def env_method(
        self, method_name: str, *arguments: Any, indices: int | Iterable[int] | None = None, **named: Any
    ) -> list[Any]:
        """`action_masks` of each environment; there is no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"the environments have no method {method_name!r}")
        return [self.action_masks()[place] for place in self._places(indices)]

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of this object, for each environment."""
        return [getattr(self, attr_name) for _ in self._places(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Environments have no attributes to set."""
        raise AttributeError(f"the environments have no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: type, indices: int | Iterable[int] | None = None) -> list[bool]:
        """No environment has wrappers."""
        return [False for _ in self._places(indices)]

    def _places(self, indices: int | Iterable[int] | None) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return [int(place) for place in np.atleast_1d(np.asarray(indices))]


def _cut(options: Mapping[str, Any], own: slice) -> dict[str, Any]:
    """The options of some of the environments."""
    return {
        key: value[own] if isinstance(value, list | tuple | np.ndarray) else value for key, value in options.items()
    }


def _dealt(tasks: Any, part: int, parts: int) -> dict[str, Any]:
    """The tasks that fall to one of several processes: no two play the same ones."""
    if tasks is None or parts == 1:
        return {}
    if isinstance(tasks, Mapping):
        start, step = tasks.get("start", 0), tasks.get("step", 1)
        return {"tasks": {**tasks, "start": start + part * step, "step": step * parts}}
    if len(tasks) < parts:
        raise ValueError(f"{len(tasks)} tasks cannot be dealt to workers={parts}")
    return {"tasks": tasks[part::parts]}
