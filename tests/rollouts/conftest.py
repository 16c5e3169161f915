import sys
from pathlib import Path

import msgspec
import pytest
from rollout_stand_ins import COUNTS

from tau_emotion_gym.rollouts import Knobs, Record, make_config, records, run_sync

sys.path.append(str(Path(__file__).parents[1] / "llm"))  # bad_server


@pytest.fixture(autouse=True)
def _fresh_counts():
    COUNTS.clear()


@pytest.fixture
def config():
    """`config(tasks=4, …)`: a small configuration."""

    def make(domains=("retail",), *, agent="reference", tasks=4, **arguments):
        return make_config(list(domains), agent=agent, tasks=tasks, **arguments)

    return make


@pytest.fixture
def play(tmp_path, config):
    """`play(agent=…, knobs={…}, resume=True)`: a run in the test's folder."""

    def played(folder="run", *, knobs=None, resume=False, progress=None, **arguments):
        return run_sync(tmp_path / folder, config(**arguments), Knobs(**knobs or {}), resume=resume, progress=progress)

    return played


@pytest.fixture
def logged(tmp_path):
    """`logged()`: place → record of a run, without wall times."""

    def read(folder="run") -> dict[str, Record]:
        found = {}
        for record in records(tmp_path / folder):
            assert record.place.key not in found
            found[record.place.key] = msgspec.structs.replace(record, seconds=0.0)
        return found

    return read


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "run"
