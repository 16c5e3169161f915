"""`tau-emotion eval` and `rescore`: what is typed, what stands in the folder, and how each ends."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tau_emotion_gym.cli.several import spread
from tau_emotion_gym.cli.specs import name_of, spec_of
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.rollouts import RunFolder, records
from tau_emotion_gym.rollouts.rescore import RESCORED

STAND_INS = Path(__file__).parents[1] / "rollouts"
sys.path.insert(0, str(STAND_INS))


def words(text: str) -> list[str]:
    return shlex.split(text)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def evaluate(run):
    """`evaluate("--tasks", "2")`: a run of the reference agent in retail into the folder "r"."""

    def invoke(*arguments, agent="reference", domains=("retail",), out="r"):
        return run("eval", "--agent", agent, "--domains", *domains, "--out", out, *arguments)

    return invoke


# --- words on the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--d a b --k 3", "--d a --d b --k 3"),
        ("--d a --d b", "--d a --d b"),
        ("--k 3 --d a b c", "--k 3 --d a --d b --d c"),
        ("--d=a --e x y --d b", "--d=a --e x --e y --d b"),
        ("run --e x y", "run --e x --e y"),
        ("--flag run", "--flag run"),
        ("--d", "--d"),
        ("", ""),
    ],
)
def test_an_option_takes_all_values_that_follow(typed, meant):
    assert " ".join(spread(typed.split(), {"--d", "--e"})) == meant


@pytest.mark.parametrize(
    ("text", "options", "spec", "name"),
    [
        ("reference", [], "reference", "reference"),
        ("openai:Qwen/Qwen3-8B", [], {"kind": "openai", "model": "Qwen/Qwen3-8B"}, "Qwen3-8B"),
        ("vllm:/models/q:8b/", [], {"kind": "vllm", "model": "/models/q:8b/"}, "q-8b"),
        ("my.module:Agent", [], "my.module:Agent", "my.module-Agent"),
        ("my.module:Agent", ["n=3"], {"kind": "my.module:Agent", "n": 3}, "my.module-Agent"),
        ('{"kind": "openai", "model": "m"}', ["top_p=0.9"], {"kind": "openai", "model": "m", "top_p": 0.9}, "m"),
        (
            "openai:m",
            ["base_url=http://localhost:1/v1", "temperature=0", "tool_mode=text", 'stop=["a=b"]', "cue=false", "x="],
            {
                "kind": "openai",
                "model": "m",
                "base_url": "http://localhost:1/v1",
                "temperature": 0,
                "tool_mode": "text",
                "stop": ["a=b"],
                "cue": False,
                "x": "",
            },
            "m",
        ),
    ],
)
def test_agents_and_users_as_typed(text, options, spec, name):
    assert spec_of("agent", text, options) == spec
    assert name_of(spec) == name


def test_a_configuration_in_a_file(tmp_path):
    (tmp_path / "agent.json").write_text('{"kind": "openai", "model": "größer"}', encoding="utf-8")
    assert spec_of("agent", "@agent.json") == {"kind": "openai", "model": "größer"}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("{broken", [], "agent: the JSON object is not JSON"),
        ('{"model": "m"}', [], "not an object with a"),
        ("@nowhere.json", [], r"nowhere\.json cannot be read"),
        ("openai:m", ["temperature"], "key=value, not 'temperature'"),
    ],
)
def test_what_is_no_configuration(text, options, message):
    with pytest.raises(TauEmotionError, match=message):
        spec_of("agent", text, options)


@pytest.mark.parametrize("command", ["eval", "rescore"])
def test_help_has_examples(run, command):
    shown = run(command, "--help").stdout
    assert "Examples" in shown
    assert f"tau-emotion {command}" in shown


# --- runs -------------------------------------------------------------------------------------------------


def test_the_reference_agent_succeeds_everywhere(run):
    result = run(
        *words("eval --agent reference --user scripted --domains retail airline --tasks 4 --trials 3 --out here")
    )
    assert result.exit_code == 0
    assert "24 of 24 finished, 0 failed by servers" in result.stdout
    assert "100.0% (24 of 24)" in result.stdout
    assert len(list(records("here"))) == 24


def test_every_option_reaches_the_configuration(evaluate):
    result = evaluate(
        *words("--tasks test-003,test-005 test-007 -e neutral anger --emotion fear/anxiety --trials 2 --seed 9"),
        *words("--user-exit either --max-steps 7 --think-tool --user-option seconds=0"),
        *words("--user rollout_stand_ins:SlowUser -c 3 --episode-timeout 0 --fsync"),
        agent="friction",
    )
    assert result.exit_code == 0
    config = RunFolder.open("r").config
    assert config.tasks == ("test-003", "test-005", "test-007")
    assert config.arms == ("neutral", "anger", "fear/anxiety")
    assert (config.trials, config.seed, config.user_exit, config.max_steps) == (2, 9, "either", 7)
    assert config.think_tool
    assert config.user == {"kind": "rollout_stand_ins:SlowUser", "seconds": 0}


def test_an_agent_with_a_model_is_told_of_the_think_tool(run):
    pytest.importorskip("openai")
    stopped = run("eval", *words("-a openai:m -d retail --tasks 1 -o r --think-tool"))
    assert stopped.exit_code == 2
    assert "OPENAI_API_KEY" in stopped.stderr
    assert RunFolder.open("r").config.agent == {"kind": "openai", "model": "m", "think_tool": True}
    other = run("eval", *words("-a openai:m --agent-option think_tool=true -d retail -o s"))
    assert "think_tool is False for the run and True for its agent" in other.stderr


def test_train_tasks(evaluate):
    assert evaluate(*words("--split train --world-seed 3 --tasks 2")).exit_code == 0
    assert {record.place.task_id for record in records("r")} == {"train-3-0", "train-3-1"}


def test_the_folder_is_named_by_agent_and_configuration(run):
    shown = [run("eval", "--agent", "null", "--domains", "retail", "--tasks", "1", "--seed", str(n)) for n in (0, 1)]
    names = [re.search(r"runs.null-[0-9a-f]{8}", result.stdout)[0] for result in shown]
    assert names[0] != names[1]
    assert all(Path(name, "episodes.jsonl").is_file() for name in names)
    assert "100.0%" not in shown[0].stdout


def test_resume(evaluate, run):
    assert evaluate("--tasks", "3").exit_code == 0
    again = evaluate("--tasks", "3")
    assert again.exit_code == 2
    assert "holds a run already; add --resume" in again.stderr
    assert "0 episodes in" in evaluate("--tasks", "3", "--resume", "-c", "1").stdout
    assert "3 of 3 finished" in run("eval", "--resume", "--out", "r").stdout
    other = evaluate("--tasks", "4", "--resume")
    assert other.exit_code == 2
    assert "plan.tasks: 3 before, 4 now" in other.stderr
    assert len(list(records("r"))) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-a referense -d retail", "did you mean 'reference'"),
        ("-a null -d retial", "did you mean 'retail'"),
        ("-a null -d retail -e angr", "did you mean 'anger'"),
        ("-a null -d retail --tasks 101", "has 100 test tasks"),
        ("-a null -d retail --split train", "--tasks 1000"),
        ("-a null -d retail -u scriptd", "did you mean 'scripted'"),
        ("-a null -d retail --agent-option speed=1", "agent 'null': NullAgent() takes no arguments"),
        ("-a openai:m -d retail --agent-option api_key=sk-1", "environment variable"),
        ("--resume --out nowhere", "is not the folder of a run"),
        ("--resume", "--resume takes the folder of the run"),
        ("--resume --out nowhere --seed 3", "give --resume and --out alone"),
        ("-a gpt-4 -d retail", "on the command line openai:MODEL"),
        ("-a openai -d retail", 'model option "model" is missing'),
        ("-a openai:m -d retail --agent-option temperature=hot", 'model option "temperature": Expected float'),
    ],
)
def test_what_does_not_exist_is_one_plain_line(run, arguments, message):
    result = run("eval", *words(arguments))
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr
    assert "sk-1" not in result.stderr
    assert not Path("runs").exists()


def test_no_agent(run):
    result = run("eval")
    assert result.exit_code == 2
    assert "--agent reference" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--budget-tokens", "500", "-u", "rollout_stand_ins:WordyUser", "-c", "1"], 3, "500 tokens is spent"),
        (["--budget-minutes", "0.001", "-u", "rollout_stand_ins:SlowUser", "-c", "1"], 3, "0.06 seconds is spent"),
        (["--max-failures", "3", "-u", "rollout_stand_ins:DeadUser"], 4, "3 episodes in a row"),
        (["--max-failures", "99", "-u", "rollout_stand_ins:DeadUser"], 5, "0 of 20 finished, 20 failed by servers"),
        (["-u", "rollout_stand_ins:RefusedUser"], 2, "401: no such key"),
        (["-u", "rollout_stand_ins:WrongUser"], 1, "retail/test-0"),
    ],
)
def test_how_a_run_ends_is_in_the_exit_status(evaluate, arguments, status, message):
    result = evaluate("--tasks", "20", *arguments)
    assert result.exit_code == status
    assert message in result.stdout + result.stderr
    if status in (3, 4, 5):
        assert "to go on: tau-emotion eval --resume --out r" in result.stdout


def test_what_a_server_said_is_shown(evaluate):
    result = evaluate("--tasks", "2", "-u", "rollout_stand_ins:DeadUser")
    assert result.exit_code == 5
    assert "a server failed: user: " in result.stderr
    assert "the last failure: user: " in result.stdout


def test_episodes_that_are_dropped_are_not_waited_for(evaluate):
    result = evaluate("--tasks", "20", "-u", "rollout_stand_ins:RefusedUser")
    assert "waiting for running episodes" not in result.stderr


@pytest.mark.parametrize("what", ["minutes", "dollars"])
def test_a_budget_of_nothing_is_not_no_budget(evaluate, what):
    result = evaluate("--tasks", "1", f"--budget-{what}", "0")
    assert result.exit_code == 2
    assert "is more than 0, not 0.0" in result.stderr
    assert not Path("r").exists()


def test_a_crash_shows_where(evaluate, capfd):
    result = evaluate("--tasks", "3", "-u", "rollout_stand_ins:WrongUser")
    assert "TypeError" in result.stderr
    assert "--resume goes on" in result.stderr


def test_tokens_are_shown_and_an_unknown_price_is_not_nothing(evaluate):
    result = evaluate("--tasks", "2", "-u", "rollout_stand_ins:WordyUser")
    assert re.search(r"user's model +\d+ calls, .* tokens read, .* written", result.stdout)
    assert "unknown (no prices)" in result.stdout
    assert "$0" not in result.stdout


def test_ctrl_c_in_a_process_of_its_own():
    code = "from tau_emotion_gym.cli import main; main()"
    user = json.dumps({"kind": "rollout_stand_ins:SlowUser", "seconds": 0.03})
    command = [sys.executable, "-c", code, "eval", "-a", "reference", "-d", "retail", "-o", "r", "-c", "2", "-u", user]
    environment = {**os.environ, "PYTHONPATH": str(STAND_INS)}
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    log = Path("r", "episodes.jsonl")
    while not (log.exists() and log.stat().st_size):
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130, err
    assert "interrupted by SIGINT" in err
    assert "Ctrl-C" in err
    assert "stopped: interrupted by SIGINT" in out
    assert "Traceback" not in err
    assert 0 < len(list(records("r"))) < 100


# --- rescore ----------------------------------------------------------------------------------------------


def test_rescoring_changes_nothing_that_need_not_change(evaluate, run):
    evaluate("--tasks", "5", agent="friction")
    before = Path("r", "episodes.jsonl").read_bytes()
    result = run("rescore", "r")
    assert result.exit_code == 0
    assert "5 episodes: 0 scored otherwise" in result.stdout
    assert Path("r", RESCORED).read_bytes() == before


def test_rescoring_with_another_reward(evaluate, run):
    evaluate("--tasks", "3")
    before = Path("r", "episodes.jsonl").read_bytes()
    result = run("rescore", "r", "--reward", "step=-0.5", "success=2")
    assert result.exit_code == 0
    assert "3 scored otherwise (0 more successes, 0 fewer)" in result.stdout
    assert "retail/test-000/task/0: reward, terms" in result.stdout
    for record in records("r", RESCORED):
        assert record.reward == pytest.approx(2 - 0.5 * record.steps)
    assert Path("r", "episodes.jsonl").read_bytes() == before


def test_what_cannot_be_rescored(evaluate, run):
    evaluate("--tasks", "3")
    log = Path("r", "episodes.jsonl")
    log.write_bytes(log.read_bytes().replace(b'"task_id":"test-001"', b'"task_id":"test-777"'))
    result = run("rescore", "r")
    assert result.exit_code == 1
    assert "1 of 3 episodes cannot be played again" in result.stderr
    assert "test-777" in result.stderr
    assert len(list(records("r", RESCORED))) == 2
    for arguments, message in ((("--reward", "stp=1"), "did you mean 'step'"), (("--reward", "step"), "TERM=WEIGHT")):
        wrong = run("rescore", "r", *arguments)
        assert wrong.exit_code == 2
        assert message in wrong.stderr
    assert run("rescore", "nowhere").exit_code == 2
