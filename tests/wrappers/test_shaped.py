"""Shaped rewards: they telescope, follow the work, and leave the outcome alone."""

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from macro_play import at_random, discrete, oracle_actions

from tau_emotion_gym.kit import load
from tau_emotion_gym.wrappers import ShapedReward
from tau_emotion_gym.wrappers.reference import reference_of
from tau_emotion_gym.wrappers.shaped import DEFAULT_POTENTIAL, Potential

GAMMA = 0.97


def played(seed: int, *, oracle: bool):
    """An episode's shaped rewards, raw rewards, the potential at its start, and its last info."""
    env = ShapedReward(discrete(emotion="random"), gamma=GAMMA)
    _, info = env.reset(seed=seed)
    assert info["raw_reward"] == 0.0
    start = Potential()(env.unwrapped.episode)
    shaped, raw = [], []
    for action in oracle_actions(env) if oracle else at_random(env, seed, 200):
        _, reward, _, _, info = env.step(action)
        shaped.append(reward)
        raw.append(info["raw_reward"])
    return shaped, raw, start, info


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1", None, True])
def test_weights_and_discount_are_finite_numbers(value):
    with pytest.raises(TypeError, match="finite number"):
        Potential({"calls": value})
    with pytest.raises(TypeError, match="gamma is a finite number"):
        ShapedReward(discrete(), gamma=value)
    with pytest.raises(ValueError, match="gamma is from 0 to 1"):
        ShapedReward(discrete(), gamma=2)


def discounted(rewards: list[float]) -> float:
    return sum(reward * GAMMA**step for step, reward in enumerate(rewards))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_over_an_episode_shaping_adds_minus_the_first_potential(seed, oracle):
    shaped, raw, start, info = played(seed, oracle=oracle)
    assert info["outcome"]
    assert discounted(shaped) == pytest.approx(discounted(raw) - start)


def test_the_outcome_is_that_of_the_plain_environment():
    shaped, plain = ShapedReward(discrete()), discrete()
    for seed in range(5):
        shaped.reset(seed=seed)
        plain.reset(seed=seed)
        for action in at_random(shaped, seed, 200):
            *_, terminated, truncated, info = shaped.step(action)
            _, reward, *over, expected = plain.step(action)
            assert info.pop("raw_reward") == reward
            assert (info, [terminated, truncated]) == (expected, over)


def test_the_potential_follows_the_work():
    env = discrete(emotion=None)
    task = next(task for task in load("retail").test_tasks.values() if len(task.goals) == 2 and task.outputs)
    env.reset(seed=0, options={"task_id": task.id})
    potential = Potential({"satisfaction": 0.0, "patience": 0.0})
    assert potential(env.unwrapped.episode) == 0.0
    values = [0.0]
    for action in oracle_actions(env):
        env.step(action)
        values.append(potential.of_state(env.unwrapped.episode))
    assert values == sorted(values)
    full = DEFAULT_POTENTIAL["calls"] + DEFAULT_POTENTIAL["outputs"]
    full += DEFAULT_POTENTIAL["changes"] * any(step.writes for step in reference_of(env.unwrapped.domain, task).steps)
    assert values[-1] == pytest.approx(full)
    assert potential(env.unwrapped.episode) == 0.0


def test_a_wrong_change_lowers_it():
    env = discrete(emotion=None)
    potential = Potential()
    lowered = 0
    for seed in range(40):
        env.reset(seed=seed)
        before = potential(env.unwrapped.episode)
        for action in at_random(env, seed, 60):
            wrote = len(env.unwrapped.episode.world.changes().updated)
            env.step(action)
            now = potential.of_state(env.unwrapped.episode)
            if len(env.unwrapped.episode.world.changes().updated) > wrote:
                lowered += now < before
            before = now
    assert lowered > 0


def test_it_is_worked_out_the_same_in_one_go_and_step_by_step():
    env = discrete()
    env.reset(seed=6)
    step_by_step = Potential()
    for action in at_random(env, 6, 30):
        assert step_by_step.of_state(env.unwrapped.episode) == Potential().of_state(env.unwrapped.episode)
        env.step(action)


def test_unknown_terms_and_foreign_environments_are_refused():
    with pytest.raises(ValueError, match="changes"):
        ShapedReward(gym.make("TauEmotion-Retail-v0"), weights={"change": 1.0})
    with pytest.raises(TypeError, match="tau_emotion_gym"):
        ShapedReward(gym.make("CartPole-v1"))
