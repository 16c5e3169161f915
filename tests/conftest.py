"""Fixtures that every area uses: the toy domain, and tasks of it."""

from pathlib import Path

import pytest
from hypothesis import settings

from tau_emotion_gym.kit import Domain, add_folder, discovery, load
from tau_emotion_gym.tasks.train import train_task

# What an example takes says nothing on a machine that others use.
settings.register_profile("untimed", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("untimed")

TOY = Path(__file__).parent / "toy" / "library"


@pytest.fixture(autouse=True)
def forgotten_domains():
    """Domains that a test makes known are forgotten after it, the toy domain apart."""
    before = {*discovery._added, TOY.name}
    yield
    for name in {*discovery._added} - before:
        del discovery._added[name]
        load.cache_clear()


@pytest.fixture(scope="session")
def library() -> Domain:
    """The toy domain: a lending library."""
    return load(add_folder(TOY))


@pytest.fixture(scope="session")
def find_task(library):
    """`find_task(intent, …)`: the first training task with exactly these intents; with `last` alone, the
    first whose last intent it is."""

    def find(*intents: str, reveal: str | None = None, last: str | None = None):
        for index in range(4000):
            task = train_task(library, 5, index)
            wanted = tuple(goal.intent for goal in task.goals)
            if (wanted == intents or wanted[-1] == last) and reveal in (None, task.reveal):
                return task
        raise LookupError(intents)

    return find
