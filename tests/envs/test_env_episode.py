"""Resets, steps and ends of the environment."""

import io
import pickle
import sys

import gymnasium as gym
import pytest
from gymnasium.error import Error, ResetNeeded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tau_emotion_gym import call, respond
from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.emotions import CONDITIONS, FAMILIES, EmotionCondition

HELLO = respond("Hello, how can I help?")


@pytest.fixture
def env(lending):
    return gym.make(lending)


def play(env, agent_name="reference", **reset):
    """Play one episode; the list of everything that came back."""
    agent = make_agent(agent_name)
    results = [env.reset(**reset)]
    agent.reset(env.unwrapped.domain, env.unwrapped.episode.task)
    observation, ended = results[0][0], False
    while not ended:
        results.append(env.step(agent.act(observation)))
        observation, _, terminated, truncated, _ = results[-1]
        ended = terminated or truncated
    return results


def test_whole_conversation(env):
    results = play(env, seed=3, options={"emotion": None})
    assert results[0][0]["role"] == "user"
    *_, (observation, reward, terminated, truncated, info) = results
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["success"] == info["state_match"] == info["outputs_match"] == 1.0
    assert info["outcome"] in ("satisfied", "handed_off")
    assert all(result[1] == 0.0 and result[4]["outcome"] == "" for result in results[1:-1])
    assert observation["content"]


def test_step_after_the_end(env):
    play(env, seed=3)
    for each in (env, env.unwrapped):
        with pytest.raises(ResetNeeded, match="reset"):
            each.step(HELLO)
    assert env.reset()[0]["role"] == "user"


def test_before_the_first_reset(env):
    with pytest.raises(ResetNeeded):
        env.unwrapped.step(HELLO)
    with pytest.raises(ResetNeeded):
        env.unwrapped.episode  # noqa: B018
    with pytest.raises(ResetNeeded):
        env.step(HELLO)


def test_step_limit_truncates_and_costs_what_is_priced(lending):
    env = gym.make(lending, max_steps=3, reward={"step": -0.5})
    env.reset(seed=1)
    for _ in range(2):
        assert env.step(call("calculate", expression="1 + 1"))[1:4] == (0.0, False, False)
    observation, reward, terminated, truncated, info = env.step(HELLO)
    assert observation["role"] == "tool"
    assert observation["name"] == "episode"
    assert "3 steps" in observation["content"]
    assert (reward, terminated, truncated) == (-1.5, False, True)
    assert info["outcome"] == "step_limit"
    assert info["mask_sample"] == 0.0


def test_leaving_costs(lending):
    env = gym.make(lending, emotion="anger/exasperation/cold/high/skeptical")
    env.reset(seed=1)
    for _ in range(50):
        _, reward, terminated, truncated, info = env.step(respond("Please wait. That is not my problem."))
        if terminated or truncated:
            break
    assert (reward, terminated, info["outcome"]) == (-1.0, True, "dissatisfied")


def test_reward_terms(lending):
    env = gym.make(lending, reward={"success": 10.0, "step": -0.125}, emotion=None)
    *_, (_, reward, terminated, _, info) = play(env, seed=3)
    assert terminated
    assert reward == 10.0 - 0.125 * info["steps"]


@pytest.mark.parametrize("turn", [0, 1])
def test_failing_server(lending, turn):
    env = gym.make(lending, user={"kind": "stand_in_users:FailsAt", "turn": turn})
    observation, info = env.reset(seed=1)
    if turn == 0:
        assert observation == {"role": "tool", "name": "episode", "content": "the server said 503"}
        assert info["outcome"] == "infrastructure"
        assert info["mask_sample"] == 1.0
    else:
        assert observation["role"] == "user"
        assert info["mask_sample"] == 0.0
    observation, reward, terminated, truncated, info = env.step(HELLO)
    assert observation == {"role": "tool", "name": "episode", "content": "the server said 503"}
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["outcome"] == "infrastructure"
    assert info["mask_sample"] == 1.0
    with pytest.raises(ResetNeeded):
        env.step(HELLO)


def test_user_decides_by_its_default(lending):
    assert gym.make(lending).unwrapped._stream.next().user_exit == "affect"
    own = gym.make(lending, user="stand_in_users:Model")
    own.reset(seed=1)
    assert own.unwrapped.episode.user_exit == "model"
    chosen = gym.make(lending, user="stand_in_users:Model", user_exit="either")
    chosen.reset(seed=1)
    assert chosen.unwrapped.episode.user_exit == "either"


def test_closing_lets_go_of_the_user(lending):
    env = gym.make(lending, user="stand_in_users:Model")
    user = env.unwrapped.user
    env.close()
    env.close()
    assert user.closed
    env.reset(seed=1)
    assert env.unwrapped.user is not user


