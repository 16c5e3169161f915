"""Potential-based reward shaping on state progress and affect.

With a potential Φ of the state, the reward of a step from s to s' gains F = γ Φ(s') − Φ(s), and the potential of a
finished episode is 0. Such shaping changes no policy's rank (Ng, Harada & Russell 1999, "Policy invariance under
reward transformations"): over an episode the discounted sum of F is −Φ(s₀), whatever the agent does. That Φ must
be 0 at every end of an episode, time limits included, is from Grześ 2017, "Reward shaping in episodic
reinforcement learning".
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.episode.scoring import tells
from tau_emotion_gym.errors import check_finite, unknown
from tau_emotion_gym.kit import Domain, Done
from tau_emotion_gym.tasks.expected import expected_sets
from tau_emotion_gym.world import Canonical, canonical
from tau_emotion_gym.wrappers.reference import Reference, reference_of

DEFAULT_POTENTIAL: Mapping[str, float] = MappingProxyType(
    {
        "calls": 0.5,
        "consents": 0.25,
        "changes": 0.5,
        "wrong_changes": -0.5,
        "outputs": 0.5,
        "violations": 0.0,
        "satisfaction": 0.1,
        "patience": 0.1,
    }
)
"""The weights of the terms of a potential, each from 0 to 1:

