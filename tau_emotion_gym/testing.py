"""The conformance kit: checks that any environment of this package, and any domain of your own, has to pass.

In pytest:

    import pytest
    from tau_emotion_gym import register_domain
    from tau_emotion_gym.testing import CHECKS

    ID = register_domain("path/to/my_domain")

    @pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
    def test_my_domain(check):
        check(ID)

or all at once, `conformance_suite(ID)`. A failed check raises `ConformanceError`, an `AssertionError`.
Keyword arguments go to `gymnasium.make`, for example `split="train"`.
"""

import contextlib
import io
import pickle
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import gymnasium as gym
import msgspec
import numpy as np

import tau_emotion_gym  # noqa: F401 (registers the environments)
from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.envs.env import RENDER_MODES, TauEmotionEnv
from tau_emotion_gym.episode import INFO_KEYS, respond
from tau_emotion_gym.episode.actions import Malformed, parse
from tau_emotion_gym.world import canonical

STEPS = 12
LARGEST_SAMPLE = 1000
"""Bytes of JSON that a sampled action may take."""

MALFORMED: Mapping[str, Any] = {
    "nothing": None,
    "a text": "cancel it",
    "a number": 3,
    "a list": [],
    "an empty object": {},
    "no name": {"arguments": {}},
    "name is a number": {"name": 7, "arguments": {}},
    "name is empty": {"name": "", "arguments": {}},
    "unknown tool": {"name": "make_coffee", "arguments": {"sugar": True}},
    "arguments are a list": {"name": "calculate", "arguments": [1]},
    "arguments are nothing": {"name": "calculate", "arguments": None},
    "argument of another type": {"name": "calculate", "arguments": {"expression": {"a": 1}}},
    "argument missing": {"name": "calculate", "arguments": {}},
    "argument unknown": {"name": "calculate", "arguments": {"expression": "1", "precision": 2}},
    "argument is null": {"name": "calculate", "arguments": {"expression": None}},
    "a further key": {"name": "calculate", "arguments": {"expression": "1"}, "id": "x"},
    "JSON cut off": {"name": "calculate", "arguments": '{"expression": "1'},
    "JSON doubled": {"name": "calculate", "arguments": '{"expression": "1"}{"expression": "1"}'},
    "JSON of a list": {"name": "calculate", "arguments": "[1]"},
    "JSON with NaN": {"name": "calculate", "arguments": '{"expression": NaN}'},
    "not JSON at all": {"name": "calculate", "arguments": {"expression": object()}},
    "deeply nested": {"name": "calculate", "arguments": {"expression": "[" * 40}, "arguments ": 1},
    "huge": {"name": "calculate", "arguments": {"expression": "1", "x": "1" * 100_000}},
    "lone surrogate in a name": {"name": "\ud800", "arguments": {}},
    "lone surrogate in an argument": {"name": "calculate", "arguments": {"expression": "\udfff"}},
    "message without content": {"name": "respond", "arguments": {}},
    "message is a number": {"name": "respond", "arguments": {"content": 4}},
    "message with more": {"name": "respond", "arguments": {"content": "hi", "to": "you"}},
}
"""Actions that no environment may choke on, by what is wrong with them."""


class ConformanceError(AssertionError):
    """An environment that does not conform; the message says where."""


def conformance_suite(env_id: str, **kwargs: Any) -> list[str]:
    """Run every check.

    Returns:
        The names of the checks, all passed.

    Raises:
        ConformanceError: the first failure.
    """
    for check in CHECKS.values():
        check(env_id, **kwargs)
    return list(CHECKS)


def check_gymnasium(env_id: str, **kwargs: Any) -> None:
    """Gymnasium's own `check_env` passes without a warning, in every render mode."""
    from gymnasium.utils.env_checker import check_env

    for mode in (None, *RENDER_MODES):
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("error")
            env = gym.make(env_id, render_mode=mode, **kwargs)
            check_env(env.unwrapped)


