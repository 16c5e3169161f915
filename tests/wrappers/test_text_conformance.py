"""The wrappers for language models keep Gymnasium's rules, alone and as codecs of the vector environment."""

import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from text_formats import completion, message

import tau_emotion_gym  # noqa: F401 (registers the ids)
from tau_emotion_gym.agents import ReferenceAgent
from tau_emotion_gym.envs.codec import make_codec
from tau_emotion_gym.envs.codecs.spaces import AssistantSpace, CompletionSpace
from tau_emotion_gym.episode import Action
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.kit import names
from tau_emotion_gym.wrappers import ChatHistory, ChatMessage, CodecWrapper, ModelText

WRAPPERS = {"chat_history": ChatHistory, "chat_message": ChatMessage, "model_text": ModelText}
LIMITED = {"max_turns": 4, "max_tokens": 3000}
OPTIONS = [
    ("chat_history", {}),
    ("chat_history", LIMITED),
    ("chat_message", {}),
    ("chat_message", {"observe": "history", **LIMITED}),
    ("model_text", {}),
    ("model_text", {"observe": "history", "tools_in_prompt": True}),
]


def title(domain: str) -> str:
    return f"TauEmotion-{domain.title()}-v0"


def written(kind: str, action: Action) -> Any:
    if kind == "model_text":
        return completion(action, "hermes after a thought")
    return message(action, "text") if kind == "chat_message" else action


@pytest.mark.parametrize("domain", names(added=False))
@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_check_env(domain: str, kind: str, options: dict[str, Any]) -> None:
    env = WRAPPERS[kind](gym.make(title(domain), render_mode="ansi"), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")
        check_env(env)


@pytest.mark.parametrize("domain", names(added=False))
@pytest.mark.parametrize("kind", ["model_text", "chat_message"])
def test_samples_are_played(domain: str, kind: str) -> None:
    env = WRAPPERS[kind](gym.make(title(domain), max_steps=30))
    env.action_space.seed(5)
    malformed = calls = 0
    for seed in range(15):
        env.reset(seed=seed)
        done = False
        while not done:
            action = env.action_space.sample()
            assert action in env.action_space
            messages, _, terminated, truncated, info = env.step(action)
            assert messages in env.observation_space
            done = terminated or truncated
        calls += int(info["tool_calls"])
        malformed += env.unwrapped.episode.malformed
    assert calls > 30
    assert malformed == 0


@pytest.mark.parametrize("space", [CompletionSpace, AssistantSpace])
def test_spaces(space: type[CompletionSpace] | type[AssistantSpace]) -> None:
    retail, airline = (space(gym.make(title(domain)).action_space) for domain in ("retail", "airline"))
    assert retail != airline
    retail.seed(3)
    again = pickle.loads(pickle.dumps(retail))
    assert again == retail
    samples = [retail.sample() for _ in range(30)]
    assert [again.sample() for _ in range(30)] == samples
    assert all(sample in retail for sample in samples)
    assert max(len(str(sample)) for sample in samples) < 3000
    assert None not in retail
    assert not retail.is_np_flattenable
    with pytest.raises(ValueError, match="no mask"):
        retail.sample(mask=())


@pytest.mark.parametrize(
    "outside",
    [
        "Hello",
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": 4},
        {"role": "assistant", "content": "", "name": "x"},
        {"role": "assistant", "tool_calls": 4},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "calculate", "arguments": {}}}]},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "calculate", "arguments": "{}"}}]},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "coffee", "arguments": "{"}}]},
    ],
)
def test_outside_the_space_of_messages(outside: Any) -> None:
    assert outside not in AssistantSpace(gym.make(title("retail")).action_space)


