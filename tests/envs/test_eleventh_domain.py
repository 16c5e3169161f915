"""A domain dropped in from a temporary folder: found, registered, built, checked and played."""

import subprocess
import sys

import gymnasium as gym
import pytest
from own_domain import build, copy_library, forget

from tau_emotion_gym import kit, register_domain, registered_ids
from tau_emotion_gym.tasks.check import check_domain
from tau_emotion_gym.testing import CHECKS

PLAY = """
import sys
import gymnasium as gym
import tau_emotion_gym
from tau_emotion_gym import kit
from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.tasks.build import build_test

before = kit.names()
env_id = tau_emotion_gym.register_domain(sys.argv[1])
assert kit.names() == [*before, "eleventh"], kit.names()
domain = kit.load("eleventh")
built = build_test(domain)
domain.write_data(built.base, built.tasks)
env = gym.make(env_id, emotion=None)
agent = make_agent("reference")
observation, info = env.reset(seed=1)
agent.reset(domain, env.unwrapped.episode.task)
ended = False
while not ended:
    observation, reward, terminated, truncated, info = env.step(agent.act(observation))
    ended = terminated or truncated
print(env_id, info["success"])
"""


def test_in_a_process_of_its_own(tmp_path):
    folder = copy_library(tmp_path / "eleventh")
    run = subprocess.run([sys.executable, "-c", PLAY, str(folder)], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["TauEmotion-Eleventh-v0", "1.0"]


@pytest.fixture
def eleventh(tmp_path):
    folder = copy_library(tmp_path / "eleventh")
    build(folder)
    env_id = register_domain(folder)
    yield env_id
    gym.registry.pop(env_id)
    forget("eleventh")


def test_beside_the_others(eleventh):
    assert registered_ids()[-1] == eleventh
    report = check_domain(kit.load("eleventh"))
    assert report.problems == ()
    CHECKS["random_play"](eleventh)
    CHECKS["gymnasium"](eleventh)
