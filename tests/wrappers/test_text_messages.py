"""How completions and assistant messages are read, and which messages answer them."""

import copy
import json
import pickle
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tau_emotion_gym  # noqa: F401 (registers the ids)
from tau_emotion_gym import respond
from tau_emotion_gym.agents.calls import INTERRUPTED, MOST_CALLS, OVER, SENT, TOO_MANY
from tau_emotion_gym.agents.instructions import instructions
from tau_emotion_gym.wrappers import (
    ChatHistory,
    ChatMessage,
    CodecWrapper,
    DiscreteActions,
    ModelText,
    NumericObservation,
)

RETAIL = "TauEmotion-Retail-v0"


def env_of(wrapper: type[CodecWrapper], kwargs: dict[str, Any] | None = None, **options: Any) -> Any:
    env = wrapper(gym.make(RETAIL, **(kwargs or {})), **options)
    env.reset(seed=1)
    return env


def calling(*calls: tuple[str, str, Any], content: str | None = None, **rest: Any) -> dict[str, Any]:
    """An assistant message with calls of (id, name, arguments)."""
    made = [
        {"id": own, "type": "function", "function": {"name": name, "arguments": arguments}}
        for own, name, arguments in calls
    ]
    return {"role": "assistant", "content": content, "tool_calls": made, **rest}


def hermes(expression: str) -> str:
    return f'<tool_call>{{"name": "calculate", "arguments": {{"expression": "{expression}"}}}}</tool_call>'


@pytest.mark.parametrize("wrapper", [ModelText, ChatMessage])
def test_the_opening_is_everything(wrapper):
    env = wrapper(gym.make(RETAIL))
    messages, _ = env.reset(seed=1)
    episode = env.unwrapped.episode
    assert messages == [
        {"role": "system", "content": instructions(episode.domain)},
        {"role": "user", "content": episode.transcript[0].content},
    ]
    policy, _ = wrapper(gym.make(RETAIL), system="policy").reset(seed=1)
    assert policy[0]["content"] == env.unwrapped.policy
    tools, _ = wrapper(gym.make(RETAIL, think_tool=True), tools_in_prompt=True).reset(seed=1)
    assert tools[0]["content"].startswith(messages[0]["content"])
    assert '"name":"think"' in tools[0]["content"]


def test_results_stand_under_their_own_ids():
    env = env_of(ChatMessage)
    action = calling(("b", "calculate", '{"expression": "1 + 1"}'), ("a", "calculate", {"expression": "2 + 2"}))
    messages, *_, info = env.step(action)
    assert messages == [
        {"role": "tool", "tool_call_id": "b", "content": "2.00"},
        {"role": "tool", "tool_call_id": "a", "content": "4.00"},
    ]
    assert info["steps"] == 2.0
    messages, *_ = env.step({"role": "assistant", "content": "Who are you?"})
    assert [message["role"] for message in messages] == ["user"]


def test_results_of_a_completion_come_in_order():
    env = env_of(ModelText)
    messages, *_ = env.step(f"<think>first this</think>I add. {hermes('1 + 1')} Then:\n{hermes('1 +')}<|im_end|>")
    assert messages[0] == {"role": "tool", "name": "calculate", "content": "2.00"}
    assert messages[1]["content"].startswith("Error:")
    first, second = (turn for turn in env.unwrapped.episode.transcript if turn.role == "call")
    assert first.thought == "first this\nI add.  Then:"
    assert second.thought == ""
    assert [turn.role for turn in env.unwrapped.episode.messages] == ["user"]


def test_what_stands_beside_calls_is_logged_and_not_sent():
    env = env_of(ChatMessage)
    env.step(calling(("a", "calculate", "{}"), content="<think>hm</think>I look.", reasoning_content="so"))
    call = env.unwrapped.episode.transcript[1]
    assert call.thought == "so\nhm\nI look."
    env.step({"role": "assistant", "content": "<think>b</think>Hello", "reasoning_content": "a"})
    said = env.unwrapped.episode.transcript[3]
    assert (said.content, said.thought) == ("Hello", "a\nb")
    assert "hm" not in str(env.unwrapped.episode.messages)


