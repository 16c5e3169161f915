"""A configuration is checked as a whole before anything is played, and its plan follows from it alone."""

import shutil
from collections import Counter

import gymnasium as gym
import pytest

from tau_emotion_gym.episode import call
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.kit import names
from tau_emotion_gym.rollouts import make_config, plan
from tau_emotion_gym.rollouts.identity import differences, hash_of, identity


def test_a_plan_has_every_task_trial_and_arm_once(config):
    places = plan(config(("retail", "airline"), tasks=5, trials=3, arms=("task", "neutral")))
    assert len({place.key for place in places}) == len(places) == 2 * 5 * 3 * 2
    assert Counter(place.domain for place in places[:12]) == {"retail": 6, "airline": 6}


def test_arms_are_paired_and_trials_are_not(config):
    places = plan(config(tasks=6, trials=4, arms=("task", "neutral", "anger", "random")))
    seeds = {}
    for place in places:
        seeds.setdefault((place.task_id, place.trial), set()).add(place.seed)
    assert all(len(shared) == 1 for shared in seeds.values())
    assert len({seed for shared in seeds.values() for seed in shared}) == len(seeds)
    by_arm = {arm: {place.emotion for place in places if place.arm == arm} for arm in ("neutral", "anger", "random")}
    assert by_arm["neutral"] == {"neutral"}
    assert {emotion.split("/")[0] for emotion in by_arm["anger"]} == {"anger"}
    assert len(by_arm["random"]) > 10


def test_seeds_follow_from_the_run_seed_and_the_domain(config):
    one, other = plan(config()), plan(config(seed=1))
    assert [place.task_id for place in one] == [place.task_id for place in other]
    assert {place.seed for place in one}.isdisjoint(place.seed for place in other)
    assert {place.seed for place in one}.isdisjoint(place.seed for place in plan(config(["airline"])))
    assert plan(config()) == one


def test_tasks_by_id_and_of_the_train_split(config):
    assert [place.task_id for place in plan(config(tasks=("test-007", "test-001")))] == ["test-007", "test-001"]
    train = plan(config(split="train", tasks=3, world_seed=2))
    assert [place.task_id for place in train] == ["train-2-0", "train-2-1", "train-2-2"]
    assert len(plan(config(tasks=None))) == 100


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"domains": ["retial"]}, "did you mean 'retail'"),
        ({"agent": "referense"}, "did you mean 'reference'"),
        ({"agent": {"kind": "rollout_stand_ins:Seeded", "tempo": 1}}, "tempo"),
        ({"agent": 7}, "agent"),
        ({"user": "scriptd"}, "did you mean 'scripted'"),
        ({"split": "tset"}, "did you mean 'test'"),
        ({"split": "train", "tasks": None}, "has no end"),
        ({"tasks": 101}, "has 100 test tasks, not 101"),
        ({"tasks": 0}, "tasks is at least 1"),
        ({"tasks": ("test-999",)}, "test-999"),
        ({"tasks": ("test-001", "test-001")}, "test-001 given twice"),
        ({"arms": ("angr",)}, "did you mean 'anger'"),
        ({"arms": ("task", "Task ")}, "task given twice"),
        ({"arms": ()}, "arms of a run: none given"),
        ({"domains": []}, "domains of a run: none given"),
        ({"trials": 0}, "trials is at least 1"),
        ({"trials": "3"}, "Expected `int`"),
        ({"seed": -1}, "seed is at least 0"),
        ({"max_steps": 0}, "max_steps is at least 1"),
        ({"user_exit": "affects"}, "did you mean 'affect'"),
        ({"reward": {"sucess": 1.0}}, "did you mean 'success'"),
        ({"trails": 3}, "did you mean 'trials'"),
        ({"agent": {"kind": "openai", "model": "m", "api_key": "sk-1"}}, "environment variable"),
        ({"agent": {"kind": "openai", "model": "m", "base_url": "https://me:sk-1@host/v1"}}, "environment variable"),
        ({"agent": {"kind": "openai", "model": "m", "base_url": "https://host/v1?Key=sk-1"}}, "environment variable"),
        ({"user": {"kind": "llm", "model": {"kind": "openai", "Authorization": "x"}}}, "environment variable"),
        ({"agent": {"kind": "openai", "model": "m", "api_key_env": "sk-1"}}, "name of an environment variable"),
        ({"agent": {"kind": "openai", "model": "m", "api_key_env": "gsk_1234567"}}, "name of an environment variable"),
        ({"agent": {"kind": "openai", "model": "m", "base_url": "https://sk-1@host/v1"}}, "environment variable"),
        ({"agent": {"kind": "openai", "model": "m", "base_url": "https://h/v1?access_token=sk-1"}}, "environment var"),
        ({"agent": {"kind": "openai", "model": "m", "extra_body": {"h": [{"X-Api-Key": "sk-1"}]}}}, "environment var"),
        ({"agent": {"kind": "vllm", "model": "m", "engine": {"hf_token": "sk-1"}}}, "environment variable"),
    ],
)
def test_wrong_values_are_named_at_once(wrong, message):
    arguments = {"domains": ["retail"], "agent": "reference", "tasks": 2, **wrong}
    with pytest.raises((UnknownName, TypeError, ValueError), match=message) as caught:
        make_config(**arguments)
    assert "sk-1" not in str(caught.value)
    assert "gsk_" not in str(caught.value)


