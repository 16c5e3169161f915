"""A real model behind a real server, as the agent and as the customer.

A model of this size understands neither part. What is tested is everything around it: that episodes come to an end,
that turns, outcomes and tokens are recorded, and that every tool reads what came out.
"""

import json
from pathlib import Path

import pytest
from serve import ALIAS
from typer.testing import CliRunner

from tau_emotion_gym.cli.app import app
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.rollouts import Record, replay
from tau_emotion_gym.rollouts.folder import records

pytestmark = pytest.mark.server

LIBRARY = Path(__file__).parent.parent / "toy" / "library"
SHORT = ["max_tokens=16", "temperature=0"]
LOOKUP = {
    "type": "object",
    "properties": {
        "name": {"const": "find_member_by_email"},
        "arguments": {
            "type": "object",
            "properties": {"email": {"enum": ["nora@post.example"]}},
            "required": ["email"],
        },
    },
    "required": ["name", "arguments"],
}
"""What the server's grammar lets a model write: one call of one tool."""


def tau(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def played(out: Path, *arguments: str, steps: int) -> list[Record]:
    tau(
        "eval",
        "--domains",
        str(LIBRARY),
        "--max-steps",
        str(steps),
        "--concurrency",
        "1",
        "--out",
        str(out),
        *arguments,
    )
    return list(records(out))


def test_it_plays_both_parts(server: str, tmp_path: Path) -> None:
    both = [f"base_url={server}", *SHORT]
    model = ["--agent", f"openai:{ALIAS}", "--agent-option", *both, "--user", f"openai:{ALIAS}", "--user-option", *both]
    out = tmp_path / "run"
    found = played(out, *model, "--tasks", "2", steps=3)
    assert len(found) == 2
    for record in found:
        assert record.outcome in set(Outcome) - {Outcome.INFRASTRUCTURE}
        assert [turn.role for turn in record.transcript[:1]] == ["user"]
        for usage in (record.agent_usage, record.user_usage):
            assert min(usage.calls, usage.prompt_tokens or 0, usage.completion_tokens or 0) > 0
        assert replay(record, max_steps=3, user_exit="model").outcome == record.outcome
    assert "2 of 2" in tau("report", str(out))
    assert tau("audit", str(out))
    assert "smollm2" in (out / "run.json").read_text(encoding="utf-8")


def test_a_call_written_as_text_reaches_the_tool(server: str, tmp_path: Path) -> None:
    grammar = {"response_format": {"type": "json_schema", "json_schema": {"name": "call", "schema": LOOKUP}}}
    agent = {"kind": "openai", "model": ALIAS, "base_url": server, "tool_mode": "text", "max_tokens": 64}
    agent["extra_body"] = grammar
    (record,) = played(tmp_path / "run", "--agent", json.dumps(agent), "--tasks", "1", steps=2)
    calls = [turn for turn in record.transcript if turn.role == "call"]
    assert {turn.name for turn in calls} == {"find_member_by_email"}
    assert json.loads(calls[0].content) == {"email": "nora@post.example"}
    assert record.malformed == 0


def test_a_prompt_over_the_context_ends_the_episode_as_such(cramped_server: str, tmp_path: Path) -> None:
    agent = {"kind": "openai", "model": ALIAS, "base_url": cramped_server, "max_tokens": 8}
    (record,) = played(tmp_path / "run", "--agent", json.dumps(agent), "--tasks", "1", steps=2)
    assert record.outcome == Outcome.CONTEXT_LIMIT
    assert record.agent_usage.completion_tokens == 0