| term | what |
|---|---|
| `calls` | share of the reference's calls that have been made |
| `consents` | share of the reference's writes that are made or just agreed on, less one for each call without a yes |
| `changes` | share of the expected changes reached, of the nearest expected set; 0 where none are expected |
| `wrong_changes` | n / (n + 1), with n the changes that are not among those |
| `outputs` | share of what must be told that has been told; 0 where nothing must be |
| `violations` | a tenth for each time that policy was broken; for those who price it, since `reward` pays at the end |
| `satisfaction`, `patience` | how the customer feels |
"""

MOST_VIOLATIONS = 10
"""Violations beyond these lower the potential no further."""


class Potential:
    """The potential of an episode as it stands; 0 once it is over.

    Args:
        weights: terms whose weights differ from `DEFAULT_POTENTIAL`.

    Raises:
        UnknownName: a term that does not exist.
        TypeError: a weight that is no finite number.
    """

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        for term, weight in (weights or {}).items():
            if term not in DEFAULT_POTENTIAL:
                raise unknown("term of the potential", term, DEFAULT_POTENTIAL)
            check_finite(f"the weight of {term!r}", weight)
        self.weights = {**DEFAULT_POTENTIAL, **(weights or {})}
        self._progress: WeakKeyDictionary[Episode, _Progress] = WeakKeyDictionary()

    def __call__(self, episode: Episode) -> float:
        """Φ of the episode's state."""
        return 0.0 if episode.outcome is not None else self.of_state(episode)

    def of_state(self, episode: Episode) -> float:
        """The sum of the weighted terms, also for an episode that is over."""
        progress = self._progress.get(episode)
        if progress is None:
            progress = self._progress[episode] = _Progress()
        progress.update(episode)
        affect = episode.affect
        terms = {
            "calls": progress.made,
            "consents": progress.agreed,
            "changes": progress.reached,
            "wrong_changes": progress.wrong,
            "outputs": progress.told,
            "violations": min(len(episode.violations), MOST_VIOLATIONS) / MOST_VIOLATIONS,
            "satisfaction": affect.satisfaction,
            "patience": affect.patience,
        }
        return sum(self.weights[term] * value for term, value in terms.items())

    def __reduce__(self) -> tuple[Any, ...]:
        return Potential, (self.weights,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Potential":
        return Potential(self.weights)


class Shaping:
    """F for several environments stepped together.

    Args:
        gamma: the trainer's discount, from 0 to 1.
        potential: Φ.

    Raises:
        TypeError, ValueError: a discount that is none.
    """

    def __init__(self, gamma: float, potential: Potential | None = None) -> None:
        check_finite("gamma", gamma)
        if not 0 <= gamma <= 1:
            raise ValueError(f"gamma is from 0 to 1, not {gamma}")
        self.gamma = gamma
        self.potential = potential or Potential()
        self._before: NDArray[np.float64] = np.zeros(0)

    def begin(self, episodes: Sequence[Episode]) -> None:
        """Note the potentials after a reset of all."""
        self._before = np.array([self.potential(episode) for episode in episodes])

    def step(self, episodes: Sequence[Episode], over: NDArray[np.bool_]) -> NDArray[np.float64]:
        """What the last step gains, shape (environments,).

        Args:
            episodes: the episodes after the step: for an environment that has gone on to the next one, that one.
            over: where an episode has ended in this step.
        """
        now = np.array([self.potential(episode) for episode in episodes])
        gained = self.gamma * np.where(over, 0.0, now) - self._before
        self._before = now
        return gained


class ShapedReward(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Adds γ Φ(s') − Φ(s) to the reward (see the module); which policy is best stays the same.

    `info["raw_reward"]` is the reward without it, 0.0 after a reset; the outcome in `info` is untouched.

    Args:
        env: an environment of this package, under any wrappers.
        gamma: the trainer's discount.
        weights: terms of the potential whose weights differ from `DEFAULT_POTENTIAL`.

    Raises:
        TypeError: another kind of environment, or what has to be a finite number is none.
        ValueError: a discount that is not from 0 to 1.
        UnknownName: a term that does not exist.
    """

    def __init__(self, env: gym.Env[Any, Any], gamma: float = 0.99, weights: Mapping[str, float] | None = None) -> None:
        RecordConstructorArgs.__init__(self, gamma=gamma, weights=weights)
        if not isinstance(env.unwrapped, TauEmotionEnv):
            raise TypeError(f"ShapedReward wraps environments of tau_emotion_gym, not {env}")
        gym.Wrapper.__init__(self, env)
        self._base: TauEmotionEnv = env.unwrapped
        self.shaping = Shaping(gamma, Potential(weights))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environment's, with `raw_reward` in `info`."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.shaping.begin([self._base.episode])
        return observation, {**info, "raw_reward": 0.0}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As the environment's, with the shaped reward and `raw_reward` in `info`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        over = np.array([terminated or truncated])
        gained = float(self.shaping.step([self._base.episode], over)[0])
        return observation, float(reward) + gained, terminated, truncated, {**info, "raw_reward": float(reward)}


class _Progress:
    """How far an episode has come, worked out anew only where something has happened."""

    __slots__ = ("_calls", "_done", "_left", "_turns", "agreed", "made", "reached", "told", "wrong")

    def __init__(self) -> None:
        self.made = 0.0
        self.agreed = 0.0
        self.reached = 0.0
        self.wrong = 0.0
        self.told = 0.0
        self._calls = 0
        self._turns = 0
        self._done: set[int] = set()
        self._left: list[Any] | None = None

    def update(self, episode: Episode) -> None:
        """Take in the calls and messages since the last update."""
        new = episode.calls[self._calls :]
        self._calls += len(new)
        reference = reference_of(episode.domain, episode.task)
        self._match(new, reference)
        self._agree(episode, reference)
        if any(done.ok and episode.tools[done.name].writes for done in new):
            self._compare(episode)
        if self._left is None:
            self._left = list(episode.task.outputs)
        for turn in episode.transcript[self._turns :] if self._left else ():
            if turn.role == "agent":
                self._left = [one for one in self._left if not tells(turn.content, one, episode.world.now.year)]
        self._turns = len(episode.transcript)
        outputs = len(episode.task.outputs)
        self.told = 1.0 - len(self._left) / outputs if outputs else 0.0

    def _match(self, new: Sequence[Done], reference: Reference) -> None:
        for done in new:
            for at in reference.by_tool.get(done.name, ()) if done.ok else ():
                if at not in self._done and reference.steps[at].bound == done.arguments:
                    self._done.add(at)
                    self.made = len(self._done) / len(reference.steps)
                    break

    def _agree(self, episode: Episode, reference: Reference) -> None:
        """Count the writes that are made with a yes, and of those to come the first of each tool that is agreed on."""
        writes = [at for at, step in enumerate(reference.steps) if step.writes]
        left = {reference.steps[at].call.name for at in writes if at not in self._done} & episode.consents
        unasked = sum(name in _in_play(episode.domain) for name in episode.violations)
        made = len(self._done.intersection(writes))
        self.agreed = max(0, made - unasked + len(left)) / max(1, len(writes))

    def _compare(self, episode: Episode) -> None:
        reached = _parts(canonical(episode.world.changes()))
        allowed = [_parts(one) for one in expected_sets(episode.domain, episode.task)]
        nearest = min(allowed, key=lambda one: len(one ^ reached))
        self.reached = len(nearest & reached) / len(nearest) if nearest else 0.0
        wrong = len(reached - nearest)
        self.wrong = wrong / (wrong + 1)


@cache
def _in_play(domain: Domain) -> frozenset[str]:
    """The rules that only a dialogue can show: those on consent."""
    return frozenset(rule.id for rules in domain.rules_of.values() for rule in rules if rule.in_play)


def _parts(changes: Canonical) -> frozenset[Any]:
    return changes.added | changes.updated | changes.removed
