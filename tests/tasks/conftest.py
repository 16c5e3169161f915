"""Fixtures of the task tests: every domain there is, and the toy one."""

import pytest

from tau_emotion_gym.kit import Domain, load, names

SHIPPED = names(added=False)


@pytest.fixture(scope="session", params=["library", *SHIPPED])
def each_domain(request: pytest.FixtureRequest, library: Domain) -> Domain:
    """Each shipped domain, and the toy one."""
    return library if request.param == "library" else load(request.param)