class TestSeeds:
    def test_same_seed_same_episode_six_times(self, env):
        openings = {str(env.reset(seed=7)) for _ in range(6)}
        assert len(openings) == 1

    def test_seedless_resets_go_on_from_the_seed(self, env):
        def run():
            return [env.reset(seed=5), *(env.reset() for _ in range(5))]

        first = run()
        assert first == run()
        assert len({info["episode_seed"] for _, info in first}) == 6

    def test_seeds_reach_many_tasks(self, env):
        tasks = [env.reset(seed=seed)[1]["task_id"] for seed in range(300)]
        assert len(set(tasks)) > 80

    def test_unseeded_environments_differ(self, lending):
        seeds = {gym.make(lending).reset()[1]["episode_seed"] for _ in range(5)}
        assert len(seeds) == 5

    @pytest.mark.parametrize("seed", [-1, 1.5, "7"])
    def test_bad_seed(self, env, seed):
        with pytest.raises(Error, match="integer from 0 to"):
            env.reset(seed=seed)

    def test_numpy_generator_is_gymnasiums(self, env):
        from gymnasium.utils import seeding

        env.reset(seed=11)
        assert env.unwrapped.np_random_seed == 11
        assert env.unwrapped.np_random.random() == seeding.np_random(11)[0].random()
        drawn = env.unwrapped.np_random.random()
        env.reset()
        assert env.unwrapped.np_random.random() != drawn
        env.unwrapped.np_random = seeding.np_random(3)[0]
        assert env.unwrapped.np_random_seed == -1


class TestOptions:
    def test_task(self, env):
        ids = list(env.unwrapped.domain.test_tasks)
        for task_id in (ids[4], ids[-1], "train-9-2"):
            assert env.reset(options={"task_id": task_id})[1]["task_id"] == task_id

    def test_options_hold_for_one_episode(self, env):
        plain = [env.reset(seed=2), env.reset(), env.reset()]
        env.reset(seed=2)
        env.reset(options={"task_id": "train-0-1", "emotion": "fear"})
        assert env.reset() == plain[2]

    def test_explicit_none_is_neutral_and_absent_is_the_setting(self, lending):
        env = gym.make(lending, emotion="anger")
        assert env.reset(seed=1)[1]["emotion"].startswith("anger/")
        neutral = env.reset(seed=1, options={"emotion": None})[1]["emotion"]
        assert not neutral.startswith("anger/")
        assert env.unwrapped.episode.condition is None
        assert env.reset(seed=1, options={})[1]["emotion"].startswith("anger/")

    def test_emotion_does_not_change_the_task(self, env):
        tasks = {env.reset(seed=4, options={"emotion": family})[1]["task_id"] for family in (*FAMILIES, None)}
        assert len(tasks) == 1

    @pytest.mark.parametrize("value", [-1, 2**64, 1.5, "x", ""])
    def test_bad_episode_seed(self, env, value):
        with pytest.raises(ValueError, match="episode_seed"):
            env.reset(options={"episode_seed": value})

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"task": "x"}, ["task_id", "did you mean"]),
            ({"task_id": "no_such_task"}, ["no_such_task"]),
            ({"emotion": "angr"}, ["anger"]),
            ({"emotion": 594}, ["593"]),
            ({"seed": 3}, ["task_id", "emotion", "episode_seed"]),
        ],
    )
    def test_unknown_names_tell_the_valid_ones(self, env, options, words):
        with pytest.raises(ValueError, match="unknown") as error:
            env.reset(options=options)
        assert all(word in str(error.value) for word in words)


FORMS = [
    (None, None),
    ("neutral", None),
    ("fear", "fear/"),
    ("frustration", "anger/frustration/"),
    ("anger/frustration/cold/high/skeptical", "anger/frustration/cold/high/skeptical"),
    ("enjoyment/*/cold", "enjoyment/"),
    ("random", ""),
    (17, CONDITIONS[17].path),
    (EmotionCondition("sadness", "sorrow", "warm", "low", "trusting"), "sadness/sorrow/warm/low/trusting"),
]


@pytest.mark.parametrize(("spec", "start"), FORMS)
@pytest.mark.parametrize("where", ["make", "reset"])
def test_every_form_of_emotion(lending, where, spec, start):
    env = gym.make(lending, **({"emotion": spec} if where == "make" else {}))
    _, info = env.reset(seed=1, options={"emotion": spec} if where == "reset" else None)
    if start is None:
        assert env.unwrapped.episode.condition is None
    else:
        assert info["emotion"].startswith(start)


def test_task_emotion_is_the_assigned_one(lending):
    env = gym.make(lending)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        assert info["emotion"] == CONDITIONS[env.unwrapped.episode.task.condition].path


