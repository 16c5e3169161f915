"""The folder of a run: nothing that was written is lost, and nothing strange is taken for a record."""

import errno
import os
import shutil
import subprocess
import sys

import msgspec
import pytest

from tau_emotion_gym.errors import DataError, TauEmotionError
from tau_emotion_gym.rollouts import (
    Budget,
    Knobs,
    LockedError,
    Place,
    RunFolder,
    RunMismatchError,
    line_of,
    make_config,
    plan,
    records,
    run_sync,
)
from tau_emotion_gym.rollouts.folder import EPISODES, RUN
from tau_emotion_gym.rollouts.rescore import rescore


@pytest.fixture
def finished(play, folder):
    """A finished run of four episodes."""
    play(tasks=4)
    return folder


def lines(folder):
    return (folder / EPISODES).read_bytes().splitlines(keepends=True)


def test_a_cut_at_any_byte_of_the_last_line_loses_that_line_alone(finished, config):
    log = finished / EPISODES
    whole = log.read_bytes()
    last = len(lines(finished)[-1])
    keys = [record.place.key for record in records(finished)]
    cuts = [*range(1, 60), *range(60, last, 97), last - 2, last - 1, last]
    for missing in cuts:
        log.write_bytes(whole[: len(whole) - missing])
        kept = 4 if missing == 1 else 3
        assert [record.place.key for record in records(finished)] == keys[:kept]
        with RunFolder.open(finished).writer() as writer:
            assert [head.place.key for head in writer.heads] == keys[:kept]
        assert log.read_bytes() == (whole if missing == 1 else whole[: len(whole) - last])
    summary = run_sync(finished, config(), resume=True)
    assert (summary.done, summary.played) == (4, 1)
    assert [record.place.key for record in records(finished)] == keys


@pytest.mark.parametrize("rest", [b"\0" * 200, b"\xff\xfe\n", b"{}\n", b"\n"])
def test_a_last_line_that_is_no_record_is_dropped(finished, rest):
    log = finished / EPISODES
    whole = log.read_bytes()
    log.write_bytes(whole + rest)
    assert len(list(records(finished))) == 4
    with RunFolder.open(finished).writer():
        assert log.read_bytes() == whole


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\xfe", b'{"place": 1}'])
def test_damage_further_up_is_an_error_with_its_line(finished, config, damage):
    log = finished / EPISODES
    found = lines(finished)
    found[1] = damage + b"\n"
    log.write_bytes(b"".join(found))
    before = log.read_bytes()
    with pytest.raises(DataError, match=r"episodes\.jsonl:2"):
        list(records(finished))
    with pytest.raises(DataError, match=r"episodes\.jsonl:2"):
        run_sync(finished, config(), resume=True)
    assert log.read_bytes() == before


def test_text_of_any_script_survives(finished):
    record = next(records(finished))
    turn = msgspec.structs.replace(
        record.transcript[0], content="Grüße, 你好, \u2028 \x00 👋🏽 \ud83d".encode("utf-8", "replace").decode()
    )
    spoken = msgspec.structs.replace(record, place=Place("retail", "x", "task", 0, "1", "neutral"), transcript=(turn,))
    with RunFolder.open(finished).writer() as writer:
        writer.append(line_of(spoken))
    assert list(records(finished))[-1] == spoken


def test_the_last_record_of_an_episode_counts(finished):
    first = next(records(finished))
    again = msgspec.structs.replace(first, detail="again")
    with RunFolder.open(finished).writer() as writer:
        writer.append(line_of(again))
    found = list(records(finished))
    assert len(found) == 4
    assert found[-1] == again


def test_what_a_run_file_says(finished, config):
    folder = RunFolder.open(finished)
    assert folder.config == config()
    assert folder.file.planned == len(plan(config())) == 4
    assert {"user_exit", "max_steps", "think_tool", "reward"} == folder.episode_settings.keys()
    assert folder.episode_settings["user_exit"] == "affect"
    assert folder.file.identity["domains"]["retail"].keys() == {"world", "tasks", "policy", "tools", "files"}


def test_a_run_is_not_begun_over_another(finished, config):
    with pytest.raises(TauEmotionError, match="holds a run already"):
        RunFolder.create(finished, config())
    with pytest.raises(TauEmotionError, match="holds a run already"):
        run_sync(finished, config())


def test_a_run_without_an_episode_is_begun_anew(tmp_path, config):
    RunFolder.create(tmp_path, config(seed=1))
    (tmp_path / "episodes.jsonl").touch()
    assert RunFolder.create(tmp_path, config(seed=2)).config.seed == RunFolder.open(tmp_path).config.seed == 2
    with RunFolder.open(tmp_path).writer(), pytest.raises(LockedError):
        RunFolder.create(tmp_path, config(seed=3))