def check_determinism(env_id: str, **kwargs: Any) -> None:
    """The same seed and actions give the same bytes, seeds differ, and no global generator is touched."""
    state = _global_state()
    first = trajectory(env_id, seed=7, **kwargs)
    _require(first == trajectory(env_id, seed=7, **kwargs), f"{env_id}: two runs with seed 7 differ")
    others = {trajectory(env_id, seed=seed, **kwargs) for seed in range(8, 14)}
    _require(len(others - {first}) > 1, f"{env_id}: seeds 8 to 13 all play the same")
    _require(state == _global_state(), f"{env_id}: a global random generator was used")


def check_replay(env_id: str, **kwargs: Any) -> None:
    """Task, condition and episode seed, as `info` shows them, repeat an episode in another environment."""
    env = _make(env_id, **kwargs)
    for seed in range(3):
        env.reset(seed=seed)
        observation, info = env.reset()
        options = {key: info[key] for key in ("task_id", "emotion", "episode_seed")}
        again, repeated = _make(env_id, **kwargs).reset(options=options)
        _require((observation, info) == (again, repeated), f"{env_id}: {options} does not repeat its episode")


def check_isolation(env_id: str, **kwargs: Any) -> None:
    """Whatever a caller does to what it was given, or to what it gave, changes nothing."""

    def spoil(value: Any) -> None:
        if isinstance(value, dict | list):
            for item in list(value.values()) if isinstance(value, dict) else value:
                spoil(item)
            value.clear()

    def spoil_all(env: TauEmotionEnv, observation: Any, info: dict[str, Any]) -> None:
        for value in (observation, info, env.tools):
            spoil(value)

    plain = trajectory(env_id, seed=3, **kwargs)
    spoilt = trajectory(env_id, seed=3, after=spoil_all, **kwargs)
    _require(plain == spoilt, f"{env_id}: changing what reset and step returned changed the episode")


def check_spaces(env_id: str, **kwargs: Any) -> None:
    """Samples lie in the spaces, fit the tools' schemas, are small, and follow from the space's seed."""
    env = _make(env_id, **kwargs)
    env.reset(seed=0)
    tools = env.episode.tools
    env.action_space.seed(1)
    samples = [env.action_space.sample() for _ in range(40 * len(tools))]
    for action in samples:
        _require(action in env.action_space, f"{env_id}: the sample {action} is outside the action space")
        read = parse(action, tools)
        _require(not isinstance(read, Malformed), f"{env_id}: the sample {action} is refused: {read}")
        _require(len(msgspec.json.encode(action)) <= LARGEST_SAMPLE, f"{env_id}: the sample {action} is too large")
    names = {action["name"] for action in samples}
    _require(names == {"respond", *tools}, f"{env_id}: never sampled: {sorted({'respond', *tools} - names)}")
    env.action_space.seed(1)
    again = [env.action_space.sample() for _ in range(len(samples))]
    _require(samples == again, f"{env_id}: the same seed of the action space gives other samples")
    twin = pickle.loads(pickle.dumps(env.action_space))
    _require(twin == env.action_space == deepcopy(env.action_space), f"{env_id}: copies of the space differ")
    turn = env.observation_space.sample()
    _require(turn in env.observation_space, f"{env_id}: the sample {turn} is outside the observation space")


def check_random_play(env_id: str, *, episodes: int = 30, **kwargs: Any) -> None:
    """Random actions that fit the schemas never raise, and every observation lies in its space."""
    env = _make(env_id, **kwargs)
    env.action_space.seed(2)
    for seed in range(episodes):
        observation, _ = env.reset(seed=seed)
        for _ in range(STEPS * 2):
            _require(observation in env.observation_space, f"{env_id}: {observation} is outside the space")
            observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            _require(type(reward) is float, f"{env_id}: the reward {reward!r} is not a float")
            if terminated or truncated:
                break


