"""Users that wait for a server are asked while the other episodes of the step still go on."""

import asyncio
import gc
import pickle
from copy import deepcopy

import gymnasium as gym
import numpy as np
import pytest
from waiting_users import Waiting

import tau_emotion_gym  # noqa: F401  (registers the environments)
from tau_emotion_gym import respond
from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.envs.codec import Turns

ENVS = 24


class Noted(Turns):
    """Notes when an action is read."""

    def read(self, episode, action):
        Waiting.log.append("read")
        return super().read(episode, action)


def made(user, num_envs=ENVS, **options):
    Waiting.log.clear()
    return gym.make_vec("TauEmotion-Retail-v0", num_envs=num_envs, user=user, **options)


def played(user, steps=40):
    """What the reference agent sees and gets, environment by environment."""
    envs = made(user)
    observations, infos = envs.reset(seed=4)
    agents = [make_agent("reference") for _ in range(ENVS)]
    seen = [observations, infos["episode_seed"].tolist()]
    episodes = [None] * ENVS
    for _ in range(steps):
        for place, episode in enumerate(envs.unwrapped.episodes):
            if episode is not episodes[place]:
                agents[place].reset(episode.domain, episode.task)
        episodes = list(envs.unwrapped.episodes)
        actions = [agent.act(turn) for agent, turn in zip(agents, observations, strict=True)]
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        seen += [
            observations,
            rewards.tolist(),
            terminated.tolist(),
            truncated.tolist(),
            infos["satisfaction"].tolist(),
        ]
    envs.close()
    return seen


def test_the_episodes_are_those_of_one_batch():
    assert played("waiting_users:Waiting") == played("scripted")
    assert "batch" not in Waiting.log


def test_the_first_are_asked_before_the_last_have_spoken():
    envs = made("waiting_users:Waiting", codec=Noted())
    envs.reset(seed=1)
    Waiting.log.clear()
    envs.step([respond("I understand. One moment.")] * ENVS)
    assert Waiting.log.count("read") == ENVS
    assert Waiting.log.index("asked") < ENVS / 2
    envs.close()


def test_a_server_that_fails_ends_its_own_episodes_only():
    envs = made("waiting_users:SometimesGone")
    envs.reset(seed=1)
    gone = np.array([episode.seed % 3 == 0 for episode in envs.unwrapped.episodes])
    _, _, terminated, truncated, infos = envs.step([respond("One moment, please.")] * ENVS)
    assert 0 < gone.sum() < ENVS
    assert truncated.tolist() == gone.tolist()
    assert not terminated.any()
    assert infos["final_info"]["mask_sample"][gone].all()
    envs.close()


def test_a_fault_in_the_users_code_is_raised_and_the_rest_can_be_closed():
    envs = made("waiting_users:Broken")
    envs.reset(seed=1)
    with pytest.raises(ZeroDivisionError, match="a fault"):
        envs.step([respond("One moment, please.")] * ENVS)
    envs.close()


def test_within_somebody_elses_event_loop_all_are_asked_in_one_batch():
    async def stepped():
        envs = made("waiting_users:Waiting")
        envs.reset(seed=1)
        envs.step([respond("One moment, please.")] * ENVS)
        envs.close()

    asyncio.run(stepped())
    assert Waiting.log == ["batch", "batch"]


@pytest.mark.parametrize("copied", [deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copies_have_a_loop_of_their_own(copied):
    envs = made("waiting_users:Waiting", num_envs=3)
    envs.reset(seed=1)
    twin = copied(envs.unwrapped)
    actions = [respond("One moment, please.")] * 3
    assert envs.step(actions)[0] == twin.step(actions)[0]
    envs.close()
    assert len(twin.step(actions)[0]) == 3
    twin.close()
    twin.close()


def test_what_is_never_closed_leaves_nothing_open():
    envs = made("waiting_users:Waiting", num_envs=2)
    envs.reset(seed=1)
    loop = envs.unwrapped._relay._loop
    del envs
    gc.collect()
    assert loop.is_closed()
