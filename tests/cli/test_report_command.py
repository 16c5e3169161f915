"""`tau-emotion report`."""

import json

import pytest

from tau_emotion_gym.rollouts import RunFolder, make_config, run_sync
from tau_emotion_gym.rollouts.folder import EPISODES
from tau_emotion_gym.rollouts.rescore import rescore


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "reference"
    run_sync(path, make_config(["retail", "airline"], agent="reference", tasks=4, trials=3))
    return path


def test_the_reference_agent_is_at_100_percent_beside_the_baselines(run, folder):
    shown = run("report", str(folder)).stdout
    for line in ("Avg@3", "Pass^3", "pass@3", "strict success"):
        assert f"{line} " in shown
    assert "100.0 % (" in shown
    assert "24 of 24, 8 tasks" in shown
    for baseline in ("null", "refuse_all", "transfer_only"):
        assert baseline in shown
    assert "--emotion task neutral" in shown.replace("\n", " ")


def test_json_is_for_machines(run, folder):
    found = json.loads(run("report", str(folder), "--json", "--no-baselines", "--k", "2").stdout)
    (report,) = found["reports"]
    assert report["k"] == 2
    assert report["headline"]["pass_hat"]["value"] == 1.0
    assert report["headline"]["pass_hat"]["counts"]["scored"] == 24
    assert report["baselines"] == []


def test_markdown_is_written_beside_what_is_shown(run, folder, tmp_path):
    page = tmp_path / "page.md"
    result = run("report", str(folder), str(folder), "--no-baselines", "--markdown", str(page))
    assert "Runs compared" in result.stdout
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# reference and reference (2)\n")
    assert "| Avg@3 | 100.0 % (" in text


def test_a_page_that_cannot_be_written_is_said(run, folder, tmp_path):
    result = run("report", str(folder), "--no-baselines", "--markdown", str(tmp_path / "no" / "page.md"))
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


def test_holes_end_with_the_way_out(run, folder, tmp_path):
    cut = RunFolder.create(tmp_path / "cut", RunFolder.open(folder).config).path
    (cut / EPISODES).write_bytes((folder / EPISODES).read_bytes()[:-40])
    result = run("report", str(cut), "--no-baselines")
    assert result.exit_code == 2
    assert "1 of 8 tasks" in result.stderr
    assert "Resume the run" in result.stderr
    assert "--allow-holes" in result.stderr
    allowed = run("report", str(cut), "--no-baselines", "--allow-holes")
    assert allowed.exit_code == 0
    assert "1 not finished" in allowed.stdout


def test_what_is_no_run_and_a_k_too_large(run, folder, tmp_path):
    missing = run("report", str(tmp_path / "nothing"))
    assert (missing.exit_code, "is not the folder of a run" in missing.stderr) == (2, True)
    large = run("report", str(folder), "--k", "4")
    assert (large.exit_code, "at most the number of trials" in large.stderr) == (2, True)


def test_rescored_figures(run, folder):
    before = run("report", str(folder), "--no-baselines", "--rescored")
    assert before.exit_code == 2
    rescore(folder)
    assert "100.0 % (" in run("report", str(folder), "--no-baselines", "--rescored").stdout


def test_markup_in_names_is_shown_as_it_is(run, tmp_path):
    path = tmp_path / "[red]name[.json"
    talk = [{"role": "user", "content": "Hello ###STOP###"}]
    entries = [{"task_id": 1, "trial": 0, "reward": 1.0, "info": {}, "traj": talk}]
    path.write_text(json.dumps(entries), encoding="utf-8")
    result = run("report", str(path), "--json")
    assert result.exit_code == 0
    both = run("report", str(path), str(path))
    assert "[red]name[.json" in both.stdout


def test_help_has_examples(run):
    shown = run("report", "--help").stdout
    assert "Examples" in shown
    assert "tau-emotion report" in shown


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "reference"),
        ("reference/run.json", "it is a file; the folder is"),
        ("reference/episodes.jsonl", "it is a file; the folder is"),
        ("nowhere", "there is no such file or folder"),
    ],
)
def test_a_wrong_path_is_told_what_it_is(run, folder, path, message):
    result = run("report", str(folder.parent / path))
    assert result.exit_code == 2
    assert "is not the folder of a run: " in result.stderr
    assert message in result.stderr
    assert "Errno" not in result.stderr


def test_new_scores_that_are_not_made_yet(run, folder, tmp_path):
    other = RunFolder.create(tmp_path / "other", RunFolder.open(folder).config).path
    result = run("report", str(other), "--rescored")
    assert result.exit_code == 2
    assert f"tau-emotion rescore {other} makes them" in result.stderr