class TestTasks:
    def ids(self, env, *, seed, count):
        return [env.reset(seed=seed if n == 0 else None)[1]["task_id"] for n in range(count)]

    def test_list_goes_round_from_the_seeds_place(self, lending):
        tasks = list(gym.make(lending).unwrapped.domain.test_tasks)[:3]
        env = gym.make(lending, tasks=tasks)
        assert self.ids(env, seed=None, count=4) == [*tasks, tasks[0]]
        assert self.ids(env, seed=4, count=3) == [tasks[1], tasks[2], tasks[0]]
        assert {env.reset(seed=seed)[1]["task_id"] for seed in range(3)} == set(tasks)

    def test_cursor_walks_the_test_split(self, lending):
        env = gym.make(lending, tasks={"start": 98, "step": 1})
        all_ids = list(env.unwrapped.domain.test_tasks)
        assert self.ids(env, seed=40, count=3) == [all_ids[98], all_ids[99], all_ids[0]]
        assert self.ids(env, seed=41, count=1) == [all_ids[98]]

    def test_cursor_walks_train_tasks_without_end(self, lending):
        env = gym.make(lending, split="train", world_seed=2, tasks={"start": 5000, "step": 3})
        assert self.ids(env, seed=0, count=2) == ["train-2-5000", "train-2-5003"]

    def test_train_pool(self, lending):
        env = gym.make(lending, split="train", world_seed=2)
        ids = self.ids(env, seed=0, count=50)
        assert len(set(ids)) > 40
        assert all(id.startswith("train-2-") and int(id.split("-")[2]) < 1000 for id in ids)


class TestRender:
    def test_ansi(self, lending):
        env = gym.make(lending, render_mode="ansi")
        opening, _ = env.reset(seed=1)
        env.step(respond("<think>hm</think>Hello, " + "very long " * 30))
        env.step(call("get_member", member_id="M1"))
        env.step({"name": "respond", "arguments": {}})
        text = env.render()
        assert text.startswith("Customer  ")
        assert opening["content"].split()[0] in text.splitlines()[0]
        for label in ("Agent     (thinks: hm)", "Call      get_member", "Result    Error: no member"):
            assert label in text
        assert max(map(len, text.splitlines())) <= 100

    def test_human_prints_each_turn_once(self, lending, capsys):
        env = gym.make(lending, render_mode="human")
        opening, _ = env.reset(seed=1)
        assert opening["content"].split()[0] in capsys.readouterr().out
        env.step(respond("Greetings from the desk"))
        assert env.render() is None
        assert capsys.readouterr().out.count("Greetings from the desk") == 1

    def test_console_that_knows_ascii_only(self, lending, monkeypatch):
        console = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        env = gym.make(lending, render_mode="human")
        monkeypatch.setattr(sys, "stdout", console)
        env.reset(seed=1)
        env.step(respond("Ça va — 你好"))
        console.flush()
        assert b"?a va" in console.buffer.getvalue()

    def test_nothing_before_the_first_reset(self, lending):
        assert gym.make(lending, render_mode="ansi").unwrapped.render() == ""


def test_policy_and_tools(env):
    base = env.unwrapped
    assert "{rules}" not in base.policy
    names = [tool["function"]["name"] for tool in base.tools]
    assert "transfer_to_human" in names
    assert "respond" not in names
    assert "think" not in names
    assert all(tool["type"] == "function" for tool in base.tools)


def test_think_tool(lending):
    env = gym.make(lending, think_tool=True)
    assert "think" in [tool["function"]["name"] for tool in env.unwrapped.tools]
    env.reset(seed=1)
    assert env.step(call("think", thought="hm"))[4]["tool_calls"] == 0.0


JSON_LIKE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["\ud800", "respond", "calculate", "pay_fees", "name", "arguments", "1e999", object()]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text() | st.sampled_from(["content", "expression", "amount", "member_id"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
NAMES = st.sampled_from(["respond", "calculate", "pay_fees", "place_hold", "get_member", "transfer_to_humans"])
ACTIONS = (
    JSON_LIKE
    | st.fixed_dictionaries({"name": NAMES, "arguments": JSON_LIKE})
    | st.fixed_dictionaries({"name": JSON_LIKE, "arguments": JSON_LIKE})
    | st.fixed_dictionaries({"name": NAMES, "arguments": st.text() | JSON_LIKE.map(repr)})
    | st.fixed_dictionaries(
        {"name": NAMES, "arguments": st.fixed_dictionaries({"member_id": JSON_LIKE, "amount": JSON_LIKE})}
    )
)


@given(st.lists(ACTIONS, min_size=1, max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
def test_anything_may_be_sent_as_an_action(lending, actions):
    env = gym.make(lending, emotion=None).unwrapped
    env.reset(seed=1)
    for count, action in enumerate(actions, 1):
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space
        observation["content"].encode()
        assert info["steps"] == count
        assert reward == 0.0
        assert not truncated
        if terminated:
            break
    pickle.loads(pickle.dumps(env))
    assert env.reset(seed=1)[0]["role"] == "user"


def test_actions_may_be_changed_after_the_step(env):
    env.reset(seed=1)
    action = call("calculate", expression="1 + 1")
    env.step(action)
    action["arguments"].clear()
    assert env.unwrapped.episode.calls[-1].arguments == {"expression": "1 + 1"}


def test_fork_is_independent(env):
    env.reset(seed=2)
    env.step(HELLO)
    base = env.unwrapped
    base.action_space.seed(0)
    twin = base.fork()
    assert base.action_space.sample() == twin.action_space.sample()
    base.step(call("get_member", member_id="M1"))
    assert twin.episode.steps == 1
    assert twin.reset() == base.reset()
