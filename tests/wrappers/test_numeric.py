"""Numeric observations: named, bounded, made of what an agent can see, the same in both environments."""

import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from macro_play import at_random, discrete, oracle_actions, stacked

from tau_emotion_gym.emotions import Affect
from tau_emotion_gym.kit import Kind, load, names
from tau_emotion_gym.wrappers import CodecWrapper, NumericObservation

DOMAINS = names(added=False)


def number(env: gym.Env, observation: np.ndarray, name: str) -> float:
    return float(observation[env.get_wrapper_attr("names").index(name)])


@pytest.mark.parametrize("name", DOMAINS)
def test_check_env_passes_with_warnings_as_errors(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version")
        check_env(stacked(load(name).title), skip_render_check=True)


@pytest.mark.parametrize("name", DOMAINS)
def test_the_names_are_as_many_as_the_numbers_and_differ(name):
    env = stacked(load(name).title)
    found = env.get_wrapper_attr("names")
    assert env.observation_space.shape == (len(found),) == (len(set(found)),)
    assert env.observation_space.dtype == np.float32


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(DOMAINS), st.integers(0, 10_000))
def test_every_observation_lies_in_the_space_and_is_a_new_object(name, seed):
    env = stacked(load(name).title, split="train", emotion="random")
    seen = [env.reset(seed=seed)[0], *(env.step(action)[0] for action in at_random(env, seed))]
    assert all(one in env.observation_space for one in seen)
    assert len({id(one) for one in seen}) == len(seen)


def test_what_only_the_customer_knows_changes_nothing():
    env = stacked(emotion="anger")
    env.reset(seed=2)
    for action in at_random(env, 2, 10):
        env.step(action)
    episode = env.unwrapped.episode
    before = env.observation(None)
    episode.affect = Affect(0.2, 0.3)
    episode.condition = None
    assert np.array_equal(env.observation(None), before)


def test_it_works_over_plain_actions_too():
    env = NumericObservation(gym.make("TauEmotion-Retail-v0"))
    observation, _ = env.reset(seed=1)
    assert number(env, observation, "turn.message") == 1.0
    observation, *_ = env.step({"name": "respond", "arguments": {"content": "What is your email address?"}})
    assert number(env, observation, "slot.email.asked") == pytest.approx(1 / 3)
    assert number(env, observation, "own.asks") == 1.0


def test_questions_answers_and_calls_show():
    env = stacked()
    task = next(task for task in load("retail").test_tasks.values() if task.identity[0].slot == "email")
    finding = "tool.find_customer_by_email"
    action_names = env.get_wrapper_attr("action_names")
    observation, _ = env.reset(seed=0, options={"task_id": task.id, "emotion": None})
    assert number(env, observation, "slot.email.given") == number(env, observation, f"{finding}.fits") == 0
    observation, *_ = env.step(action_names.index("ask:email"))
    assert number(env, observation, "slot.email.given") == number(env, observation, f"{finding}.fits") == 1
    assert number(env, observation, f"{finding}.new") == 1
    observation, *_ = env.step(action_names.index("call:find_customer_by_email"))
    assert number(env, observation, "customer.identified") == number(env, observation, "turn.result") == 1
    assert number(env, observation, f"{finding}.new") == 0


def test_a_call_that_breaks_a_rule_shows_before_it_is_made():
    """An order that is too late to cancel; the call needs a reason, and under this seed the customer gives one."""
    tasks = load("retail").test_tasks.values()
    task = next(task for task in tasks if task.goals[0].intent == "cancel_shipped")
    assert task.goals[0].kind is Kind.DENY
    env = stacked()
    observation, _ = env.reset(seed=0, options={"task_id": task.id})
    for action in oracle_actions(env):
        if env.get_wrapper_attr("action_names")[action] == "refuse":
            break
        observation, *_ = env.step(action)
    assert number(env, observation, "tool.cancel_order.breaks_rule") == 1.0


# --- the vector environment ---------------------------------------------------------------------------------


def test_the_vector_environment_shows_and_masks_the_same():
    vector = gym.make_vec("TauEmotion-Telecom-v0", num_envs=3, codec="discrete_numeric", emotion="random")
    singles = [NumericObservation(discrete("Telecom", emotion="random")) for _ in range(3)]
    observations, _ = vector.reset(seed=20)
    for place, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=20 + place)[0], observations[place])
    for turn in range(25):
        masks = vector.unwrapped.action_masks()
        assert np.array_equal(masks, [env.get_wrapper_attr("action_masks")() for env in singles])
        actions = [int(np.flatnonzero(row)[(5 * turn + place) % row.sum()]) for place, row in enumerate(masks)]
        observations, rewards, terminated, truncated, _ = vector.step(actions)
        for place, env in enumerate(singles):
            shown, reward, *over, _ = env.step(actions[place])
            assert reward == rewards[place]
            assert any(over) == terminated[place] | truncated[place]
            shown = env.reset()[0] if any(over) else shown
            assert np.array_equal(shown, observations[place])
            assert observations[place] in vector.single_observation_space


def test_a_codec_by_name_is_made_for_the_environments_domain():
    env = CodecWrapper(gym.make("TauEmotion-Airline-v0"), "discrete_numeric")
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    assert env.action_space.n == len(env.codec.action_names)
    observation, *_ = env.step(0)
    assert observation in env.observation_space


def test_numbers_that_are_no_macro_action_are_error_turns():
    vector = gym.make_vec("TauEmotion-Retail-v0", num_envs=2, codec="discrete_numeric")
    vector.reset(seed=1)
    *_, infos = vector.step([10_000, "confirm"])
    assert list(infos["tool_errors"]) == [1.0, 1.0]


def test_several_domains_share_one_numbering():
    vector = gym.make_vec("TauEmotion-Multi-v0", num_envs=4, domains=DOMAINS, codec="discrete_numeric")
    vector.reset(seed=5)
    codec = vector.unwrapped.codec
    assert vector.single_action_space.n == len(codec.action_names)
    for turn in range(15):
        masks = vector.unwrapped.action_masks()
        for episode, mask in zip(vector.unwrapped.episodes, masks, strict=True):
            for name in np.array(codec.action_names)[mask]:
                kind, _, target = name.partition(":")
                part = {"ask": episode.domain.slots, "call": episode.tools, "hand_off": episode.domain.reasons}
                assert target in part.get(kind, [target])
        actions = [int(np.flatnonzero(row)[(3 * turn) % row.sum()]) for row in masks]
        vector.step(actions)
    assert all(episode.malformed == 0 for episode in vector.unwrapped.episodes)


def test_other_codecs_have_no_masks():
    vector = gym.make_vec("TauEmotion-Retail-v0", num_envs=2)
    vector.reset(seed=1)
    with pytest.raises(TypeError, match="discrete"):
        vector.unwrapped.action_masks()
