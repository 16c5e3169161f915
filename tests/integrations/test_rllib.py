"""RLlib, the real package: PPO through the numeric wrappers, with masks that are kept."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="needs RLlib: make test-ray")
pytest.importorskip("torch", reason="needs torch: make test-ray")

import ray
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

from tau_emotion_gym.integrations.rllib import MASK, OBSERVATIONS, make_env, ppo_config
from tau_emotion_gym.wrappers.shaped import Potential

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]
EXAMPLE = Path(__file__).parents[2] / "examples" / "rllib_ppo.py"


@pytest.fixture(scope="module")
def algorithm():
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_AUTH_MODE", "disabled")
    patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    config = (
        ppo_config("retail", hidden=(32,), split="train", emotion="random")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
        .training(train_batch_size_per_learner=256, minibatch_size=128, num_epochs=2)
        .debugging(seed=1, log_level="ERROR")
    )
    algorithm = config.build_algo()
    yield algorithm
    algorithm.stop()
    ray.shutdown()
    patch.undo()


def test_observations_hold_the_mask():
    env = make_env({"domain": "retail", "gamma": 0.9})
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert np.array_equal(observation[MASK], env.get_wrapper_attr("action_masks")())
    observation, _, _, _, info = env.step(int(np.flatnonzero(observation[MASK])[0]))
    assert env.observation_space.contains(observation)
    assert info["raw_reward"] == 0.0


@pytest.mark.parametrize("gamma", [0.9, None])
def test_the_step_limit_is_a_final_end_at_which_shaping_has_cancelled_out(gamma):
    env = make_env({"domain": "retail", "max_steps": 3, "gamma": gamma})
    observation, _ = env.reset(seed=1)
    begun = Potential().of_state(env.unwrapped.episode)
    total, over, taken = 0.0, False, 0
    while not over:
        action = int(np.flatnonzero(observation[MASK])[0])
        observation, reward, over, truncated, info = env.step(action)
        total += (gamma or 1.0) ** taken * reward
        assert not truncated
        taken += 1
    assert (taken, info["outcome"]) == (3, "step_limit")
    assert total == pytest.approx(-begun if gamma else 0.0)


def test_rllib_adds_no_value_at_the_step_limit(algorithm):
    config = algorithm.config.copy(copy_frozen=False).environment(env_config={"domain": "retail", "max_steps": 2})
    runner = SingleAgentEnvRunner(config=config)
    ended = [episode for episode in runner.sample(num_episodes=4, random_actions=True) if episode.is_done]
    assert "step_limit" in {episode.get_infos(-1)["outcome"] for episode in ended}
    assert all(episode.is_terminated and not episode.is_truncated for episode in ended)
    runner.stop()


def test_an_iteration_changes_the_weights_and_tells_the_raw_outcome(algorithm):
    def weights():
        return {name: value.copy() for name, value in algorithm.get_module().get_state().items()}

    before = weights()
    played = algorithm.train()["env_runners"]
    assert sum((before[name] != value).any() for name, value in weights().items()) == len(before) == 8
    found = {key: float(value) for key, value in played["tau"].items()}
    assert sum(found[key] for key in ("satisfied", "dissatisfied", "handed_off", "step_limit")) == pytest.approx(1.0)
    assert found["mask_sample"] == 0.0
    assert 0.0 <= found["success"] <= 1.0


def test_masked_actions_are_never_chosen(algorithm):
    closed = 0
    for episode in algorithm.env_runner.sample(num_timesteps=400, random_actions=False):
        masks, actions = episode.get_observations()[MASK][:-1], episode.get_actions()
        assert (masks[np.arange(len(actions)), actions] == 1.0).all()
        closed += int((masks == 0).sum())
    assert closed > 400


def test_closed_actions_have_no_probability(algorithm):
    module = algorithm.get_module()
    mask = torch.zeros(1, module.action_space.n)
    mask[0, 3] = 1.0
    observed = {OBSERVATIONS: torch.zeros(1, *module.observation_space[OBSERVATIONS].shape), MASK: mask}
    logits = module.forward_inference({Columns.OBS: observed})[Columns.ACTION_DIST_INPUTS]
    assert torch.softmax(logits, -1)[0, 3] == 1.0


def test_the_example_runs():
    command = [sys.executable, str(EXAMPLE), "--iterations", "1", "--batch", "256"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert shown.returncode == 0, shown.stderr
    assert "'success'" in shown.stdout