def check_malformed_actions(env_id: str, **kwargs: Any) -> None:
    """Malformed actions become counted error turns that say what is wrong, and change no state."""
    env = _make(env_id, **kwargs)
    env.reset(seed=0)
    for count, (name, action) in enumerate(MALFORMED.items(), 1):
        before = canonical(env.episode.world.changes())
        observation, reward, terminated, truncated, info = env.step(action)
        where = f"{env_id}: {name}"
        _require(observation["role"] == "tool", f"{where}: the answer is {observation}")
        _require(observation["content"].startswith("Error: "), f"{where}: the answer is {observation}")
        _require(observation in env.observation_space, f"{where}: the answer is outside the space")
        _require(not (terminated or truncated or reward), f"{where}: it ends the episode or is rewarded")
        _require(info["tool_errors"] == count, f"{where}: not counted as an error")
        _require(before == canonical(env.episode.world.changes()), f"{where}: the world has changed")
        observation["content"].encode()


def check_info_schema(env_id: str, **kwargs: Any) -> None:
    """Every info has the same keys with the same types, from reset to end, in every outcome."""

    def check(env: TauEmotionEnv, _: Any, info: dict[str, Any]) -> None:
        found = {key: type(value) for key, value in info.items()}
        _require(found == INFO_KEYS, f"{env_id}: info is {found}")
        _require(list(info) == list(INFO_KEYS), f"{env_id}: the keys of info are in another order")

    for seed in range(4):
        trajectory(env_id, seed=seed, after=check, **kwargs)
        trajectory(env_id, seed=seed, after=check, **{**kwargs, "max_steps": 3, "emotion": None})


def check_pickle(env_id: str, **kwargs: Any) -> None:
    """Pickles and forks, made before or amid an episode, go on exactly like the original."""
    copies: Sequence[Callable[[TauEmotionEnv], TauEmotionEnv]] = (
        lambda env: pickle.loads(pickle.dumps(env)),
        lambda env: env.fork(),
        deepcopy,
    )
    for copy in copies:
        fresh = copy(_make(env_id, **kwargs))
        _require(
            fresh.reset(seed=5) == _make(env_id, **kwargs).reset(seed=5), f"{env_id}: a copy resets to another episode"
        )
    env = _make(env_id, **kwargs)
    for steps in range(0, STEPS, 3):
        env.reset(seed=5)
        actions = _actions(env, STEPS)
        for action in actions[:steps]:
            if env.episode.outcome is None:
                env.step(action)
        twins = [copy(env) for copy in copies]
        rest = _rest(env, actions[steps:])
        for twin in twins:
            _require(rest == _rest(twin, actions[steps:]), f"{env_id}: a copy after {steps} steps goes on otherwise")


def check_reference_solves(env_id: str, *, episodes: int = 20, **kwargs: Any) -> None:
    """The reference agent solves what it is given, breaks no rule, and is never left."""
    env = _make(env_id, **kwargs)
    agent = make_agent("reference")
    for seed in range(episodes):
        observation, info = env.reset(seed=seed)
        agent.reset(env.domain, env.episode.task)
        terminated = truncated = False
        reward = 0.0
        while not (terminated or truncated):
            observation, reward, terminated, truncated, info = env.step(agent.act(observation))
        what = f"{env_id}: task {info['task_id']}, emotion {info['emotion']}, episode seed {info['episode_seed']}"
        _require(info["success"] == 1.0 and reward > 0, f"{what}: the reference agent fails ({info})")
        _require(info["violations"] == 0.0, f"{what}: the reference agent breaks {env.episode.violations}")
        _require(info["outcome"] != "dissatisfied", f"{what}: the reference agent was left")


