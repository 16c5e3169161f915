"""The reference agent, its actions written as models write them, plays exactly the same episodes."""

from itertools import groupby
from typing import Any

import gymnasium as gym
import msgspec
import pytest
from text_formats import COMPLETIONS, MESSAGES, completion, message

import tau_emotion_gym  # noqa: F401 (registers the ids)
from tau_emotion_gym.agents import ReferenceAgent
from tau_emotion_gym.episode import Action, Episode, Turn
from tau_emotion_gym.kit import names
from tau_emotion_gym.wrappers import ChatMessage, ModelText

TASKS = 25
NOTATIONS = list(COMPLETIONS)


def title(domain: str) -> str:
    return f"TauEmotion-{domain.title()}-v0"


def plain_turns(episode: Episode) -> list[Turn]:
    return [msgspec.structs.replace(turn, thought="") for turn in episode.transcript]


def played(episode: Episode) -> tuple[Any, ...]:
    """What happened, however it was written: a number may have come as text."""
    return [turn for turn in plain_turns(episode) if turn.role != "call"], episode.calls, episode.world.changes()


def play(env: gym.Env[Any, Any], task: str, written: Any) -> tuple[Any, ...]:
    """An episode of the reference agent, and how it ended."""
    _, info = env.reset(seed=3, options={"task_id": task})
    episode: Episode = env.unwrapped.episode
    agent = ReferenceAgent()
    agent.reset(episode.domain, episode.task)
    done, reward = False, 0.0
    while not done:
        action = agent.act(episode.transcript[-1].observation)
        _, reward, terminated, truncated, info = env.step(written(action, episode.steps))
        done = terminated or truncated
    return played(episode), info, reward


def as_it_is(action: Action, step: int) -> Action:
    return action


@pytest.mark.parametrize("domain", names(added=False))
def test_same_episodes_in_every_notation(domain: str) -> None:
    plain, text, chat = (gym.make(title(domain)) for _ in range(3))
    text, chat = ModelText(text), ChatMessage(chat)
    for number in range(TASKS):
        task = f"test-{number * 4:03}"
        expected = play(plain, task, as_it_is)
        assert expected[1]["success"] == 1.0

        def in_turn(action: Action, step: int, number: int = number) -> str:
            return completion(action, NOTATIONS[(number + step) % len(NOTATIONS)])

        def as_message(action: Action, step: int, number: int = number) -> dict[str, Any]:
            return message(action, MESSAGES[(number + step) % len(MESSAGES)])

        assert play(text, task, in_turn) == expected
        assert play(chat, task, as_message) == expected


@pytest.mark.parametrize("domain", names(added=False))
@pytest.mark.parametrize("kind", ["model_text", "chat_message"])
def test_several_calls_in_one_action_are_the_same_calls(domain: str, kind: str) -> None:
    env = ModelText(gym.make(title(domain))) if kind == "model_text" else ChatMessage(gym.make(title(domain)))
    plain = gym.make(title(domain))
    for number in range(0, 100, 20):
        task = f"test-{number:03}"
        expected = play(plain, task, as_it_is)
        turns = plain_turns(plain.unwrapped.episode)
        env.reset(seed=3, options={"task_id": task})
        result: Any = None
        acted = (turn for turn in turns if turn.role in ("agent", "call"))
        for calls, group in groupby(acted, lambda turn: turn.role == "call"):
            for action in together(list(group), kind) if calls else [spoken(turn, kind) for turn in group]:
                result = env.step(action)
        episode = env.unwrapped.episode
        assert plain_turns(episode) == turns
        assert (played(episode), result[4], result[1]) == expected


def spoken(turn: Turn, kind: str) -> Any:
    return turn.content if kind == "model_text" else {"role": "assistant", "content": turn.content}


def together(turns: list[Turn], kind: str) -> list[Any]:
    """Calls in a row as one action, or more where they are many."""
    found = []
    for at in range(0, len(turns), 16):
        some = [{"name": turn.name, "arguments": msgspec.json.decode(turn.content)} for turn in turns[at : at + 16]]
        if kind == "model_text":
            found.append("\n".join(completion(action, "hermes") for action in some))
        else:
            calls = [message(action, "text")["tool_calls"][0] for action in some]
            found.append({"role": "assistant", "content": None, "tool_calls": calls})
    return found
