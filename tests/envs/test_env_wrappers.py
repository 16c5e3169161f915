"""Wrappers made of codecs."""

import copy
import json

import gymnasium as gym
import pytest

from tau_emotion_gym import call, respond
from tau_emotion_gym.envs.codec import Turns, make_codec
from tau_emotion_gym.wrappers import ChatHistory, CodecWrapper


@pytest.fixture
def env(lending):
    return ChatHistory(gym.make(lending))


def test_messages(env):
    messages, info = env.reset(seed=1)
    policy = env.unwrapped.policy
    assert [m["role"] for m in messages] == ["system", "user"]
    assert messages[0]["content"] == policy
    assert info["steps"] == 0.0
    env.step(respond("<think>who?</think>Who are you?"))
    env.step(call("calculate", expression="1 + 1"))
    env.step({"name": "calculate", "arguments": '{"expression": '})
    messages, *_ = env.step({"name": "coffee", "arguments": {"sugar": 2}})
    assert messages in env.observation_space
    assert messages[2] == {"role": "assistant", "content": "Who are you?"}
    assert messages[3]["role"] == "user"
    ids = []
    for calling, answer in zip(messages[4::2], messages[5::2], strict=True):
        (made,) = calling["tool_calls"]
        assert calling["content"] is None
        assert made["type"] == "function"
        assert isinstance(json.loads(made["function"]["arguments"]), dict)
        assert answer["role"] == "tool"
        assert answer["tool_call_id"] == made["id"]
        ids.append(made["id"])
    assert len(set(ids)) == 3
    assert messages[5]["content"] == "2.00"
    assert json.loads(messages[6]["tool_calls"][0]["function"]["arguments"]) == {"malformed": '{"expression": '}
    assert messages[9]["content"].startswith("Error: there is no tool 'coffee'")


def test_notice_is_a_system_message(lending):
    env = ChatHistory(gym.make(lending, max_steps=1))
    env.reset(seed=1)
    messages, _, _, truncated, _ = env.step(respond("Hello"))
    assert truncated
    assert messages[-1] == {"role": "system", "content": "The conversation reached its limit of 1 steps."}


def test_messages_are_new_objects(env):
    messages, _ = env.reset(seed=1)
    env.step(call("calculate", expression="1 + 1"))
    messages[0]["content"] = "spoilt"
    messages.clear()
    again, *_ = env.step(respond("Hello"))
    assert again[0]["content"] == env.unwrapped.policy
    again[2]["tool_calls"][0]["function"]["name"] = "spoilt"
    later, *_ = env.step(respond("Hello"))
    assert later[2]["tool_calls"][0]["function"]["name"] == "calculate"


def test_same_episode_as_without(env, lending):
    plain = gym.make(lending)
    messages, info = env.reset(seed=4)
    turn, plain_info = plain.reset(seed=4)
    assert messages[-1]["content"] == turn["content"]
    assert info == plain_info
    assert env.step(respond("Hello"))[1:] == plain.step(respond("Hello"))[1:]


def test_spec_makes_the_wrapper_again(env):
    again = gym.make(type(env.spec).from_json(env.spec.to_json()))
    assert again.reset(seed=1) == env.reset(seed=1)
    by_name = CodecWrapper(gym.make(env.spec.id), "chat_history")
    assert gym.make(by_name.spec).reset(seed=1) == env.reset(seed=1)


def test_copies_go_on_alike(env):
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    assert twin.step(respond("Hello")) == env.step(respond("Hello"))


def test_only_environments_of_this_package():
    with pytest.raises(TypeError, match="tau_emotion_gym"):
        ChatHistory(gym.make("CartPole-v1"))


class Twice(Turns):
    """Two calls in one action; what it shows is how many turns answered."""

    def show(self, episode, turns):
        return [turn.name for turn in turns]

    def read(self, episode, action):
        return [action] * 20 if action["name"] == "calculate" else [action, call("calculate", expression="1")]


@pytest.mark.parametrize("vector", [False, True])
def test_several_actions_in_a_step(lending, vector):
    if vector:
        envs = gym.make_vec(lending, num_envs=1, codec=Twice(), max_steps=40)

        def step(action):
            observations, _, _, truncated, infos = envs.step([action])
            if truncated[0]:
                return infos["final_obs"][0], infos["final_info"]["steps"][0]
            return observations[0], infos["steps"][0]
    else:
        envs = CodecWrapper(gym.make(lending, max_steps=40), Twice())

        def step(action):
            result = envs.step(action)
            return result[0], result[4]["steps"]

    envs.reset(seed=1)
    assert step(respond("Hello")) == (["user"], 1.0)
    assert step(call("coffee")) == (["coffee", "calculate"], 3.0)
    assert step(call("calculate", expression="1")) == (["calculate"] * 16, 19.0)
    step(call("calculate", expression="1"))
    names, steps = step(call("calculate", expression="1"))
    assert steps == 40.0
    assert names == ["calculate"] * 5


def test_codec_by_name_and_object():
    assert isinstance(make_codec(None), Turns)
    own = Twice()
    assert make_codec(own) is own
    with pytest.raises(TypeError):
        make_codec(Twice)
    with pytest.raises(ValueError, match="did you mean 'chat_history'"):
        make_codec("chathistory")
