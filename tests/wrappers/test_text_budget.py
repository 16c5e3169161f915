"""Histories that fit: what is left out, what never is, and what the history says about it."""

import copy
import pickle
import re
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tau_emotion_gym  # noqa: F401 (registers the ids)
from tau_emotion_gym import call, respond
from tau_emotion_gym.envs.codecs.budget import Budget, estimate
from tau_emotion_gym.wrappers import ChatHistory, ModelText

RETAIL = "TauEmotion-Retail-v0"

Block = list[dict[str, Any]]


def said(text: str) -> Block:
    return [{"role": "user", "content": text}]


def wrote(text: str) -> Block:
    return [{"role": "assistant", "content": text}]


def called(*results: str) -> Block:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        for n in range(len(results))
    ]
    answers = [{"role": "tool", "tool_call_id": f"c{n}", "content": text} for n, text in enumerate(results)]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *answers]


def cost(message: dict[str, Any]) -> int:
    functions = [one["function"] for one in message.get("tool_calls", [])]
    return len(message["content"] or "") + sum(len(f["name"]) + len(f["arguments"]) for f in functions)


def left_out(messages: list[dict[str, Any]]) -> int:
    found = re.search(r"\n\n\[(\d+) earlier turns? of this conversation (is|are) left out\.\]$", messages[0]["content"])
    return int(found[1]) if found else 0


blocks = st.lists(
    st.builds(said, st.text("u", max_size=30))
    | st.builds(wrote, st.text("a", max_size=30))
    | st.lists(st.text("r", max_size=30), min_size=1, max_size=3).map(lambda results: called(*results)),
    max_size=12,
).map(lambda rest: [said("opening"), *rest])


@given(blocks, st.none() | st.integers(1, 14), st.none() | st.integers(1, 400))
def test_what_is_shown(conversation: list[Block], max_turns: int | None, max_tokens: int | None) -> None:
    before = copy.deepcopy(conversation)
    budget = Budget(max_turns, max_tokens, len)
    messages = budget.fit("system", conversation)
    assert conversation == before
    assert messages[0]["role"] == "system"
    assert messages[0]["content"].startswith("system")

    shown, rest = [], messages[1:]
    for number, block in enumerate(conversation):
        if any(message is block[0] for message in rest):
            assert rest[: len(block)] == block
            rest = rest[len(block) :]
            shown.append(number)
    assert rest == []
    newest = max(number for number, block in enumerate(conversation) if block[0]["role"] == "user")
    assert {newest, len(conversation) - 1} <= set(shown)
    assert conversation[shown[0]][0]["role"] == "user"
    assert left_out(messages) == len(conversation) - len(shown)

    required = len({newest, len(conversation) - 1})
    if max_turns is not None:
        assert len(shown) <= max(max_turns, required)
    if max_tokens is not None and len(shown) > required:
        assert sum(map(cost, messages)) <= max_tokens
    if max_turns is None and max_tokens is None:
        assert len(shown) == len(conversation)


def test_the_oldest_go_first() -> None:
    conversation = [said("1"), wrote("2"), said("3"), called("4", "5"), wrote("6"), said("7"), called("8")]
    fit = Budget(max_turns=5).fit("s", conversation)
    assert [message["content"] for message in fit] == [
        "s\n\n[2 earlier turns of this conversation are left out.]",
        "3", None, "4", "5", "6", "7", None, "8",
    ]  # fmt: skip
    assert [message["content"] for message in Budget(max_turns=4).fit("s", conversation)][1:] == ["7", None, "8"]
    many = [said("1"), said("2"), called("3"), called("4"), called("5")]
    fit = Budget(max_turns=3).fit("s", many)
    assert [message["content"] for message in fit][1:] == ["2", None, "4", None, "5"]
    assert left_out(fit) == 2


def test_tokens() -> None:
    assert [estimate(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    conversation = [said("x" * 40), wrote("y" * 40), said("z" * 40)]
    assert left_out(Budget(max_tokens=31).fit("s", conversation)) == 0
    assert left_out(Budget(max_tokens=30).fit("s", conversation)) == 2
    assert left_out(Budget(max_tokens=1, count_tokens="builtins:len").fit("s", conversation)) == 2


def test_a_tokenizer_counts_each_text_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    budget = Budget(max_tokens=100, count_tokens=count)
    conversation = [said("x" * 40), wrote("y" * 40)]
    for _ in range(3):
        budget.fit("s", conversation)
    assert len(counted) == 3


def test_budgets_travel() -> None:
    budget = Budget(3, 50, "builtins:len")
    conversation = [said("x" * 40), wrote("y" * 40), said("z" * 40)]
    for twin in (pickle.loads(pickle.dumps(budget)), copy.deepcopy(budget)):
        assert twin.fit("s", conversation) == budget.fit("s", conversation)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"max_turns": 0}, ValueError),
        ({"max_turns": True}, TypeError),
        ({"max_tokens": 2.5}, TypeError),
        ({"max_tokens": 9, "count_tokens": 4}, TypeError),
        ({"max_tokens": 9, "count_tokens": "builtins:lenn"}, ValueError),
        ({"max_tokens": 9, "count_tokens": "len"}, ValueError),
    ],
)
def test_wrong_budgets(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        ChatHistory(gym.make(RETAIL), **arguments)


def test_an_episode_under_a_budget() -> None:
    full, short = ChatHistory(gym.make(RETAIL)), ChatHistory(gym.make(RETAIL), max_turns=4)
    for env in (full, short):
        env.reset(seed=2)
    for number in range(6):
        action = respond("Hello") if number == 2 else call("calculate", expression=str(number))
        whole, *_ = full.step(action)
        messages, *_ = short.step(action)
    assert left_out(whole) == 0
    assert left_out(messages) == 8 - 4
    assert messages[1] == [message for message in whole if message["role"] == "user"][-1]
    assert messages[2:] == whole[-6:]
    assert messages[0]["content"].startswith(full.unwrapped.policy)


def test_the_same_budget_over_completions() -> None:
    env = ChatHistory(ModelText(gym.make(RETAIL)), max_turns=2, system="instructions")
    same = ModelText(gym.make(RETAIL), observe="history", max_turns=2)
    assert env.reset(seed=2)[0] == same.reset(seed=2)[0]
    for text in ("Hello", '{"name": "calculate", "arguments": {"expression": "1"}}', "Hello again"):
        messages, *_ = env.step(text)
        assert messages == same.step(text)[0]
    assert left_out(messages) == 5
