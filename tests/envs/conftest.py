"""A complete little domain of its own for these tests: the toy library under another name."""

import shutil
from pathlib import Path

import pytest

import tau_emotion_gym
from tau_emotion_gym.kit import load
from tau_emotion_gym.tasks.build import build_test

LIBRARY = Path(__file__).parents[1] / "toy" / "library"


def copy_library(folder: Path) -> Path:
    """The toy library as the domain called like `folder`."""
    shutil.copytree(LIBRARY, folder, ignore=shutil.ignore_patterns("__pycache__", "*.json", "tasks"))
    init = folder / "__init__.py"
    name = folder.name
    text = init.read_text(encoding="utf-8")
    text = text.replace('name="library"', f'name="{name}"').replace('title="Library"', f'title="{name.title()}"')
    init.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def lending(tmp_path_factory) -> str:
    """Id of the environment of a domain with a built test set."""
    folder = copy_library(tmp_path_factory.mktemp("domains") / "lending")
    env_id = tau_emotion_gym.register_domain(folder)
    domain = load("lending")
    built = build_test(domain)
    domain.write_data(built.base, built.tasks)
    return env_id
