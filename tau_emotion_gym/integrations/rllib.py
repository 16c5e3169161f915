"""RLlib: PPO with masked actions on numeric observations and macro-actions.

    algorithm = ppo_config("retail", split="train", emotion="random").env_runners(num_env_runners=2).build_algo()
    algorithm.train()

The environment is `NumericObservation(DiscreteActions(TauEmotionEnv(…)))` with the mask in its observation, since
RLlib's modules see nothing else; `MaskedModule` reads it there. The ends of episodes are all final, the step limit too
(see `FinalEnds`). For RLlib's new API stack. Needs the extra `rllib`; written for Ray 2.60.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.wrappers.discrete import DiscreteActions
from tau_emotion_gym.wrappers.numeric import NumericObservation
from tau_emotion_gym.wrappers.shaped import ShapedReward

try:
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.tune import register_env
except ImportError as error:
    raise ImportError("this needs RLlib and torch: pip install 'tau-emotion-gym[rllib]'") from error

NAME = "tau-emotion"
"""The environment's name in RLlib."""

HIDDEN = (128, 128)
"""Widths of the hidden layers, when nothing else is said."""

OBSERVATIONS = "observations"
MASK = "action_mask"
KEPT = ("success", "strict_success", "satisfaction", "patience", "violations", "mask_sample", "steps")
"""Numbers of a finished episode's `info` that become metrics."""


class MaskInObservation(gym.Wrapper[Any, Any, Any, Any]):
    """Observations become `{"observations": vector, "action_mask": 1.0 where an action is open}`.

    Args:
        env: one with a numeric observation, discrete actions and `action_masks`.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        assert isinstance(env.action_space, Discrete)
        mask = Box(0.0, 1.0, (int(env.action_space.n),), np.float32)
        self.observation_space = Dict({OBSERVATIONS: env.observation_space, MASK: mask})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environment's."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._masked(observation), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment's."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._masked(observation), reward, terminated, truncated, info

    def _masked(self, observation: Any) -> dict[str, Any]:
        masks = self.env.get_wrapper_attr("action_masks")()
        return {OBSERVATIONS: observation, MASK: masks.astype(np.float32)}


class FinalEnds(gym.Wrapper[Any, Any, Any, Any]):
    """An end is an end: what truncates an episode terminates it.

    RLlib adds the value of the state in which an episode was truncated. Here nothing comes after: how many steps were
    taken is part of the observation, so that the limit belongs to the task; and the potential that shapes rewards is 0
    at every end (see `tau_emotion_gym.wrappers.shaped`), so that shaping would not cancel out in such a value.
    `info["outcome"]` still says what it was.
    """

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment's, never truncated."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated or truncated, False, info


def make_env(config: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """An environment for RLlib.

    Args:
        config: arguments of `TauEmotionEnv`, and `gamma`: the trainer's discount, to shape rewards with it (see
            `ShapedReward`), or None.
    """
    options = dict(config)
    gamma = options.pop("gamma", None)
    env: gym.Env[Any, Any] = NumericObservation(DiscreteActions(TauEmotionEnv(**options)))
    return MaskInObservation(FinalEnds(env if gamma is None else ShapedReward(env, gamma)))


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Two small networks, for the policy and the value; closed actions get no probability.

    Its `model_config` may hold `hidden`, the widths of the hidden layers.
    """

    def setup(self) -> None:
        """Make the networks."""
        inputs = self.observation_space[OBSERVATIONS].shape[0]
        hidden = self.model_config.get("hidden", HIDDEN)
        self.policy = _network(inputs, hidden, int(self.action_space.n))
        self.value = _network(inputs, hidden, 1)

    def _forward(self, batch: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        observed = batch[Columns.OBS]
        logits = self.policy(observed[OBSERVATIONS])
        closed = observed[MASK] < 0.5
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(closed, torch.finfo(logits.dtype).min)}

    def compute_values(self, batch: Mapping[str, Any], embeddings: Any = None) -> Any:
        """The value of each observation of a batch, shape (batch,)."""
        return self.value(batch[Columns.OBS][OBSERVATIONS]).squeeze(-1)


class Outcomes(RLlibCallback):
    """Logs what came of each episode, untouched by any shaping, as `env_runners/tau/…`."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        """Log the numbers of `KEPT` and the share of the episode's outcome."""
        info = episode.get_infos(-1)
        for key in KEPT:
            metrics_logger.log_value(("tau", key), info[key])
        for outcome in ("satisfied", "dissatisfied", "handed_off", "step_limit"):
            metrics_logger.log_value(("tau", outcome), float(info["outcome"] == outcome))


def ppo_config(domain: str, *, hidden: tuple[int, ...] = HIDDEN, gamma: float = 0.99, **settings: Any) -> Any:
    """A `PPOConfig` for one domain, to be gone on with: `.training(…)`, `.env_runners(…)`, `.build_algo()`.

    Args:
        domain: name of the domain, or path of its folder.
        hidden: widths of the hidden layers.
        gamma: the discount, for the trainer and for the shaping of rewards.
        settings: further arguments of `TauEmotionEnv`.
    """
    register_env(NAME, make_env)
    spec = RLModuleSpec(module_class=MaskedModule, model_config={"hidden": list(hidden)})
    return (
        PPOConfig()
        .environment(NAME, env_config={"domain": domain, "gamma": gamma, **settings})
        .rl_module(rl_module_spec=spec)
        .training(gamma=gamma)
        .callbacks(Outcomes)
    )


def _network(inputs: int, hidden: tuple[int, ...], outputs: int) -> Any:
    widths = [inputs, *hidden]
    layers: list[Any] = []
    for before, after in pairwise(widths):
        layers += [torch.nn.Linear(before, after), torch.nn.Tanh()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(widths[-1], outputs))
