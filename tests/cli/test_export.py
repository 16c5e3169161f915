"""`tau-emotion export`: from a run's folder to training files, and what it says of them."""

import json
from pathlib import Path

import pytest

from tau_emotion_gym.rollouts import make_config, run_sync
from tau_emotion_gym.tracer import FORMATS, NAMES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of training tasks."""
    return play(tmp_path_factory.mktemp("runs") / "train", split="train", world_seed=4)


def play(path: Path, **settings: object) -> Path:
    config = make_config(["retail"], agent="reference", tasks=6, arms=("neutral", "anger"), **settings)
    run_sync(path, config)
    return path


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_run_becomes_a_training_file(run, folder, tmp_path):
    result = run("export", str(folder), "--out", str(tmp_path / "new" / "sft.jsonl"))
    assert result.exit_code == 0
    made = rows(tmp_path / "new" / "sft.jsonl")
    assert len(made) == 12
    assert {row["metadata"]["agent"] for row in made} == {"reference"}
    assert {row["metadata"]["world_seed"] for row in made} == {4}
    assert "sft.jsonl: 12 rows" in result.stdout
    assert all(name in result.stdout for name in NAMES)
    counts = json.loads((tmp_path / "new" / "sft.jsonl.counts.json").read_text(encoding="utf-8"))
    assert counts["read"] == counts["kept"] + sum(counts["dropped"].values()) == 12


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_chosen(run, folder, tmp_path, name):
    assert run("export", str(folder), "-o", str(tmp_path / "a.jsonl"), "-f", name).exit_code == 0
    assert len(rows(tmp_path / "a.jsonl")) == 12


def test_a_part_per_family(run, folder, tmp_path):
    result = run("export", str(folder), "-o", str(tmp_path / "a.jsonl"), "--split-by", "family")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a-anger.jsonl",
        "a-neutral.jsonl",
        "a.jsonl.counts.json",
    ]
    assert "a-anger.jsonl: 6 rows" in result.stdout


def test_a_run_on_test_tasks_is_refused_unless_allowed(run, tmp_path):
    folder = play(tmp_path / "run")
    result = run("export", str(folder), "-o", str(tmp_path / "a.jsonl"))
    assert result.exit_code == 2
    assert "is a task of the test split" in result.stderr
    assert "--allow-test" in result.stderr
    assert not (tmp_path / "a.jsonl").exists()
    assert run("export", str(folder), "-o", str(tmp_path / "a.jsonl"), "--allow-test").exit_code == 0
    assert len(rows(tmp_path / "a.jsonl")) == 12


def test_a_run_in_which_nothing_is_good_ends_with_1(run, tmp_path):
    config = make_config(["retail"], agent="null", tasks=2, split="train", max_steps=5)
    run_sync(tmp_path / "run", config)
    result = run("export", str(tmp_path / "run"), "-o", str(tmp_path / "a.jsonl"))
    assert result.exit_code == 1
    assert "no episode of this run is worth learning from; no file is written" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_several_runs_become_one_file_that_holds_each_conversation_once(run, folder, tmp_path):
    other = play(tmp_path / "other", split="train", world_seed=5)
    result = run("export", str(folder), str(other), str(folder), "-o", str(tmp_path / "a.jsonl"))
    assert result.exit_code == 0
    assert [row["metadata"]["world_seed"] for row in rows(tmp_path / "a.jsonl")] == [4] * 12 + [5] * 12
    counts = json.loads((tmp_path / "a.jsonl.counts.json").read_text(encoding="utf-8"))
    assert (counts["counted"], counts["read"], counts["kept"]) == ("episodes", 36, 24)
    assert counts["dropped"]["duplicate"] == 12
    again = run("export", str(other), str(folder), "-o", str(other / "episodes.jsonl"))
    assert "log of the run itself" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("nowhere", "-o", "a.jsonl"), ("nowhere",)),
        ((".", "-o", "a.jsonl", "-f", "share"), ("unknown format 'share'", "sharegpt")),
        ((".", "-o", "a.jsonl", "--split-by", "emotion"), ("unknown split 'emotion'", "family")),
    ],
)
def test_what_does_not_exist_is_one_line(run, arguments, parts, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = run("export", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert all(part in result.stderr for part in parts)
    assert list(tmp_path.iterdir()) == []


def test_help_has_examples(run):
    shown = run("export", "--help").stdout
    assert "Examples" in shown
    assert "tau-emotion export" in shown


def test_a_log_is_never_written_over(run, folder):
    before = (folder / "episodes.jsonl").read_bytes()
    for name in (folder, folder / "episodes.jsonl"):
        result = run("export", str(name), "-o", str(folder / "." / "episodes.jsonl"))
        assert result.exit_code == 2
        assert "log of the run itself" in result.stderr
    assert (folder / "episodes.jsonl").read_bytes() == before


def test_a_place_that_cannot_be_written_is_a_plain_error(run, folder, tmp_path):
    (tmp_path / "file").touch()
    result = run("export", str(folder), "-o", str(tmp_path / "file" / "a.jsonl"))
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr
    assert "Traceback" not in result.stderr


def test_results_from_elsewhere_are_no_run(run, tmp_path):
    (tmp_path / "results.json").write_text("[]", encoding="utf-8")
    result = run("export", str(tmp_path / "results.json"), "--out", str(tmp_path / "a.jsonl"))
    assert result.exit_code == 2
    assert "not of results from elsewhere" in result.stderr
    assert not (tmp_path / "a.jsonl").exists()