def test_options_with_innocent_names_are_no_keys():
    body = {"max_tokens": 5, "prompt_cache_key": "x", "stop_token_ids": [1], "skip_special_tokens": True}
    agent = {"kind": "openai", "model": "hf-internal-testing/tiny", "api_key_env": "MY_KEY_2", "extra_body": body}
    assert make_config(["retail"], agent={**agent, "base_url": "http://hf-node:8000/v1?v=2"}, tasks=1).agent


def test_a_domain_of_ones_own_is_named_by_its_folder(library, tmp_path):
    folder = tmp_path / "reading_nook"
    shutil.copytree(library.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / "__init__.py").read_text(encoding="utf-8")
    text = text.replace('"library"', '"reading_nook"').replace('"Library"', '"ReadingNook"')
    (folder / "__init__.py").write_text(text, encoding="utf-8")
    made = make_config([folder], agent="reference", split="train", tasks=2)
    assert made.domains == ("reading_nook",)
    assert made.folders == {"reading_nook": str(folder)}
    assert len(plan(made)) == 2
    assert "reading_nook" in names()


def test_what_decides_what_is_said_is_the_run_and_what_decides_how_fast_is_not(config):
    def same(**arguments):
        return identity(config(**arguments))

    agent = {"kind": "rollout_stand_ins:Seeded"}
    one = same(agent=agent)
    assert hash_of(one) == hash_of(same(agent=agent, user_exit="affect"))
    assert differences(one, same(agent={**agent, "base_url": "http://elsewhere/v1"})) == []
    for changed, where in (
        ({"agent": {**agent, "temperature": 1.0}}, "agent.temperature: 0.0 before, 1.0 now"),
        ({"agent": {**agent, "prompt": "Be brief."}}, "agent.prompt: 'Be kind.' before, 'Be brief.' now"),
        ({"agent": "reference"}, "agent.config.kind"),
        ({"user": "rollout_stand_ins:SlowUser"}, "user.config.kind"),
        ({"user_exit": "model"}, "plan.user_exit: 'affect' before, 'model' now"),
        ({"seed": 5}, "plan.seed: 0 before, 5 now"),
        ({"domains": ["airline"]}, "domains.airline"),
    ):
        other = same(**{"agent": agent, **changed})
        assert hash_of(other) != hash_of(one)
        assert any(where in line for line in differences(one, other)), where


def test_task_condition_and_seed_replay_an_episode_in_an_environment(play, logged):
    play(agent="friction", tasks=3, trials=2, arms=("task", "anger", "neutral"))
    for record in logged().values():
        env = gym.make("TauEmotion-Retail-v0", max_episode_steps=None)
        place = record.place
        options = {"task_id": place.task_id, "emotion": place.emotion, "episode_seed": place.seed}
        observation, info = env.reset(seed=3, options=options)
        seen, reward = [observation["content"]], 0.0
        for turn in record.transcript:
            if turn.role in ("agent", "call"):
                action = call("respond", content=turn.content) if turn.role == "agent" else _called(turn)
                observation, reward, *_, info = env.step(action)
                seen.append(observation["content"])
        assert seen == [turn.content for turn in record.transcript if turn.role in ("user", "tool")]
        assert (reward, info["outcome"]) == (record.reward, record.outcome)


def _called(turn):
    return {"name": turn.name, "arguments": turn.content}
