"""What the tests of all adapters share: answers of a model that the reference agent plays."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.integrations import Talk


def assistant_message(action: Mapping[str, Any], number: int = 0) -> dict[str, Any]:
    """An action as a model would send it."""
    if action["name"] == "respond":
        return {"role": "assistant", "content": action["arguments"]["content"]}
    function = {"name": action["name"], "arguments": json.dumps(action["arguments"])}
    call = {"id": f"own-{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def reference_actions(talk: Talk) -> Iterator[dict[str, Any]]:
    """What the reference agent does, to be carried out between two steps of the iteration."""
    agent = make_agent("reference")
    agent.reset(talk.desk.domain, talk.episode.task)
    while not talk.over:
        yield agent.act(talk.episode.transcript[-1].observation)


@pytest.fixture
def as_message():
    return assistant_message


@pytest.fixture
def reference():
    return reference_actions