def check_vector(env_id: str, *, num_envs: int = 4, **kwargs: Any) -> None:
    """The vector environment plays what `SyncVectorEnv` plays, in both autoreset modes."""
    from gymnasium.vector import AutoresetMode

    actions = _actions(_make(env_id, **kwargs), 100)
    for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP):
        ours = gym.make_vec(env_id, num_envs=num_envs, autoreset_mode=mode.value, **kwargs)
        sync = gym.make_vec(
            env_id,
            num_envs=num_envs,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": mode},
            **kwargs,
        )
        _require(_same(ours.reset(seed=1), sync.reset(seed=1)), f"{env_id}: {mode}: the resets differ")
        for step in range(3 * STEPS):
            given = tuple(actions[(step * 7 + place) % len(actions)] for place in range(num_envs))
            _require(_same(ours.step(given), sync.step(given)), f"{env_id}: {mode}: step {step} differs")


CHECKS: Mapping[str, Callable[..., None]] = {
    "gymnasium": check_gymnasium,
    "determinism": check_determinism,
    "replay": check_replay,
    "isolation": check_isolation,
    "spaces": check_spaces,
    "random_play": check_random_play,
    "malformed_actions": check_malformed_actions,
    "info_schema": check_info_schema,
    "pickle": check_pickle,
    "vector": check_vector,
    "reference_solves": check_reference_solves,
}
"""Every check by name."""


def trajectory(
    env_id: str,
    *,
    seed: int,
    after: Callable[[TauEmotionEnv, Any, dict[str, Any]], None] | None = None,
    **kwargs: Any,
) -> bytes:
    """Two episodes of sampled actions, as JSON: observations, rewards, flags and infos.

    Args:
        env_id: the environment.
        seed: of the reset and of the action space.
        after: called as `after(env, observation, info)` once each result has been noted.
        kwargs: for `gymnasium.make`.
    """
    env = _make(env_id, **kwargs)
    lines = []
    for episode in range(2):
        result: tuple[Any, ...] = env.reset(seed=None if episode else seed)
        for action in ({}, *_actions(env, STEPS, seed=seed)):
            if action:
                if result[2:] and (result[2] or result[3]):
                    break
                result = env.step(action)
            lines.append(msgspec.json.encode(result, order=None))
            if after is not None:
                after(env, result[0], result[-1])
    return b"\n".join(lines)


def _make(env_id: str, **kwargs: Any) -> TauEmotionEnv:
    env = gym.make(env_id, **kwargs).unwrapped
    _require(isinstance(env, TauEmotionEnv), f"{env_id} is not an environment of this package")
    assert isinstance(env, TauEmotionEnv)
    return env


def _actions(env: TauEmotionEnv, count: int, *, seed: int = 0) -> list[Any]:
    """Sampled actions, no hand-offs among the first few."""
    env.action_space.seed(seed)
    drawn = (env.action_space.sample() for _ in range(100 * count))
    kept: Iterator[Any] = (action for action in drawn if action["name"] != "transfer_to_human")
    return [respond("Hello, what can I do for you?"), *(next(kept) for _ in range(count - 1))]


def _rest(env: TauEmotionEnv, actions: Sequence[Any]) -> list[Any]:
    found = []
    for action in actions:
        if env.episode.outcome is not None:
            break
        found.append(env.step(action))
    return [*found, env.reset()]


def _same(left: Any, right: Any) -> bool:
    """Equality of what vector environments return, types of arrays and keys included."""
    if isinstance(left, np.ndarray):
        return (
            isinstance(right, np.ndarray)
            and left.dtype == right.dtype
            and len(left) == len(right)
            and all(_same(*pair) for pair in zip(left.tolist(), right.tolist(), strict=True))
        )
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, tuple | list):
        return len(left) == len(right) and all(_same(*pair) for pair in zip(left, right, strict=True))
    return type(left) is type(right) and bool(left == right)


def _global_state() -> bytes:
    """The state of the interpreter's and numpy's global generators."""
    return pickle.dumps((random.getstate(), np.random.get_state()))


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ConformanceError(message)
