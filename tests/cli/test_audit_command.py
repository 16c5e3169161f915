"""`tau-emotion audit` and `tau-emotion behaviour`."""

import json

import pytest

from tau_emotion_gym.cli import behaviour
from tau_emotion_gym.evaluation.behaviour.study import arm_config, compare_arms
from tau_emotion_gym.rollouts import RunFolder, make_config, run_sync
from tau_emotion_gym.rollouts.folder import EPISODES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "one"
    run_sync(path, make_config(["retail", "airline"], agent="friction", tasks=5))
    return path


RESULTS = [
    {
        "task_id": 1,
        "trial": 0,
        "reward": 0.0,
        "info": {
            "task": {"instruction": "You are Ana. Your email is ana@shop.example. You want a refund for #W123456."}
        },
        "traj": [
            {"role": "system", "content": "policy"},
            {"role": "user", "content": "Hi, a refund for #W123456, please."},
            {"role": "assistant", "content": "What is your email?"},
            {"role": "user", "content": "It's bob@shop.example. As an AI, I have no other."},
            {"role": "assistant", "content": "Thank you. It is done."},
            {"role": "user", "content": "###STOP###"},
        ],
    }
]


def test_the_scripted_user_is_clean(run, folder):
    result = run("audit", str(folder))
    assert result.exit_code == 0
    assert "user scripted: 10 episodes" in result.stdout
    assert "0 of 10" in result.stdout
    assert "exit friction" in result.stdout
    assert "not checked" not in result.stdout


def test_json_holds_the_whole_audit(run, folder):
    (found,) = json.loads(run("audit", str(folder), "--json").stdout)
    assert found["user"] == "scripted"
    assert len(found["episodes"]) == 10
    assert found["spoilt"]["hits"] == 0


def test_runs_of_one_user_are_put_together_and_others_stay_apart(run, folder, tmp_path):
    results = tmp_path / "results.json"
    results.write_text(json.dumps(RESULTS), encoding="utf-8")
    found = json.loads(run("audit", str(folder), str(folder), str(results), "--json").stdout)
    assert [len(one["episodes"]) for one in found] == [20, 1]


def test_result_files_from_elsewhere_are_read_as_far_as_they_go(run, tmp_path):
    results = tmp_path / "results.json"
    results.write_text(json.dumps(RESULTS), encoding="utf-8")
    shown = run("audit", str(results)).stdout
    assert "invented identifier" in shown
    assert "leaks its instruction" in shown
    assert "bob@shop.example" in shown
    assert "not checked" in shown
    assert "ana@shop.example" not in shown.replace("“", "")


def test_examples_are_as_many_as_wanted(run, tmp_path):
    results = tmp_path / "results.json"
    results.write_text(json.dumps(RESULTS), encoding="utf-8")
    assert "bob@shop.example" not in run("audit", str(results), "--examples", "0").stdout


def test_a_judge_needs_a_model(run, folder):
    result = run("audit", str(folder), "--judge", "clever")
    assert result.exit_code == 2
    assert "openai:MODEL" in result.stderr


def test_what_is_no_run_is_named(run, tmp_path):
    for command in ("audit", "behaviour"):
        result = run(command, str(tmp_path))
        assert result.exit_code == 2
        assert "run.json" in result.stderr


def test_behaviour_is_shown_as_correlation(run, folder):
    shown = run("behaviour", str(folder)).stdout
    assert "redundant" in shown
    assert "correlations" in shown
    assert "agent friction, user scripted: 10 episodes" in shown


def test_an_intervention_without_a_pair_has_no_figures(run, folder, tmp_path, monkeypatch):
    RunFolder.create(tmp_path / "capped", arm_config(RunFolder.open(folder).config, "capped"))
    (tmp_path / "capped" / EPISODES).touch()
    monkeypatch.setattr(behaviour, "study", lambda *_, **__: compare_arms(folder, {"capped": tmp_path / "capped"}))
    shown = run("behaviour", str(folder), "--interventions", str(tmp_path / "i")).stdout
    (line,) = (line for line in shown.splitlines() if line.startswith("capped"))
    assert line.split() == ["capped", "-", "-", "-", "-", "no", "pairs"]


def test_interventions_are_played_and_compared(run, folder, tmp_path):
    found = json.loads(run("behaviour", str(folder), "--interventions", str(tmp_path / "i"), "--json").stdout)
    assert [effect["arm"] for effect in found["study"]["effects"]] == ["capped", "forced", "bundled", "split"]
    assert found["study"]["episodes"] == 10
    shown = run("behaviour", str(folder), "--interventions", str(tmp_path / "i")).stdout
    assert "bundled" in shown


def test_behaviour_of_result_files_has_no_kinds(run, tmp_path):
    results = tmp_path / "results.json"
    results.write_text(json.dumps(RESULTS), encoding="utf-8")
    shown = run("behaviour", str(results)).stdout
    assert "tool calls" in shown
    assert "redundant" not in shown
    result = run("behaviour", str(results), "--interventions", str(tmp_path / "i"))
    assert result.exit_code == 2


@pytest.mark.parametrize("command", ["audit", "behaviour"])
def test_what_is_missing_of_a_run_is_said(run, folder, tmp_path, command):
    assert run(command, str(folder)).stderr == ""
    part = RunFolder.create(tmp_path / "part", RunFolder.open(folder).config).path
    lines = (folder / EPISODES).read_text(encoding="utf-8").splitlines(keepends=True)
    (part / EPISODES).write_text("".join(lines[:3]), encoding="utf-8")
    result = run(command, str(part), "--json")
    assert "7 are not finished, and a server failed in 0" in result.stderr
    assert f"tau-emotion eval --resume --out {part}" in result.stderr
    json.loads(result.stdout)
