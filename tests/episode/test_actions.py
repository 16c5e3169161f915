"""Whatever an agent sends becomes a message, a call or an error turn; nothing raises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_emotion_gym.episode import Episode, Turn, UserReply, call, respond
from tau_emotion_gym.episode.actions import Malformed, Message, ToolCall, parse, split_thought


def test_messages_and_calls_are_recognised(library):
    assert parse(respond("Hello"), library.tools) == Message("Hello", "")
    parsed = parse(call("get_member", member_id="M1"), library.tools)
    assert isinstance(parsed, ToolCall)
    assert parsed.tool is library.tools["get_member"]
    assert parsed.bound.member_id == "M1"


@pytest.mark.parametrize("encode", [json.dumps, lambda value: json.dumps(json.dumps(value))])
def test_arguments_as_json_text_are_decoded_also_when_encoded_twice(library, encode):
    parsed = parse({"name": "get_member", "arguments": encode({"member_id": "M1"})}, library.tools)
    assert isinstance(parsed, ToolCall)
    assert parsed.bound.member_id == "M1"


def test_numeric_strings_are_numbers(library):
    parsed = parse(call("pay_fees", member_id="M1", amount="2.50"), library.tools)
    assert isinstance(parsed, ToolCall)
    assert str(parsed.bound.amount) == "2.50"


@pytest.mark.parametrize(
    ("action", "says"),
    [
        (None, "mapping"),
        ([], "mapping"),
        ("get_member", "mapping"),
        ({}, "'name'"),
        ({"name": 3, "arguments": {}}, "'name'"),
        ({"name": "get_membr", "arguments": {}}, "get_member"),
        ({"name": "get_member"}, "member_id"),
        ({"name": "get_member", "arguments": {"member_id": None}}, "member_id"),
        ({"name": "get_member", "arguments": {"member_id": "M1", "extra": 1}}, "extra"),
        ({"name": "get_member", "arguments": '{"member_id": "M1"'}, "JSON"),
        ({"name": "get_member", "arguments": '{"member_id": "M1"}{"member_id": "M1"}'}, "JSON"),
        ({"name": "get_member", "arguments": {"member_id": "\ud800"}}, "JSON"),
        ({"name": "get_member", "arguments": {"member_id": "x" * 60_000}}, "longer than"),
        ({"name": "get_member", "arguments": {"member_id": "M1"}, "id": 7}, "only"),
        ({"name": "pay_fees", "arguments": {"member_id": "M1", "amount": float("nan")}}, "amount"),
        ({"name": "pay_fees", "arguments": {"member_id": "M1", "amount": 10**400}}, "amount"),
        ({"name": "get_member", "arguments": {"member_id": "M1"}, "thought": 7}, "'thought'"),
        ({"name": "respond", "arguments": {}}, "content"),
        ({"name": "respond", "arguments": {"content": 3}}, "content"),
        ({"name": "respond", "arguments": {"content": "a", "to": "b"}}, "content"),
    ],
)
def test_a_malformed_action_says_what_is_wrong(library, action, says):
    parsed = parse(action, library.tools)
    assert isinstance(parsed, Malformed)
    assert says in parsed.problem


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    name=json_like | st.sampled_from(["respond", "get_member", "pay_fees", "place_hold", "transfer_to_human"]),
    arguments=json_like,
    beside=st.just({}) | st.fixed_dictionaries({"thought": json_like}),
)
def test_anything_becomes_a_turn_and_changes_nothing_it_should_not(library, find_task, name, arguments, beside):
    episode = Episode(library, find_task("renew"))
    episode.open()
    episode.hear(UserReply("Hello"))
    result = episode.act({"name": name, "arguments": arguments} | beside)
    if isinstance(result, Turn) and result.error:
        assert episode.world.changes() == ((), (), ())
        assert episode.tool_errors == 1
    for turn in episode.transcript:
        turn.content.encode()
        turn.thought.encode()


@pytest.mark.parametrize(
    "action", [call("get_member", member_id="M1"), call("get_member"), call("no_such_tool"), {"name": "respond"}]
)
def test_a_thought_stands_in_the_transcript_alone(library, find_task, action):
    episodes = [Episode(library, find_task("renew")) for _ in range(2)]
    for episode in episodes:
        episode.open()
        episode.hear(UserReply("Hello"))
    plain, thinking = episodes
    assert thinking.act({**action, "thought": "who is it?"}) == plain.act(action)
    assert thinking.transcript[-2].thought == "who is it?"
    assert "who is it?" not in str([turn.observation for turn in (*thinking.messages, thinking.transcript[-1])])


def test_the_thought_of_a_message_comes_before_its_think_blocks(library):
    parsed = parse({**respond("<think>b</think>Hello"), "thought": "a"}, library.tools)
    assert parsed == Message("Hello", "a\nb")


def test_what_was_found_malformed_stays_so(library, find_task):
    episode = Episode(library, find_task("renew"))
    episode.open()
    episode.hear(UserReply("Hello"))
    turn = episode.act(Malformed("", "12", "twelve is no message"))
    assert (turn.name, turn.content, turn.error) == ("action", "Error: twelve is no message", True)
    assert (episode.malformed, episode.tool_errors, episode.steps) == (1, 1, 1)


@pytest.mark.parametrize(
    ("text", "seen", "thought"),
    [
        ("Hello", "Hello", ""),
        ("<think>hm</think>Hello", "Hello", "hm"),
        ("<think>a</think>One <think>b</think>two", "One two", "a\nb"),
        ("Hello <think>never closed", "Hello", "never closed"),
        ("from the template</think>Hello", "Hello", "from the template"),
        ("<thinking>x</thinking>Hi", "Hi", "x"),
        ("I think so too", "I think so too", ""),
        ("<think>only this</think>", "", "only this"),
    ],
)
def test_think_blocks_never_reach_the_customer(text, seen, thought):
    assert split_thought(text) == (seen, thought)
