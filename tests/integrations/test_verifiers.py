"""verifiers v1, the real package: its runner, its harness in a subprocess, and a stand-in for the model's server."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("verifiers.v1", reason="needs verifiers: make test-verifiers")

import verifiers.v1 as vf
from streaming_model import streaming_model
from verifiers.v1.clients import EvalClientConfig, ModelContext
from verifiers.v1.utils.loaders import load_environment

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.integrations import Desk, rows
from tau_emotion_gym.integrations.verifiers import TauEnv, TauEnvConfig, TauTasksetConfig
from tau_emotion_gym.llm.base import Call
from tau_emotion_gym.llm.tool_text import render_call

pytestmark = [pytest.mark.verifiers, pytest.mark.filterwarnings("ignore")]
EXAMPLE = Path(__file__).parents[2] / "examples" / "verifiers_env.py"
ID = "tau-verifiers-retail"


@pytest.fixture(autouse=True)
def _tools_on_the_path(monkeypatch):
    bin_folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", os.pathsep.join([bin_folder, os.environ["PATH"]]))
    monkeypatch.setenv("STAND_IN_KEY", "none")


@pytest.fixture
def talks(monkeypatch):
    """Conversations in the order in which they were begun."""
    begun = []
    talk = Desk.talk
    monkeypatch.setattr(Desk, "talk", lambda desk: begun.append(talk(desk)) or begun[-1])
    return begun


def environment(agent=None, **settings) -> TauEnv:
    taskset = {"id": ID, "domain": "retail", "count": 2, "emotions": ["anger"]}
    seat = {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}, **(agent or {})}
    return load_environment(TauEnvConfig(taskset=taskset, agent=seat, **settings))


def played(env: TauEnv, answer) -> vf.Episode:
    """The first task's episode, with a model that gives these answers."""

    async def play(base_url):
        async with env.serving():
            task = next(iter(env.taskset))
            client = EvalClientConfig(base_url=base_url, api_key_var="STAND_IN_KEY")
            return await env.run_slot(env.slots(task)[0], ModelContext("stand-in", client))

    with streaming_model(answer) as base_url:
        return asyncio.run(play(base_url))


def test_the_taskset_has_the_rows():
    env = environment()
    assert isinstance(env, TauEnv)
    tasks, expected = list(env.taskset), rows("retail", 2, emotions=("anger",), tools_in_prompt=True)
    assert len(tasks) == 2
    for task, row in zip(tasks, expected, strict=True):
        assert task.data.prompt is None
        assert task.data.system_prompt == row["prompt"][0]["content"]
        assert {key: getattr(task.data, key) for key in row} == {**row, "prompt": None}


def test_a_taskset_takes_the_arguments_of_rows():
    config = TauTasksetConfig(id=ID, domain="airline", split="test", count=3, first=4, emotions=["neutral"])
    env = load_environment(TauEnvConfig(taskset=config))
    assert [task.data.emotion for task in env.taskset] == ["neutral"] * 3
    assert next(iter(env.taskset)).data.task_id == "test-004"


@pytest.mark.skipif(shutil.which("uv") is None and not Path(sys.executable).with_name("uv").exists(), reason="needs uv")
def test_the_reference_agent_succeeds_over_the_real_runner(talks):
    agents = {}

    def answer(messages):
        talk = talks[-1]
        if talk not in agents:
            agents[talk] = make_agent("reference")
            agents[talk].reset(talk.desk.domain, talk.episode.task)
        action = agents[talk].act(talk.episode.transcript[-1].observation)
        if action["name"] == "respond":
            return f"<think>\nSecret.\n</think>\n{action['arguments']['content']}"
        return render_call(Call("", action["name"], json.dumps(action["arguments"])))

    episode = played(environment(), answer)
    (trace,) = episode.traces
    assert episode.ok, episode.errors
    assert trace.reward == 1.0
    assert trace.rewards["success"].score == 1.0
    assert trace.metrics["tau_success"] == 1.0
    assert trace.metrics["outcome_satisfied"] + trace.metrics["outcome_handed_off"] == 1.0
    assert trace.num_turns == len([turn for turn in talks[-1].messages if turn["role"] == "assistant"])
    assert not any("Secret" in turn.content for turn in talks[-1].episode.transcript)


def test_the_agents_own_limit_is_a_cut(talks):
    episode = played(environment(agent={"max_turns": 2}), lambda messages: "What is your email address? ###STOP###")
    (trace,) = episode.traces
    assert trace.num_turns == 2
    assert trace.reward == 0.0
    assert trace.metrics["outcome_step_limit"] == 1.0
    assert talks[-1].finish().truncated


def test_a_customer_whose_server_fails_fails_the_episode():
    episode = played(environment(user="failing_user:Failing"), lambda messages: "Hello")
    assert not episode.ok
    assert "the server said 503" in episode.errors[-1].message


def test_the_example_runs(tmp_path):
    handed_off = '<tool_call>\n{"name": "transfer_to_human", "arguments": {"reason": "other"}}\n</tool_call>'
    with streaming_model(lambda messages: handed_off) as base_url:
        command = [sys.executable, str(EXAMPLE), "--base-url", base_url, "--episodes", "1"]
        environ = {**os.environ, "OPENAI_API_KEY": "none"}
        shown = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environ, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "reward +0, 1 turns" in shown.stdout
    assert "'outcome_handed_off': 1.0" in shown.stdout
