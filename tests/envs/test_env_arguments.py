"""What is given to `make`, `make_vec`, `reset` and `step` in a wrong form is refused in plain words."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import Error

from tau_emotion_gym import TauEmotionEnv, TauEmotionVectorEnv, respond
from tau_emotion_gym.errors import TauEmotionError


@pytest.fixture
def env(lending):
    return gym.make(lending)


@pytest.fixture
def envs(lending):
    return gym.make_vec(lending, num_envs=2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (5, "options is a mapping with any of task_id, emotion, episode_seed, not 5"),
        (["test-001"], "options is a mapping"),
        ([], "options is a mapping"),
        ({"task_id": 1}, "task_id is the id of a task, such as 'test-001', not 1"),
        ({"task_id": {"test-001"}}, "task_id is the id of a task"),
    ],
)
def test_options_of_the_wrong_form(env, envs, options, words):
    for one in (env, envs):
        with pytest.raises(TypeError, match=words):
            one.reset(options=options)


@pytest.mark.parametrize("options", [{"task_id": ["test-001"]}, {"emotion": ["anger", None, "fear"]}])
def test_a_list_has_one_value_per_environment(envs, options):
    first = envs.reset(seed=4)[0]
    with pytest.raises(ValueError, match=r"option \w+: \d values for 2 environments"):
        envs.reset(seed=9, options=options)
    assert envs.reset(seed=4)[0] == first


@pytest.mark.parametrize("options", [{"task_id": ["test-001", "nope"]}, {"emotion": ["anger", "joyy"]}])
def test_a_reset_that_is_refused_changes_nothing(lending, options):
    twins = [gym.make_vec(lending, num_envs=2) for _ in range(2)]
    singles = [gym.make(lending) for _ in range(2)]
    for one in twins + singles:
        one.reset(seed=3)
    with pytest.raises(TauEmotionError):
        twins[0].reset(seed=8, options=options)
    with pytest.raises(TauEmotionError):
        singles[0].reset(seed=8, options={key: values[1] for key, values in options.items()})
    went_on, expected = ([one.step([respond("Hello.")] * 2)[0], one.reset()[0]] for one in twins)
    assert went_on == expected
    went_on, expected = ([one.step(respond("Hello."))[0], one.reset()[0]] for one in singles)
    assert went_on == expected


@pytest.mark.parametrize("digits", ["٣", " 5 ", "1_0", "+5", "5.0", "", "9" * 5000])
def test_an_episode_seed_is_plain_digits(env, digits):
    with pytest.raises(ValueError, match="episode_seed is an integer from 0"):
        env.reset(options={"episode_seed": digits})


@pytest.mark.parametrize("value", ["007", 7, np.int64(7)])
def test_forms_of_an_episode_seed(env, value):
    assert env.reset(options={"episode_seed": value})[1]["episode_seed"] == "7"


@pytest.mark.parametrize("seed", [-1, 2**64, 2**200, 1.0, "1"])
def test_seeds_fit_64_bits(env, envs, seed):
    for one, form in ((env, seed), (envs, seed if isinstance(seed, int) else [seed, 1])):
        with pytest.raises(Error, match=r"a seed is an integer from 0 to 2\*\*64 - 1"):
            one.reset(seed=form)
    env.reset(seed=2**64 - 1)


@pytest.mark.parametrize("number", ["2", 2.0, True, None])
def test_num_envs_is_an_integer(lending, number):
    with pytest.raises(TypeError, match="num_envs is an integer"):
        gym.make_vec(lending, num_envs=number)
    with pytest.raises(TypeError, match="group_size is an integer"):
        gym.make_vec(lending, num_envs=4, group_size=number)


@pytest.mark.parametrize("actions", [5, None, "hello", respond("Hello.")])
def test_a_vector_step_takes_a_sequence(envs, actions):
    envs.reset(seed=1)
    with pytest.raises(TypeError, match="step takes 2 actions in a sequence"):
        envs.step(actions)
    with pytest.raises(ValueError, match="3 actions for 2 environments"):
        envs.step([respond("Hello.")] * 3)


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_think_tool_is_a_flag(lending, value):
    for make in (gym.make, gym.make_vec):
        with pytest.raises(TypeError, match="think_tool is True or False"):
            make(lending, think_tool=value)


def test_the_mixture_is_made_by_make_vec():
    with pytest.raises(TauEmotionError, match=r"use gymnasium.make_vec\('TauEmotion-Multi-v0', …\)"):
        gym.make("TauEmotion-Multi-v0")
    envs = gym.make_vec("TauEmotion-Multi-v0", num_envs=2, domains=["retail", "airline"])
    assert len(set(envs.policies)) == 2


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_an_id_plays_its_own_domain(make):
    with pytest.raises(TauEmotionError, match=r"TauEmotion-Retail-v0 plays its own domain.*make TauEmotion-Airline-v0"):
        make("TauEmotion-Retail-v0", domain="airline")
    assert make("TauEmotion-Retail-v0", domain="retail").spec.id == "TauEmotion-Retail-v0"


def test_ids_of_ones_own_play_any_domain():
    gym.register("Shop-v0", entry_point=TauEmotionEnv, vector_entry_point=TauEmotionVectorEnv)
    try:
        assert gym.make("Shop-v0", domain="airline").unwrapped.domain.name == "airline"
        assert gym.make_vec("Shop-v0", num_envs=2, domain="airline").spec.id == "Shop-v0"
    finally:
        gym.registry.pop("Shop-v0")
    assert TauEmotionEnv("airline").spec is None
    assert TauEmotionVectorEnv(2, domain="airline").spec is None
