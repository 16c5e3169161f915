"""The public conformance kit over every environment, and that it notices what it should."""

import gymnasium as gym
import pytest

from tau_emotion_gym import registered_ids
from tau_emotion_gym.envs.env import TauEmotionEnv
from tau_emotion_gym.testing import CHECKS, ConformanceError, conformance_suite

SHIPPED = [env_id for env_id in registered_ids() if gym.spec(env_id).kwargs["domain"].isidentifier()]


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@pytest.mark.parametrize("env_id", SHIPPED)
def test_shipped_domain(check, env_id):
    check(env_id)


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_own_domain(check, lending):
    check(lending)


def test_suite_runs_every_check(lending):
    assert conformance_suite(lending, split="train", think_tool=True) == list(CHECKS)


class Restless(TauEmotionEnv):
    """Breaks many promises, one at a time."""

    fault = ""
    count = 0

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        return self._spoil(observation), info

    def step(self, action):
        if self.fault == "malformed raises" and action is None:
            raise ValueError("not an action")
        observation, reward, terminated, truncated, info = super().step(action)
        if self.fault == "info key":
            info["clock"] = 1.0
        if self.fault == "info type":
            info["steps"] = int(info["steps"])
        if self.fault == "reward type":
            reward = int(reward)
        if self.fault == "free errors":
            info["tool_errors"] = 0.0
        return self._spoil(observation), reward, terminated, truncated, info

    def _spoil(self, observation):
        if self.fault == "nondeterministic":
            Restless.count += 1
            observation["content"] += str(Restless.count)
        if self.fault == "role":
            observation["role"] = "system"
        return observation


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("nondeterministic", "determinism"),
        ("nondeterministic", "replay"),
        ("nondeterministic", "pickle"),
        ("role", "gymnasium"),
        ("role", "random_play"),
        ("reward type", "random_play"),
        ("info key", "info_schema"),
        ("info type", "info_schema"),
        ("malformed raises", "malformed_actions"),
        ("free errors", "malformed_actions"),
    ],
)
def test_fault_is_noticed(monkeypatch, lending, fault, check):
    monkeypatch.setattr(Restless, "fault", fault)
    monkeypatch.setattr(gym.registry[lending], "entry_point", Restless)
    with pytest.raises((ConformanceError, AssertionError, ValueError, UserWarning)):
        CHECKS[check](lending)


def test_reference_that_cannot_solve_is_noticed(lending):
    with pytest.raises(ConformanceError, match="the reference agent fails"):
        CHECKS["reference_solves"](lending, max_steps=2)