@pytest.mark.parametrize(
    ("wrapper", "action", "text"),
    [
        (ModelText, "<think>secret</think>\n\nHello.<|im_end|>", "Hello."),
        (ModelText, "secret</think>Hello.", "Hello."),
        (ModelText, "", ""),
        (ModelText, "<think>only secret", ""),
        (ModelText, 'Write {"a": 1} down.', 'Write {"a": 1} down.'),
        (ChatMessage, {"role": "assistant", "content": "<think>secret</think>Hello."}, "Hello."),
        (ChatMessage, {"content": "Hello.", "tool_calls": []}, "Hello."),
        (ChatMessage, {"role": "assistant", "content": None}, ""),
        (ChatMessage, {"role": "assistant", "content": None, "refusal": "No."}, "No."),
        (ChatMessage, {"content": [{"type": "thinking", "thinking": "secret"}, {"type": "text", "text": "A"}]}, "A"),
    ],
)
def test_what_the_customer_reads(wrapper, action, text):
    env = env_of(wrapper)
    messages, *_ = env.step(action)
    assert env.unwrapped.episode.messages[1].content == text
    assert messages[-1]["role"] == "user"


@pytest.mark.parametrize("wrapper", [ModelText, ChatMessage])
def test_at_most_so_many_calls_and_every_one_is_answered(wrapper):
    number = MOST_CALLS + 3
    env = env_of(wrapper)
    if wrapper is ModelText:
        action: Any = "".join(hermes(str(n)) for n in range(number))
    else:
        action = calling(*((f"i{n}", "calculate", f'{{"expression": "{n}"}}') for n in range(number)))
    messages, *_, info = env.step(action)
    assert info["steps"] == MOST_CALLS
    assert [message["content"] for message in messages] == [f"{n}.00" for n in range(MOST_CALLS)] + [TOO_MANY] * 3
    if wrapper is ChatMessage:
        assert [message["tool_call_id"] for message in messages] == [f"i{n}" for n in range(number)]


def test_calls_after_the_end_are_answered():
    env = env_of(ChatMessage, {"max_steps": 1})
    one = '{"expression": "1"}'
    messages, _, _, truncated, info = env.step(calling(("a", "calculate", one), ("b", "calculate", one)))
    assert truncated
    assert info["steps"] == 1.0
    assert [message["content"] for message in messages[:2]] == ["1.00", OVER]
    assert messages[2] == {"role": "system", "content": "The conversation reached its limit of 1 steps."}

    env = env_of(ChatMessage)
    reasons = env.unwrapped.action_space.schemas["transfer_to_human"]["properties"]["reason"]["enum"]
    handing = ("a", "transfer_to_human", json.dumps({"reason": reasons[0]}))
    messages, _, terminated, _, _ = env.step(calling(handing, ("b", "calculate", one)))
    assert terminated
    assert messages[1] == {"role": "tool", "tool_call_id": "b", "content": OVER}


def test_calls_after_a_message_to_the_customer_are_not_run():
    env = env_of(ChatMessage, observe="history")
    one = '{"expression": "1"}'
    action = calling(("a", "calculate", one), ("b", "respond", '{"content": "Hello"}'), ("c", "calculate", one))
    messages, *_, info = env.step(action)
    assert info["steps"] == 2.0
    assert [(m.get("tool_call_id"), m["content"]) for m in messages[3:6]] == [
        ("a", "1.00"),
        ("b", SENT),
        ("c", INTERRUPTED),
    ]
    assert messages[6]["role"] == "user"


@pytest.mark.parametrize(
    ("wrapper", "action", "says"),
    [
        (ModelText, '<tool_call>{"name": "calculate", "arguments": {"expr', "not valid JSON"),
        (ModelText, '<tool_call>{"name": "coffee", "arguments": {}}</tool_call>', "no tool 'coffee'"),
        (ModelText, "<tool_call>calculate</tool_call>", "Error"),
        (ModelText, {"role": "assistant", "content": "Hello"}, "the text that a model wrote, not dict"),
        (ModelText, None, "the text that a model wrote, not nothing"),
        (ChatMessage, "Hello", "an assistant message"),
        (ChatMessage, {}, "'content' or 'tool_calls'"),
        (ChatMessage, respond("Hello"), "'content' or 'tool_calls'"),
        (ChatMessage, {"role": "user", "content": "Hello"}, 'not "user"'),
        (ChatMessage, {"role": "assistant", "content": 42}, "not int"),
        (ChatMessage, {"role": "assistant", "content": [{"type": "image_url"}]}, "are texts"),
        (ChatMessage, {"role": "assistant", "content": "", "tool_calls": "no"}, "list of calls"),
        (ChatMessage, {"role": "assistant", "tool_calls": [42]}, "Error"),
        (ChatMessage, calling(("a", "calculate", '{"expression": ')), "not valid JSON"),
        (ChatMessage, calling(("a", "calculate", [1])), "object"),
        (ChatMessage, calling(("a", "coffee", "{}")), "no tool 'coffee'"),
    ],
)
@pytest.mark.parametrize("observe", ["new", "history"])
def test_what_cannot_be_read_is_an_error_turn(wrapper, action, says, observe):
    env = env_of(wrapper, observe=observe)
    messages, reward, terminated, _, info = env.step(action)
    assert says in messages[-1]["content"]
    assert messages[-1]["role"] == "tool"
    assert (info["tool_errors"], info["steps"], reward, terminated) == (1.0, 1.0, 0.0, False)
    assert messages in env.observation_space
    if wrapper is ChatMessage and observe == "history":
        assert_answered(messages)