@pytest.mark.parametrize("kind", ["model_text", "chat_message"])
def test_shared_memory_is_refused(kind: str) -> None:
    def make() -> gym.Env[Any, Any]:
        return WRAPPERS[kind](gym.make(title("retail")))

    with pytest.raises((ValueError, TypeError), match=r"shared_memory|shared memory"):
        AsyncVectorEnv([make], shared_memory=True)


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_vector_environment_equals_single_ones(kind: str, options: dict[str, Any]) -> None:
    """The reference agent in three environments, through the end of their first episodes."""
    codec = {"kind": kind, **options}
    envs = gym.make_vec(title("airline"), num_envs=3, codec=codec, autoreset_mode=AutoresetMode.SAME_STEP)
    singles = [CodecWrapper(gym.make(title("airline")), codec) for _ in range(3)]
    observations, _ = envs.reset(seed=11)
    expected = [single.reset(seed=11 + place)[0] for place, single in enumerate(singles)]
    agents = [ReferenceAgent() for _ in singles]
    for agent, single in zip(agents, singles, strict=True):
        agent.reset(single.unwrapped.episode.domain, single.unwrapped.episode.task)
    ended = 0
    for _ in range(40):
        assert list(observations) == expected
        actions = [
            written(kind, agent.act(single.unwrapped.episode.transcript[-1].observation))
            for agent, single in zip(agents, singles, strict=True)
        ]
        assert all(action in envs.single_action_space for action in actions)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert observations in envs.observation_space
        for place, single in enumerate(singles):
            expected[place], reward, *flags, info = single.step(actions[place])
            assert (reward, *flags) == (rewards[place], terminated[place], truncated[place])
            if any(flags):
                ended += 1
                assert infos["final_obs"][place] == expected[place]
                assert infos["final_info"]["strict_success"][place] == info["strict_success"]
                expected[place], _ = single.reset()
                agents[place].reset(single.unwrapped.episode.domain, single.unwrapped.episode.task)
    assert ended >= 3


def test_mixed_domains_and_groups() -> None:
    envs = gym.make_vec(
        "TauEmotion-Multi-v0", num_envs=4, domains=["retail", "airline"], group_size=2, codec="model_text"
    )
    observations, _ = envs.reset(seed=0)
    assert observations[0] == observations[1] != observations[2] == observations[3]
    envs.action_space.seed(0)
    for _ in range(5):
        observations, *_ = envs.step(envs.action_space.sample())
        assert observations in envs.observation_space


def test_disabled_autoreset() -> None:
    envs = gym.make_vec(
        title("retail"), num_envs=2, codec="chat_message", max_steps=1, autoreset_mode=AutoresetMode.DISABLED
    )
    envs.reset(seed=0)
    observations, _, _, truncated, _ = envs.step([{"role": "assistant", "content": "Hello"}] * 2)
    assert truncated.all()
    after, _ = envs.reset(options={"reset_mask": np.array([True, False])})
    assert [m["role"] for m in after[0]] == ["system", "user"]
    assert after[1] == observations[1]


@pytest.mark.parametrize("observe", ["new", "history"])
@pytest.mark.parametrize("kind", ["model_text", "chat_message"])
def test_a_customer_that_fails(kind: str, observe: str) -> None:
    codec = {"kind": kind, "observe": observe}
    hello = "Hello" if kind == "model_text" else {"role": "assistant", "content": "Hello"}
    for turn in (0, 1):
        arguments = {"user": {"kind": "failing_customer:FailsFrom", "turn": turn}}
        env = CodecWrapper(gym.make(title("retail"), **arguments), codec)
        envs = gym.make_vec(title("retail"), codec=codec, autoreset_mode=AutoresetMode.DISABLED, **arguments)
        opening, _ = env.reset(seed=0)
        assert envs.reset(seed=0)[0] == (opening,)
        messages, _, _, truncated, info = env.step(hello)
        assert envs.step([hello])[0] == (messages,)
        assert truncated
        assert info["mask_sample"] == 1.0
        assert messages[-1]["role"] == "system"
        assert "503" in messages[-1]["content"]


def test_codecs_by_mapping() -> None:
    assert make_codec({"kind": "chat_history", "max_turns": 3})
    with pytest.raises(UnknownName, match="did you mean 'max_turns'"):
        make_codec({"kind": "chat_history", "max_turn": 3})
    with pytest.raises(UnknownName, match="did you mean 'model_text'"):
        make_codec({"kind": "modeltext"})
    with pytest.raises(UnknownName, match="observe"):
        make_codec({"kind": "model_text", "observe": "all"})
    with pytest.raises(UnknownName, match="system"):
        make_codec({"kind": "model_text", "system": "none"})
    with pytest.raises(ValueError, match="observe='new'"):
        make_codec({"kind": "model_text", "max_turns": 3})
    with pytest.raises(TypeError):
        make_codec({"max_turns": 3})
