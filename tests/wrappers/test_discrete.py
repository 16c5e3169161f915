"""Macro-actions: a fixed set, grounded in the dialogue, masked only where they cannot be carried out."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from macro_play import at_random, discrete, oracle_actions

from tau_emotion_gym.episode import call
from tau_emotion_gym.kit import Kind, load, names
from tau_emotion_gym.tasks.arguments import leaves
from tau_emotion_gym.tasks.graph import GENERIC
from tau_emotion_gym.wrappers import DiscreteActions, ModelText
from tau_emotion_gym.wrappers.linker import Linker
from tau_emotion_gym.wrappers.macros import TALK, macros_of
from tau_emotion_gym.wrappers.wording import NO_NEWS, PROPOSAL

DOMAINS = names(added=False)


def by_name(env: gym.Env, name: str) -> int:
    return env.get_wrapper_attr("action_names").index(name)


@pytest.mark.parametrize("name", DOMAINS)
def test_the_actions_are_the_talk_the_slots_the_tools_and_the_reasons(name):
    domain = load(name)
    found = macros_of(domain).names
    tools = [tool for tool in domain.tools if tool not in ("transfer_to_human", "think")]
    assert list(found) == [
        *TALK,
        *(f"ask:{slot}" for slot in domain.slots),
        *(f"call:{tool}" for tool in tools),
        *(f"hand_off:{reason}" for reason in domain.reasons),
    ]


def test_the_set_is_the_same_for_every_task():
    env = discrete()
    space, found = env.action_space, env.action_names
    for seed in range(5):
        env.reset(seed=seed)
        assert (env.action_space, env.action_names, len(env.action_masks())) == (space, found, space.n)


@pytest.mark.parametrize("name", DOMAINS)
def test_macro_actions_suffice_for_the_test_tasks(name):
    """An agent that knows the task solves it by them alone, without breaking policy."""
    domain = load(name)
    env = discrete(domain.title)
    solved = 0
    for task_id in domain.test_tasks:
        env.reset(seed=0, options={"task_id": task_id})
        for action in oracle_actions(env):
            assert env.action_masks()[action]
            *_, info = env.step(action)
        solved += info["strict_success"]
    assert solved >= 0.95 * len(domain.test_tasks)


# --- masks ------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(DOMAINS), st.integers(0, 10_000))
def test_only_calls_are_ever_masked_and_what_is_open_can_be_carried_out(name, seed):
    env = discrete(load(name).title, split="train", emotion="random")
    env.reset(seed=seed)
    calls = np.array([action.startswith("call:") for action in env.action_names])
    for action in at_random(env, seed):
        assert (env.action_masks() | calls).all()
        env.step(action)
    assert env.unwrapped.episode.malformed == 0


def test_a_masked_call_is_an_error_turn():
    env = discrete()
    env.reset(seed=1)
    masked = by_name(env, "call:get_order")
    assert not env.action_masks()[masked]
    observation, reward, terminated, truncated, info = env.step(masked)
    assert observation["content"].startswith("Error")
    assert (reward, terminated, truncated, info["tool_errors"]) == (0.0, False, False, 1.0)


def test_a_write_that_nobody_agreed_to_is_open_and_counts_against_policy():
    env = discrete()
    env.reset(seed=0, options={"task_id": write_task()})
    for action in oracle_actions(env):
        if env.action_names[action] == "confirm":
            break
        env.step(action)
    reference = Linker([env.unwrapped.domain]).dialogues[env.unwrapped.episode].reference
    write = next(step.call.name for step in reference.steps if step.writes)
    action = by_name(env, f"call:{write}")
    assert env.action_masks()[action]
    *_, info = env.step(action)
    assert info["violations"] >= 1.0


def write_task() -> str:
    """A task whose only goal ends in a write."""
    tasks = load("retail").test_tasks
    return next(key for key, task in tasks.items() if [goal.kind.value for goal in task.goals] == ["fulfil"])


@pytest.mark.parametrize("name", DOMAINS)
def test_handing_off_refusing_and_closing_are_open_at_once(name):
    env = discrete(load(name).title)
    env.reset(seed=3)
    mask = env.action_masks()
    for action in ("refuse", "report", "close", "confirm", f"hand_off:{load(name).reasons[0]}"):
        assert mask[by_name(env, action)]
    *_, terminated, _, info = env.step(by_name(env, f"hand_off:{load(name).reasons[-1]}"))
    assert terminated
    assert info["outcome"] == "handed_off"


def test_it_wraps_environments_that_take_plain_actions():
    for changed in (ModelText(gym.make("TauEmotion-Retail-v0")), discrete()):
        with pytest.raises(TypeError, match="makes plain actions"):
            DiscreteActions(changed)


@pytest.mark.parametrize("action", [-1, 10_000, float("inf"), "x", None, "3", b"1", 1.5, True])
def test_what_is_no_number_of_an_action_is_an_error_turn(action):
    env = discrete("Retail")
    env.reset(seed=1)
    observation, _, terminated, truncated, info = env.step(action)
    assert observation["content"].startswith("Error: an action is")
    assert (terminated, truncated, info["outcome"], info["steps"]) == (False, False, "", 1.0)


# --- grounding --------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(DOMAINS), st.integers(0, 10_000))
def test_every_id_in_a_call_was_shown_in_the_dialogue(name, seed):
    env = discrete(load(name).title, split="train", emotion="random")
    env.reset(seed=seed)
    episode = env.unwrapped.episode
    for action in at_random(env, seed):
        before = "\n".join(turn.content for turn in episode.transcript if turn.role in ("user", "tool")).lower()
        made = env.action(action)
        if made["name"] in episode.tools:
            tool = episode.tools[made["name"]]
            bound = {key: getattr(tool.bind(made["arguments"]), key) for key in made["arguments"]}
            for leaf in leaves(tool, bound, bound):
                assert leaf.kind is None or leaf.kind in GENERIC or str(leaf.value).lower() in before
        env.step(action)


def test_a_write_takes_no_amount_that_nobody_asked_for():
    """Before the customer's line is served, amounts of its bills are shown; no credit is to be had for them."""
    env = discrete("Telecom")
    task = next(task for task in load("telecom").test_tasks.values() if task.goals[0].kind is Kind.INFORM)
    env.reset(seed=1, options={"task_id": task.id})
    for action in oracle_actions(env):
        env.step(action)
        assert not env.action_masks()[by_name(env, "call:apply_goodwill_credit")]
    assert Linker([env.unwrapped.domain]).dialogues[env.unwrapped.episode].by_kind["money"]


