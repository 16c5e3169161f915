"""Runs on Ray, the real package: the same log as in one process, and actors that are killed lose nothing."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tau_emotion_gym.llm import ModelRefused
from tau_emotion_gym.rollouts import (
    Budget,
    EpisodeCrashedError,
    Knobs,
    RunMismatchError,
    make_config,
    records,
    run_sync,
)
from tau_emotion_gym.rollouts.folder import EPISODES, read_lines
from tau_emotion_gym.rollouts.player import Job
from tau_emotion_gym.rollouts.ray_player import RayActors, WorkersLostError, run_on_ray

HERE = str(Path(__file__).parent)
EXAMPLE = Path(__file__).parents[2] / "examples" / "ray_rollouts.py"
KNOBS = Knobs(concurrency=8)


def test_without_ray_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"pip install 'tau-emotion-gym\[ray\]'"):
        RayActors(2)


@pytest.fixture(scope="module")
def ray():
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_AUTH_MODE", "disabled")
    patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray", reason="needs ray: make test-ray")
    path = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": path}},
    )
    patch.syspath_prepend(HERE)
    yield ray
    ray.shutdown()
    patch.undo()


pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def logged(folder) -> dict[str, object]:
    """Key → record, without wall times; an episode that was logged twice is an error."""
    found = {}
    for record in records(folder):
        found[record.place.key] = msgspec.structs.replace(record, seconds=0.0)
    assert len(found) == len(list(read_lines(folder / EPISODES)))
    return found


def signed(signs):
    """A run of 40 episodes whose customers take their time, and sign with their process."""
    user = {"kind": "ray_stand_ins:Signed", "folder": str(signs)}
    return make_config(["retail"], agent="reference", user=user, tasks=40)


def plain(config, folder) -> dict[str, object]:
    """What one process logs."""
    assert run_sync(folder, msgspec.structs.replace(config, user="scripted")).complete
    return logged(folder)


def test_the_log_is_that_of_one_process(ray, tmp_path):
    config = make_config(["retail", "airline"], agent="friction", tasks=8, arms=("task", "neutral"))
    summary = run_on_ray(tmp_path / "ray", config, KNOBS)
    assert summary.complete
    assert summary.played == 32
    assert logged(tmp_path / "ray") == plain(config, tmp_path / "one")


def test_an_actor_that_is_killed_loses_nothing(ray, tmp_path):
    signs = tmp_path / "signs"
    signs.mkdir()
    config = signed(signs)
    killed = []

    def kill_one(progress):
        seen = sorted(int(path.name) for path in signs.iterdir())
        if not killed and progress.played >= 5 and len(seen) == 2:
            killed.append(seen[0])
            os.kill(seen[0], signal.SIGKILL)

    summary = run_on_ray(tmp_path / "ray", config, KNOBS, progress=kill_one)
    names = {path.name for path in signs.iterdir()}
    assert len(killed) == 1
    assert len([name for name in names if name.isdecimal()]) == 3
    assert len([name for name in names if name.startswith("closed-")]) == 2
    assert summary.complete
    assert summary.played == 40
    assert logged(tmp_path / "ray") == plain(config, tmp_path / "one")


def test_a_run_that_is_killed_altogether_is_finished_by_a_resume(ray, tmp_path):
    signs, folder = tmp_path / "signs", tmp_path / "ray"
    signs.mkdir()
    command = [sys.executable, "-W", "ignore", str(Path(HERE) / "ray_killed_run.py"), str(folder), str(signs)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = folder / "episodes.jsonl"
    try:
        while child.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < 5):
            time.sleep(0.01)
        assert child.poll() is None
        for path in signs.iterdir():
            os.kill(int(path.name), signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
    done = len(logged(folder))
    assert 5 <= done < 40
    summary = run_on_ray(folder, signed(signs), KNOBS, resume=True)
    assert summary.complete
    assert summary.played == 40 - done
    assert logged(folder) == plain(signed(signs), tmp_path / "one")


def test_a_run_is_resumed_and_repeats_nothing(ray, tmp_path):
    user = {"kind": "ray_stand_ins:Signed", "folder": str(tmp_path)}
    config = make_config(["retail"], agent="reference", user=user, tasks=30)
    first = run_on_ray(tmp_path / "ray", config, Knobs(concurrency=3, budget=Budget(seconds=0.01)))
    assert (first.stopped, first.done) == ("budget", 0)
    part = run_sync(tmp_path / "ray", config, Knobs(concurrency=4, budget=Budget(seconds=0.5)), resume=True)
    assert 0 < part.done < 30
    rest = run_on_ray(tmp_path / "ray", config, KNOBS, resume=True)
    assert rest.complete
    assert rest.played == 30 - part.done
    assert logged(tmp_path / "ray") == plain(config, tmp_path / "one")


def test_a_server_that_refuses_stops_the_run(ray, tmp_path):
    config = make_config(["retail"], agent="reference", user="ray_stand_ins:Refused", tasks=6)
    with pytest.raises(ModelRefused, match="401"):
        run_on_ray(tmp_path / "ray", config, KNOBS, actors=1)


def test_an_agent_that_raises_is_told_of_and_the_others_are_logged(ray, tmp_path):
    agent = {"kind": "ray_stand_ins:Fatal", "task": "test-001", "how": "raise"}
    config = make_config(["retail"], agent=agent, tasks=4)
    with pytest.raises(EpisodeCrashedError, match="retail/test-001") as caught:
        run_on_ray(tmp_path / "ray", config, KNOBS, actors=1)
    assert "ray_stand_ins.py" in str(caught.value.__cause__)
    assert len(logged(tmp_path / "ray")) == 3


def test_an_episode_that_kills_every_actor_stops_the_run(ray, tmp_path):
    agent = {"kind": "ray_stand_ins:Fatal", "task": "test-001"}
    config = make_config(["retail"], agent=agent, tasks=2)
    with pytest.raises(EpisodeCrashedError, match="retail/test-001") as caught:
        run_on_ray(tmp_path / "ray", config, Knobs(concurrency=1), actors=1)
    assert isinstance(caught.value.__cause__, WorkersLostError)
    assert list(logged(tmp_path / "ray")) == ["retail/test-000/task/0"]


def test_a_node_with_other_data_is_refused(ray):
    config = make_config(["retail"], agent="reference", tasks=2)
    player = RayActors(1)(Job(config, {}, {"package": "0.0.1"}, 1, None))
    with pytest.raises(RunMismatchError, match=r"package: '0\.0\.1' before"):
        asyncio.run(player.open())
    asyncio.run(player.close())


def test_the_example_runs(ray, tmp_path):
    command = [sys.executable, str(EXAMPLE), "--tasks", "2", "--out", str(tmp_path / "run")]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert shown.returncode == 0, shown.stderr
    assert "8 of 8 episodes" in shown.stdout
