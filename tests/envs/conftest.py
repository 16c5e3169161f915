"""A complete little domain of its own for these tests."""

import own_domain
import pytest

import tau_emotion_gym


@pytest.fixture(scope="session")
def lending(tmp_path_factory) -> str:
    """Id of the environment of a domain with a built test set."""
    folder = own_domain.copy_library(tmp_path_factory.mktemp("domains") / "lending")
    env_id = tau_emotion_gym.register_domain(folder)
    own_domain.build("lending")
    return env_id