def assert_answered(messages: list[dict[str, Any]]) -> None:
    """Every call of every message is followed by a result under its id, before anybody else speaks."""
    rest = iter(messages)
    for message in rest:
        assert message["role"] != "tool"
        calls = message.get("tool_calls", [])
        ids = [call["id"] for call in calls]
        assert len(set(ids)) == len(ids)
        for own in ids:
            assert next(rest)["tool_call_id"] == own
        for call in calls:
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert call["function"]["name"]


def test_ids_are_made_where_they_are_missing_or_taken():
    env = env_of(ChatMessage, observe="history")
    one = '{"expression": "1"}'
    doubled = calling(("call_2", "calculate", one), ("call_2", "calculate", one), ("", "calculate", one))
    del doubled["tool_calls"][2]["id"]
    messages, *_ = env.step(doubled)
    assert [call["id"] for call in messages[2]["tool_calls"]] == ["call_2", "call_1", "call_3"]
    assert_answered(messages)
    messages, *_ = env.step(calling(("call_2", "calculate", one)))
    assert messages[-1]["tool_call_id"] == "call_2"


ACTIONS: dict[type[CodecWrapper], list[Any]] = {
    ModelText: [
        f"<think>t</think>Adding. {hermes('1')}{hermes('2')}",
        "Hello.",
        "",
        None,
        "<tool_call>{",
        hermes("3"),
        '{"name": "respond", "arguments": {"content": "Bye"}}',
    ],
    ChatMessage: [
        calling(("a", "calculate", '{"expression": "1"}'), ("b", "coffee", "{}"), content="<think>t</think>Adding."),
        {"role": "assistant", "content": "Hello.", "reasoning_content": "greet"},
        {"role": "assistant", "content": ""},
        None,
        {"role": "assistant", "content": hermes("3")},
        calling(("c", "respond", '{"content": "Bye"}'), ("d", "calculate", "{")),
    ],
}


@pytest.mark.parametrize("wrapper", [ModelText, ChatMessage])
def test_news_added_up_are_the_history(wrapper):
    new, history = (env_of(wrapper, {"max_steps": 8}, observe=observe) for observe in ("new", "history"))
    conversation, _ = new.reset(seed=1)
    shown, _ = history.reset(seed=1)
    assert shown == conversation
    for action in ACTIONS[wrapper]:
        added, *rest = new.step(action)
        shown, *same = history.step(action)
        assert rest == same
        assert shown[len(conversation)]["role"] == "assistant"
        conversation = [*conversation, shown[len(conversation)], *added]
        assert shown == conversation
        if wrapper is ChatMessage:
            assert_answered([m for m in shown if m["role"] != "system"])


@pytest.mark.parametrize("end", ["", "<|im_end|>", "<|im_end|>\n", "<|eot_id|>"])
def test_a_completion_stands_in_the_history_as_it_was_written(end):
    env = env_of(ModelText, observe="history")
    written = f"\n<think>t</think>\n\nAdding.\n{hermes('1')}\n"
    messages, *_ = env.step(written + end)
    assert messages[2] == {"role": "assistant", "content": written}


@pytest.mark.parametrize("wrapper", [ModelText, ChatMessage])
def test_copies_and_pickles_go_on_alike(wrapper):
    env = env_of(wrapper, observe="history")
    env.step(ACTIONS[wrapper][0])
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.step(ACTIONS[wrapper][1]) == copy.deepcopy(env).step(ACTIONS[wrapper][1])
    before = copy.deepcopy(env)
    first = env.step(ACTIONS[wrapper][1])
    assert before.step(ACTIONS[wrapper][1]) == first


@pytest.mark.parametrize("wrapper", [ModelText, ChatMessage])
def test_observations_are_new_objects(wrapper):
    env = env_of(wrapper, observe="history")
    messages, *_ = env.step(ACTIONS[wrapper][0])
    expected = copy.deepcopy(messages)
    for message in messages:
        for call in message.get("tool_calls", []):
            call["function"]["name"] = "spoilt"
        message["content"] = "spoilt"
    messages.clear()
    again, *_ = env.step(ACTIONS[wrapper][1])
    assert again[: len(expected)] == expected


