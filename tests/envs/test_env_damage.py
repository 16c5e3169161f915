"""A domain with damaged data: noticed when an environment is made, not in the middle of training."""

import json
import shutil
from pathlib import Path

import gymnasium as gym
import pytest
from own_domain import forget

from tau_emotion_gym import register_domain
from tau_emotion_gym.errors import DataError
from tau_emotion_gym.kit import load


@pytest.fixture
def damaged(lending_folder: Path, tmp_path: Path):
    """The folder of a sound domain called "lending", to be damaged, and its environment's id."""
    folder = tmp_path / "lending"
    shutil.copytree(lending_folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    env_id = register_domain(folder)
    yield folder, env_id
    gym.registry.pop(env_id)
    forget("lending")


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_a_damaged_policy_is_noticed_by_make(damaged, make):
    folder, env_id = damaged
    (folder / "policy.md").unlink()
    for split in ("test", "train"):
        with pytest.raises(DataError, match=r"policy\.md is missing"):
            make(env_id, split=split)


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_a_damaged_task_is_noticed_by_make(damaged, make):
    folder, env_id = damaged
    path = folder / "tasks" / "test.jsonl"
    first, second, *rest = path.read_text(encoding="utf-8").splitlines()
    second = json.dumps(json.loads(second) | {"condition": 1000})
    path.write_text("\n".join([first, second, *rest]), encoding="utf-8")
    with pytest.raises(DataError, match=r"test\.jsonl, line 2: .*condition"):
        make(env_id)


def test_training_needs_no_test_tasks(damaged):
    folder, env_id = damaged
    shutil.rmtree(folder / "tasks")
    with pytest.raises(DataError, match=r"test\.jsonl is missing"):
        gym.make(env_id)
    env = gym.make(env_id, split="train", tasks=["train-0-1"])
    _, info = env.reset(seed=0)
    assert info["task_id"] == "train-0-1"


def test_a_placeholder_that_nobody_fills(damaged):
    folder, env_id = damaged
    stories = folder / "stories.py"
    text = stories.read_text(encoding="utf-8")
    assert "{title}" in text
    stories.write_text(text.replace("{title}", "{ttle}", 1), encoding="utf-8")
    with pytest.raises(DataError, match=r"line \d+: the intent \w+ has placeholders without fill: \['ttle'\]"):
        gym.make(env_id)
    with pytest.raises(DataError, match=r"domain lending: the intent \w+ has placeholders without fill: \['ttle'\]"):
        gym.make(env_id, split="train").reset(seed=0)
    assert load("lending").folder == folder