def test_another_configuration_is_refused_by_name(play, folder):
    agent = {"kind": "rollout_stand_ins:Seeded"}
    play(agent=agent, tasks=2)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for changed, named in (
        ({"agent": {**agent, "temperature": 1.0}}, r"agent\.temperature: 0\.0 before, 1\.0 now"),
        ({"user": "rollout_stand_ins:SlowUser"}, r"user\.config\.kind: 'scripted' before"),
        ({"trials": 2}, r"plan\.trials: 1 before, 2 now"),
        ({"seed": 9}, r"plan\.seed: 0 before, 9 now"),
    ):
        with pytest.raises(RunMismatchError, match=named):
            play(**{"agent": agent, "tasks": 2, **changed}, resume=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    moved = {**agent, "base_url": "http://another/v1"}
    assert play(agent=moved, tasks=2, resume=True, knobs={"concurrency": 1}).complete


def test_changed_data_is_another_run(finished, config):
    path = finished / RUN
    file = msgspec.json.decode(path.read_bytes())
    file["identity"]["domains"]["retail"]["tasks"] = "0" * 16
    path.write_bytes(msgspec.json.encode(file))
    with pytest.raises(RunMismatchError, match=r"domains\.retail\.tasks"):
        run_sync(finished, config(), resume=True)


@pytest.mark.parametrize(
    ("text", "message"), [("", "run.json"), ("{", "run.json"), ("[]", "run.json"), ("é", "run.json")]
)
def test_a_damaged_run_file_is_named(finished, text, message):
    (finished / RUN).write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=message):
        RunFolder.open(finished)


def test_no_run_and_another_format(finished, tmp_path):
    with pytest.raises(DataError, match="not the folder of a run"):
        RunFolder.open(tmp_path / "nothing")
    with pytest.raises(DataError, match=r"nothing.episodes\.jsonl: No such file"):
        list(records(tmp_path / "nothing"))
    text = (finished / RUN).read_text(encoding="utf-8").replace('"version": 1', '"version": 99')
    (finished / RUN).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="format 99"):
        RunFolder.open(finished)


def test_a_run_in_a_domain_of_ones_own_goes_on_in_another_process(library, tmp_path, folder):
    own = tmp_path / "book_nook"
    shutil.copytree(
        library.folder, own, ignore=shutil.ignore_patterns("__pycache__", "tasks", "world.json", "world.checksum")
    )
    text = (own / "__init__.py").read_text(encoding="utf-8")
    text = text.replace('"library"', '"book_nook"').replace('"Library"', '"BookNook"')
    (own / "__init__.py").write_text(text, encoding="utf-8")
    config = make_config([own], agent="reference", split="train", tasks=6)
    assert run_sync(folder, config, Knobs(concurrency=1, budget=Budget(seconds=1e-9))).played == 0
    code = (
        "import sys; from tau_emotion_gym.rollouts import *\n"
        "summary = run_sync(sys.argv[1], RunFolder.open(sys.argv[1]).config, resume=True)\n"
        "print(summary.done, [len(replay(r).transcript) == len(r.transcript) for r in records(sys.argv[1])])"
    )
    other = subprocess.run([sys.executable, "-W", "error", "-c", code, str(folder)], capture_output=True, text=True)
    assert other.stdout.split("\n")[0] == f"6 {[True] * 6}", other.stderr
    for path in (own / "__init__.py", next(own.rglob("intents*"))):
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        with pytest.raises(RunMismatchError, match=r"domains\.book_nook\.files"):
            run_sync(folder, config, resume=True)
        path.write_bytes(before)
    assert run_sync(folder, config, resume=True).complete


def test_a_full_disk_leaves_no_half_rescored_log(finished, monkeypatch):
    def full(record):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tau_emotion_gym.rollouts.rescore.line_of", full)
    before = sorted(path.name for path in finished.iterdir())
    with pytest.raises(TauEmotionError, match="cannot be written: No space left"):
        rescore(finished)
    assert sorted(path.name for path in finished.iterdir()) == before


def test_two_writers_exclude_each_other(finished, config):
    with RunFolder.open(finished).writer():
        with pytest.raises(LockedError, match="written to by another process"):
            run_sync(finished, config(), resume=True)
        code = "import sys; from tau_emotion_gym.rollouts import RunFolder; RunFolder.open(sys.argv[1]).writer()"
        other = subprocess.run([sys.executable, "-c", code, str(finished)], capture_output=True, text=True)
        assert "LockedError" in other.stderr
        assert list(records(finished))
    with RunFolder.open(finished).writer():
        pass


def test_the_lock_of_a_dead_process_is_no_lock(finished):
    code = (
        "import os, sys; from tau_emotion_gym.rollouts import RunFolder\n"
        "writer = RunFolder.open(sys.argv[1]).writer(); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(finished)]).returncode == -9
    with RunFolder.open(finished).writer() as writer:
        assert len(writer.heads) == 4


def test_a_disk_that_is_full_leaves_a_sound_log(finished, monkeypatch):
    record = next(records(finished))
    before = (finished / EPISODES).read_bytes()
    write, room = os.write, [200]

    def little_room(file, data):
        written = write(file, data[: room[0]]) if room[0] else 0
        room[0] -= written
        if not written:
            raise OSError(errno.ENOSPC, "No space left on device")
        return written

    with RunFolder.open(finished).writer() as writer:
        monkeypatch.setattr(os, "write", little_room)
        with pytest.raises(TauEmotionError, match="No space left on device"):
            writer.append(line_of(record))
        monkeypatch.undo()
        assert (finished / EPISODES).read_bytes() == before
        writer.append(line_of(record))
    assert len(lines(finished)) == 5


def test_a_folder_that_cannot_be_written_is_a_plain_error(tmp_path, config):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(TauEmotionError, match="file"):
        run_sync(tmp_path / "file" / "run", config(), Knobs())


def test_lines_and_records_are_the_same(finished):
    assert b"".join(line_of(record) for record in records(finished)) == (finished / EPISODES).read_bytes()
