"""Days that no calendar has, wherever they stand in a call's arguments: an error turn, and no member of the space."""

import json
import re

import gymnasium as gym
import msgspec
import pytest

from tau_emotion_gym import call
from tau_emotion_gym.kit import load, names

DAY = re.compile(r'"\d{4}-\d\d-\d\d"')


def spoilt_calls(name: str) -> dict[str, tuple[str, dict]]:
    """Tool → a test task and its arguments for the tool, every day in them out of the calendar."""
    found = {}
    for task in load(name).test_tasks.values():
        for one in (task.identify, *(one for goal in task.goals for one in goal.calls)):
            arguments = json.dumps(msgspec.to_builtins(one.arguments))
            if DAY.search(arguments):
                found[one.name] = task.id, json.loads(DAY.sub('"2026-13-45"', arguments))
    return found


@pytest.mark.parametrize("name", names(added=False))
def test_a_day_that_does_not_exist_is_an_error_turn(name):
    env = gym.make(f"TauEmotion-{load(name).title}-v0", emotion=None)
    for tool, (task_id, arguments) in spoilt_calls(name).items():
        env.reset(seed=1, options={"task_id": task_id})
        identify = env.unwrapped.episode.task.identify
        env.step(call(identify.name, **identify.arguments))
        action = call(tool, **arguments)
        observation, *_ = env.step(action)
        assert "2026-13-45 is no day of the calendar" in observation["content"], tool
        assert action not in env.action_space


def test_days_within_parts_of_arguments_are_among_them():
    assert {"book_reservation", "change_flights", "change_passengers"} <= set(spoilt_calls("airline"))