@pytest.mark.parametrize("wrapper", [ModelText, ChatMessage])
def test_spec_makes_the_wrapper_again(wrapper):
    env = wrapper(gym.make(RETAIL), observe="history", max_turns=3, count_tokens="builtins:len")
    again = gym.make(type(env.spec).from_json(env.spec.to_json()))
    assert isinstance(again, wrapper)
    assert again.reset(seed=1) == env.reset(seed=1)
    for action in ACTIONS[wrapper]:
        assert again.step(action) == env.step(action)


def test_history_over_completions():
    under = env_of(ModelText, observe="history", system="policy")
    over = ChatHistory(ModelText(gym.make(RETAIL)))
    assert over.action_space == under.action_space
    over.reset(seed=1)
    for action in ACTIONS[ModelText]:
        assert over.step(action) == under.step(action)


@pytest.mark.parametrize("inner", [ModelText, ChatMessage, DiscreteActions])
def test_one_reader_of_actions(inner):
    with pytest.raises(TypeError, match="makes plain actions"):
        ModelText(inner(gym.make(RETAIL)))


@pytest.mark.parametrize("outer", [ModelText, ChatMessage, ChatHistory])
def test_turns_are_shown_from_turns(outer):
    with pytest.raises(TypeError, match=r"shows turns, and .* shows numbers"):
        outer(NumericObservation(gym.make(RETAIL)))


def test_plain_actions_in_between_stand_in_the_history_too():
    env = env_of(ChatMessage, observe="history")
    env.step(calling(("call_1", "calculate", '{"expression": "1"}')))
    env.unwrapped.step({"name": "calculate", "arguments": {"expression": "2"}})
    env.unwrapped.step(respond("Hello"))
    messages, *_ = env.step({"role": "assistant", "content": "Hello again"})
    roles = ["system", "user", "assistant", "tool", "assistant", "tool", "assistant", "user", "assistant", "user"]
    assert [message["role"] for message in messages] == roles
    assert messages[4]["tool_calls"][0]["id"] == messages[5]["tool_call_id"] == "call_2"


any_text = st.text(st.characters(exclude_categories=()), max_size=60)
mark = st.sampled_from(
    [
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "```json\n",
        '{"name": "calculate", "arguments": ',
        "{",
        "}]",
        '"\\ud800"',
        "[TOOL_CALLS]",
        "<function=calculate>",
        "<|python_tag|>",
        "NaN",
        '{"expression": "1"}',
        "<|im_end|>",
    ]
)
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
a_call = st.fixed_dictionaries(
    {},
    optional={
        "id": json_like | st.just("a"),
        "type": json_like,
        "function": json_like
        | st.fixed_dictionaries(
            {}, optional={"name": json_like | st.sampled_from(["calculate", "respond"]), "arguments": json_like | mark}
        ),
    },
)
a_message = st.fixed_dictionaries(
    {},
    optional={
        "role": st.just("assistant") | json_like,
        "content": json_like | st.lists(mark, max_size=4).map("".join) | st.lists(json_like, max_size=3),
        "tool_calls": json_like | st.lists(a_call | json_like, max_size=4),
        "reasoning_content": json_like,
        "function_call": json_like,
    },
)


@pytest.fixture(scope="module")
def envs() -> dict[str, Any]:
    """Environments that show whole histories, one per wrapper."""
    return {
        "text": ModelText(gym.make(RETAIL), observe="history"),
        "message": ChatMessage(gym.make(RETAIL), observe="history"),
    }


def check(env: Any, actions: list[Any], *, native: bool) -> None:
    env.reset(seed=1)
    for action in actions:
        messages, _, terminated, truncated, _ = env.step(action)
        assert messages in env.observation_space
        json.dumps(messages, ensure_ascii=False).encode()
        if native:
            assert_answered([m for m in messages if m["role"] != "system"])
        if terminated or truncated:
            return
    pickle.dumps(env)


@settings(max_examples=150, deadline=None)
@given(st.lists(any_text | st.lists(mark | any_text, max_size=8).map("".join) | json_like, min_size=1, max_size=3))
def test_any_text_is_an_action(envs, actions):
    check(envs["text"], actions, native=False)


@settings(max_examples=150, deadline=None)
@given(st.lists(a_message | json_like, min_size=1, max_size=3))
def test_anything_like_a_message_is_an_action(envs, actions):
    check(envs["message"], actions, native=True)
