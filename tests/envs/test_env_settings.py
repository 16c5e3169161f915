"""Wrong arguments fail when the environment is made, and the error says what would be right."""

import gymnasium as gym
import pytest

from tau_emotion_gym import TauEmotionError
from tau_emotion_gym.envs.names import title_of
from tau_emotion_gym.envs.settings import find_domain

WRONG = [
    ({"emotion": "angr"}, ["angr", "anger"]),
    ({"emotion": "anger/frustration/icy"}, ["icy", "cold"]),
    ({"emotion": True}, ["bool"]),
    ({"split": "tset"}, ["tset", "test", "train"]),
    ({"tasks": ["lending-999"]}, ["lending-999"]),
    ({"tasks": []}, ["empty"]),
    ({"tasks": "train-0-1"}, ["list of task ids"]),
    ({"tasks": [3]}, ["list of task ids"]),
    ({"tasks": {"begin": 3}}, ["begin", "start", "step"]),
    ({"tasks": {"start": -1}}, ["start"]),
    ({"tasks": {"step": 0}}, ["step"]),
    ({"tasks": {"start": 1.5}}, ["integer"]),
    ({"user": "scriptd"}, ["scriptd", "scripted"]),
    ({"user": "no_such_module:User"}, ["no_such_module"]),
    ({"user": {"name": "scripted"}}, ["kind"]),
    ({"user": frozenset()}, ["live objects"]),
    ({"user_exit": "affects"}, ["affects", "affect", "model", "either"]),
    ({"reward": {"sucess": 1.0}}, ["sucess", "success"]),
    ({"reward": [1.0]}, ["mapping", "success"]),
    ({"max_steps": 0}, ["max_steps", "1"]),
    ({"max_steps": 2.0}, ["max_steps", "integer"]),
    ({"world_seed": -1}, ["world_seed"]),
    ({"render_mode": "rgb"}, ["rgb", "ansi"]),
    ({"emotions": "anger"}, ["emotions"]),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
@pytest.mark.filterwarnings("ignore:.*render_mode:UserWarning")
def test_wrong_argument(lending, make, arguments, words):
    with pytest.raises((ValueError, TypeError)) as error:
        make(lending, **arguments)
    for word in words:
        assert word in str(error.value)


def test_unknown_domain():
    from tau_emotion_gym.envs.env import TauEmotionEnv

    with pytest.raises(ValueError, match="unknown domain 'retial'"):
        TauEmotionEnv("retial")
    with pytest.raises(gym.error.NameNotFound):
        gym.make("TauEmotion-Retial-v0")


def test_arguments_reach_the_episode(lending):
    env = gym.make(lending, max_steps=7, user_exit="either", reward={"step": -0.25}, think_tool=True)
    env.reset(seed=1)
    episode = env.unwrapped.episode
    assert episode.max_steps == 7
    assert episode.user_exit == "either"
    assert episode.reward["step"] == -0.25
    assert episode.reward["success"] == 1.0
    assert "think" in episode.tools


@pytest.mark.parametrize(("name", "title"), [("retail", "Retail"), ("food_delivery", "FoodDelivery"), ("x_y_z", "XYZ")])
def test_titles(name, title):
    assert title_of(name) == title


def test_title_that_disagrees_with_the_folder(lending, monkeypatch):
    domain = find_domain("lending")
    monkeypatch.setattr(domain, "title", "Lender")
    with pytest.raises(TauEmotionError, match="has to be 'Lending'"):
        find_domain("lending")
