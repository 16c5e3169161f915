"""A complete little domain of its own for these tests."""

from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import own_domain
import pytest

from tau_emotion_gym import kit, register_domain


@pytest.fixture(scope="session")
def lending_folder(tmp_path_factory) -> Path:
    """The folder of a domain with a built test set."""
    folder = own_domain.copy_library(tmp_path_factory.mktemp("domains") / "lending")
    own_domain.build(folder)
    own_domain.forget(folder.name)
    return folder


@pytest.fixture(scope="module")
def lending(lending_folder) -> Iterator[str]:
    """Id of the environment of that domain, registered for one module of tests."""
    env_id = register_domain(lending_folder)
    yield env_id
    gym.registry.pop(env_id)
    own_domain.forget("lending")
    assert "lending" not in kit.names()
