"""SkyRL-Gym, the real package: conversations made and stepped as its generator does."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tau_emotion_gym.integrations import rows
from tau_emotion_gym.llm.base import Call
from tau_emotion_gym.llm.tool_text import render_call

pytest.importorskip("skyrl_gym", reason="needs skyrl-gym: make test-skyrl")

import skyrl_gym
from skyrl_gym.metrics import aggregate_for_environment

from tau_emotion_gym.integrations.skyrl import TauTextEnv, register, text_rows

pytestmark = pytest.mark.skyrl
NAME = "tau-retail"
EXAMPLE = Path(__file__).parents[2] / "examples" / "skyrl_env.py"
ROWS = text_rows(NAME, rows("retail", 8, emotions=("anger", "neutral", "fear"), tools_in_prompt=True))


@pytest.fixture(autouse=True)
def _registered():
    register(NAME, "retail")
    yield
    skyrl_gym.envs.registration.deregister(NAME)


def made(row, **extras) -> TauTextEnv:
    extras = {key: value for key, value in row.items() if key not in ("prompt", "env_class")} | extras
    return skyrl_gym.make(row["env_class"], env_config={}, extras=extras)


def completion(action) -> str:
    """An action as a model without native calling would write it."""
    if action["name"] == "respond":
        return f"<think>\nThe user wants it.\n</think>\n{action['arguments']['content']}"
    return render_call(Call("", action["name"], json.dumps(action["arguments"])))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["task_id"])
def test_the_reference_agent_succeeds_over_text(row, reference):
    env = made(row)
    messages, info = env.init(row["prompt"])
    assert info == {"task_id": row["task_id"]}
    assert [message["role"] for message in messages] == ["system", "user"]
    assert "<tools>" in messages[0]["content"]
    rewards = []
    for action in reference(env._talk):
        output = env.step(completion(action))
        rewards.append(output["reward"])
        assert all(message["role"] == "user" for message in output["observations"])
        assert ("<tool_response>" in str(output["observations"])) == (action["name"] != "respond")
        assert output["postprocessed_action"] is None
    assert output["done"]
    assert rewards == [0.0] * (len(rewards) - 1) + [1.0]
    assert output["metadata"]["outcome"] in ("satisfied", "handed_off")
    assert not output["metadata"]["truncated"]
    assert not any("The user wants it" in turn.content for turn in env._talk.episode.transcript if turn.role == "agent")
    env.close()


def test_a_broken_call_is_an_error_that_the_model_reads_and_nothing_is_tried_again():
    env = made(ROWS[0])
    env.init(ROWS[0]["prompt"])
    output = env.step('<tool_call>\n{"name": "get_order", "arguments": {"order_id": \n</tool_call>')
    assert "Error" in output["observations"][0]["content"]
    assert not output["done"]
    assert env._talk.episode.malformed == 1


def test_the_model_cannot_end_a_conversation():
    env = made(ROWS[0])
    env.init(ROWS[0]["prompt"])
    assert not env.step("###STOP### Goodbye.")["done"]
    assert not env.step("")["done"]


def test_no_turns_left_is_a_cut():
    env = made(ROWS[0], max_turns=2)
    env.init(ROWS[0]["prompt"])
    assert not env.step("What is your email address?")["done"]
    output = env.step("And your name?")
    assert (output["done"], output["reward"]) == (True, 0.0)
    assert output["metadata"]["truncated"]
    assert output["metadata"]["outcome"] == "step_limit"
    assert env.step("Anything else?")["observations"] == []


def test_a_step_after_the_end_pays_nothing(reference):
    env = made(ROWS[0], max_turns=50)
    env.init(ROWS[0]["prompt"])
    rewards = [env.step(completion(action))["reward"] for action in reference(env._talk)]
    assert rewards[-1] == 1.0
    for _ in range(2):
        late = env.step("Anything else?")
        assert (late["done"], late["reward"], late["observations"]) == (True, 0.0, [])
    assert env.get_metrics()["success"] == 1.0
    env.init(ROWS[0]["prompt"])
    assert env.turns == 0
    assert [env.step(completion(action))["reward"] for action in reference(env._talk)] == rewards


def test_metrics_are_means_of_numbers():
    metrics = []
    for row in ROWS[:2]:
        env = made(row, max_turns=1)
        assert env.get_metrics() == {}
        env.init(row["prompt"])
        env.step("Hello")
        metrics.append(env.get_metrics())
    means = aggregate_for_environment(NAME, metrics)
    assert means["outcome/step_limit"] == 1.0
    assert means["success"] == means["mask_sample"] == 0.0
    assert means["steps"] == 1.0


def test_the_same_row_is_the_same_conversation():
    shown = [made(ROWS[0]).init(ROWS[0]["prompt"])[0] for _ in range(2)]
    assert shown[0] == shown[1]
    assert shown[0] == made(ROWS[0]).init([])[0]


def test_the_example_runs():
    shown = subprocess.run([sys.executable, "-W", "error", str(EXAMPLE)], capture_output=True, text=True, timeout=120)
    assert shown.returncode == 0, shown.stderr
    assert "outcome handed_off, reward +0" in shown.stdout