def test_without_grounds_a_sentence_has_no_content():
    env = discrete()
    env.reset(seed=0, options={"task_id": write_task()})
    assert env.action(by_name(env, "confirm"))["arguments"]["content"].startswith(PROPOSAL)
    assert env.action(by_name(env, "report"))["arguments"]["content"] == NO_NEWS
    refusal = env.action(by_name(env, "refuse"))["arguments"]["content"]
    assert not any(sign.isdigit() for sign in refusal)


def test_a_guess_can_be_wrong():
    """Played at random, calls are made that no reference makes, and the state goes wrong."""
    env = discrete(emotion=None)
    wrong = 0
    for seed in range(30):
        env.reset(seed=seed)
        for action in at_random(env, seed, 60):
            *_, info = env.step(action)
        wrong += bool(info["violations"])
    assert wrong > 3


# --- state ------------------------------------------------------------------------------------------------


def test_a_fork_and_a_pickle_go_on_alike():
    env = discrete(split="train", emotion="anger")
    env.reset(seed=3)
    for action in at_random(env, 3, 8):
        env.step(action)
    twin = DiscreteActions(env.unwrapped.fork())
    copy = pickle.loads(pickle.dumps(env))
    for action in at_random(env, 9, 12):
        for other in (twin, copy):
            assert np.array_equal(other.action_masks(), env.action_masks())
            assert other.action(action) == env.action(action)
        shown = env.step(action)[0]
        assert twin.step(action)[0] == copy.step(action)[0] == shown


def test_an_action_does_nothing_to_the_episode_before_it_is_taken():
    env = discrete()
    env.reset(seed=4)
    turns = len(env.unwrapped.episode.transcript)
    assert env.action(by_name(env, "acknowledge")) == env.action(by_name(env, "acknowledge"))
    assert len(env.unwrapped.episode.transcript) == turns


def test_only_environments_of_this_package_are_wrapped():
    with pytest.raises(TypeError, match="tau_emotion_gym"):
        DiscreteActions(gym.make("CartPole-v1"))


def test_the_plain_actions_still_work_underneath():
    env = discrete()
    env.reset(seed=1)
    observation, *_ = env.env.step(call("get_order", order_id="R0000000"))
    assert observation["name"] == "get_order"
