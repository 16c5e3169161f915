"""A run that is killed again and again ends as one that was not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from killed_runs import configuration

from tau_emotion_gym.rollouts import Knobs, plan, records, run_sync
from tau_emotion_gym.rollouts.folder import EPISODES

KILLS = 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_twenty_kills_at_random_lose_nothing_and_repeat_nothing(tmp_path):
    folder = tmp_path / "run"
    script = Path(__file__).parent / "killed_runs.py"
    command = [sys.executable, "-W", "error", str(script), str(folder), str(KILLS), "20"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=script.parent)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert [status for status, _ in told] == [-9] * KILLS + [0]
    assert len({size for _, size in told}) > KILLS // 2

    lines = (folder / EPISODES).read_bytes().splitlines()
    keys = [record.place.key for record in records(folder)]
    assert len(lines) == len(keys)
    assert sorted(keys) == sorted(place.key for place in plan(configuration()))

    config = msgspec.structs.replace(configuration(), user="scripted")
    summary = run_sync(tmp_path / "straight", config, Knobs(concurrency=1))
    assert _without_times(records(tmp_path / "straight")) == _without_times(records(folder))
    assert summary.successes == sum(record.success for record in records(folder))


def _without_times(found):
    return {record.place.key: msgspec.structs.replace(record, seconds=0.0) for record in found}
