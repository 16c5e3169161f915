"""The vector environment."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
import stand_in_users
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from own_domain import copy_library, forget

from tau_emotion_gym import TauEmotionVectorEnv, call, respond
from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.envs.spaces import MessagesSpace, TurnSpace
from tau_emotion_gym.episode import INFO_KEYS
from tau_emotion_gym.testing import _same

HELLO = respond("Hello, how can I help?")
SUM = call("calculate", expression="1 + 1")
END = call("transfer_to_human", reason="other", summary="")


def make(env_id, n=4, **kwargs) -> TauEmotionVectorEnv:
    return gym.make_vec(env_id, num_envs=n, **kwargs)


def test_default_mode(lending):
    envs = make(lending)
    assert isinstance(envs, TauEmotionVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.num_envs == 4
    assert envs.single_observation_space == TurnSpace()
    assert envs.single_action_space == gym.make(lending).action_space
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert envs.action_space.sample() in envs.action_space
    assert set(infos) == {*INFO_KEYS, *(f"_{key}" for key in INFO_KEYS)}


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("form", ["member", "value", "name"])
def test_modes_by_any_name(lending, mode, form):
    spec = {"member": mode, "value": mode.value, "name": mode.name}[form]
    assert make(lending, autoreset_mode=spec).metadata["autoreset_mode"] is mode


def script(n, steps):
    """Actions that end episodes at different times, by the user, by hand-off and by the limit."""
    kinds = [HELLO, SUM, {"name": "x"}, END, respond("Please wait. That is not my problem.")]
    return [tuple(kinds[(3 * step + 5 * place + step * place) % 5] for place in range(n)) for step in range(steps)]


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize("max_steps", [1, 6])
def test_same_as_sync(lending, mode, max_steps):
    ours = make(lending, 5, autoreset_mode=mode, max_steps=max_steps)
    sync = make(lending, 5, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, max_steps=max_steps)
    ends = 0
    for seed in (3, None):
        assert _same(ours.reset(seed=seed), sync.reset(seed=seed))
        for actions in script(5, 40):
            result = ours.step(actions)
            assert _same(result, sync.step(actions))
            ends += int((result[2] | result[3]).sum())
    assert ends > 20


def test_disabled_same_as_sync_with_masks(lending):
    mode = AutoresetMode.DISABLED
    ours = make(lending, 5, autoreset_mode=mode, max_steps=6)
    sync = make(lending, 5, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, max_steps=6)
    assert _same(ours.reset(seed=3), sync.reset(seed=3))
    for actions in script(5, 30):
        result = ours.step(actions)
        assert _same(result, sync.step(actions))
        over = result[2] | result[3]
        if over.any():
            options = {"reset_mask": over, "emotion": "fear"}
            assert _same(ours.reset(options=options), sync.reset(options=dict(options)))
            assert options.keys() == {"reset_mask", "emotion"}


def test_disabled_refuses_to_step_what_is_over(lending):
    envs = make(lending, autoreset_mode="Disabled")
    envs.reset(seed=1)
    envs.step([END, HELLO, HELLO, HELLO])
    with pytest.raises(ResetNeeded, match=r"\[0\]"):
        envs.step([HELLO] * 4)
    with pytest.raises(ValueError, match="selects no"):
        envs.reset(options={"reset_mask": np.zeros(4, dtype=bool)})
    with pytest.raises(TypeError, match="boolean"):
        envs.reset(options={"reset_mask": [True, False, False, False]})


def test_before_the_first_reset(lending):
    envs = make(lending)
    with pytest.raises(ResetNeeded):
        envs.step([HELLO] * 4)
    with pytest.raises(ResetNeeded, match="first reset is for all"):
        envs.reset(options={"reset_mask": np.array([True, False, False, False])})
    assert _same(envs.reset(seed=1), make(lending).reset(seed=1))


def test_number_of_actions(lending):
    envs = make(lending)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="3 actions for 4"):
        envs.step([HELLO] * 3)


def test_final_infos_and_types(lending):
    envs = make(lending)
    envs.reset(seed=1)
    _, rewards, terminated, truncated, infos = envs.step([END, HELLO, {"name": "x"}, SUM])
    assert rewards.dtype == np.float64
    assert terminated.tolist() == [True, False, False, False]
    assert truncated.dtype == np.bool_
    assert infos["final_info"]["outcome"].tolist() == ["handed_off", None, None, None]
    assert infos["final_obs"][0]["name"] == "transfer_to_human"
    assert infos["_final_info"].tolist() == [True, False, False, False]
    for key, kind in INFO_KEYS.items():
        column = infos[key]
        assert column.dtype == (object if kind is str else np.float64)
        assert infos[f"_{key}"].all()
    assert infos["steps"].tolist() == [0.0, 1.0, 1.0, 1.0]


class TestWaves:
    @pytest.fixture
    def waves(self):
        stand_in_users.WAVES.clear()
        return stand_in_users.WAVES

    def test_one_wave_per_step(self, lending, waves):
        envs = make(lending, 8, user="stand_in_users:Counting", max_steps=5)
        envs.reset(seed=1)
        assert waves == [8]
        for actions in script(8, 30):
            before = len(waves)
            envs.step(actions)
            assert len(waves) <= before + 1

    def test_openings_ride_on_the_first_wave(self, lending, waves):
        envs = make(lending, 4, user="stand_in_users:Counting")
        envs.reset(seed=1)
        envs.step([SUM] * 4)
        assert waves == [4]
        envs.step([SUM, SUM, SUM, HELLO])
        assert waves == [4, 5]
        envs.step([END] * 4)
        assert waves == [4, 5]

    def test_next_step_mode_asks_for_nothing_in_advance(self, lending, waves):
        envs = make(lending, 4, user="stand_in_users:Counting", autoreset_mode="NextStep")
        envs.reset(seed=1)
        envs.step([END, HELLO, HELLO, SUM])
        envs.step([HELLO] * 4)
        assert waves == [4, 2, 4]

    def test_what_was_asked_in_advance_does_not_shift_a_reset(self, lending):
        advanced, plain = make(lending, seed := 3), make(lending, 3)
        for envs in (advanced, plain):
            envs.reset(seed=seed)
        advanced.step([HELLO] * 3)
        assert _same(advanced.reset(), plain.reset())
        advanced.step([HELLO] * 3)
        assert _same(advanced.reset(seed=9), plain.reset(seed=9))


class TestGroups:
    def test_members_play_the_same_sequence(self, lending):
        envs = make(lending, 6, group_size=3)
        _, infos = envs.reset(seed=1)
        pairs = list(zip(infos["task_id"], infos["episode_seed"], strict=True))
        assert pairs[:3] == [pairs[0]] * 3
        assert pairs[3:] == [pairs[3]] * 3
        assert pairs[0] != pairs[3]
        _, _, _, _, infos = envs.step([END, HELLO, HELLO, HELLO, HELLO, HELLO])
        _, _, _, _, later = envs.step([HELLO, END, HELLO, HELLO, HELLO, HELLO])
        assert infos["episode_seed"][0] == later["episode_seed"][1] != pairs[0][1]

    def test_unseeded_groups(self, lending):
        _, infos = make(lending, 4, group_size=2).reset()
        seeds = infos["episode_seed"]
        assert seeds[0] == seeds[1] != seeds[2] == seeds[3]

    def test_wrong_sizes(self, lending):
        with pytest.raises(ValueError, match="multiple"):
            make(lending, 5, group_size=2)
        with pytest.raises(ValueError, match="one seed"):
            make(lending, 4, group_size=2).reset(seed=[1, 1, 2, 3])


class TestDealing:
    def played(self, envs, rounds, **reset):
        _, infos = envs.reset(**reset)
        later = [envs.step([END] * envs.num_envs)[4] for _ in range(rounds - 1)]
        return [each["task_id"].tolist() for each in (infos, *later)]

    def test_listed_tasks_are_dealt_round(self, lending):
        ids = list(gym.make(lending).unwrapped.domain.test_tasks)[:6]
        assert self.played(make(lending, 3, tasks=ids), 3) == [ids[:3], ids[3:], ids[:3]]
        assert self.played(make(lending, 3, tasks=ids), 2, seed=1) == [ids[1:4], [ids[4], ids[5], ids[0]]]

    def test_groups_are_dealt_as_one(self, lending):
        ids = list(gym.make(lending).unwrapped.domain.test_tasks)[:4]
        envs = make(lending, 4, tasks=ids, group_size=2)
        assert self.played(envs, 2) == [[ids[0]] * 2 + [ids[1]] * 2, [ids[2]] * 2 + [ids[3]] * 2]

    def test_cursor_is_shared_out(self, lending):
        envs = make(lending, 3, split="train", tasks={"start": 10, "step": 2})
        expected = [[f"train-0-{n}" for n in row] for row in ((10, 12, 14), (16, 18, 20))]
        assert self.played(envs, 2, seed=5) == expected


class TestOptions:
    def test_one_value_or_one_each(self, lending):
        envs = make(lending, 2)
        ids = list(gym.make(lending).unwrapped.domain.test_tasks)[:2]
        _, infos = envs.reset(seed=1, options={"task_id": ids, "emotion": "fear"})
        assert infos["task_id"].tolist() == ids
        assert all(name.startswith("fear/") for name in infos["emotion"])
        with pytest.raises(ValueError, match="3 values for 2"):
            envs.reset(options={"task_id": ["a", "b", "c"]})
        with pytest.raises(ValueError, match="unknown reset option"):
            envs.reset(options={"tasks": ids})

    def test_list_of_seeds(self, lending):
        envs = make(lending, 3)
        _, infos = envs.reset(seed=[4, 9, 4])
        seeds = infos["episode_seed"]
        assert seeds[0] == seeds[2] != seeds[1]
        assert infos["episode_seed"][1] == gym.make(lending).reset(seed=9)[1]["episode_seed"]
        with pytest.raises(ValueError, match="2 seeds for 3"):
            envs.reset(seed=[1, 2])


def test_some_openings_fail(lending):
    user = {"kind": "stand_in_users:FailsAt", "turn": 0, "every": False}
    envs = make(lending, 16, user=user)
    observations, infos = envs.reset(seed=1)
    failed = infos["mask_sample"] == 1.0
    assert 0 < failed.sum() < 16
    assert [o["name"] == "episode" for o in observations] == failed.tolist()
    _, rewards, terminated, truncated, infos = envs.step([SUM] * 16)
    assert truncated.tolist() == failed.tolist()
    assert not terminated.any()
    assert not rewards.any()
    assert set(infos["final_info"]["outcome"][failed]) == {"infrastructure"}


def test_codec(lending):
    envs = make(lending, 2, codec="chat_history")
    observations, _ = envs.reset(seed=1)
    assert envs.single_observation_space == MessagesSpace()
    assert observations in envs.observation_space
    assert [m["role"] for m in observations[0]] == ["system", "user"]
    observations, *_ = envs.step([SUM, END])
    assert [m["role"] for m in observations[0]] == ["system", "user", "assistant", "tool"]
    assert [m["role"] for m in observations[1]] == ["system", "user"]


@pytest.mark.parametrize(("codec", "error"), [("chat", ValueError), (3, TypeError), ("a:b", ValueError)])
def test_wrong_codec(lending, codec, error):
    with pytest.raises(error, match="codec"):
        make(lending, codec=codec)


def test_reference_agents_in_a_batch(lending):
    envs = make(lending, 8, emotion=None)
    observations, _ = envs.reset(seed=1)
    agents = [make_agent("reference") for _ in range(8)]
    for agent, episode in zip(agents, envs.episodes, strict=True):
        agent.reset(episode.domain, episode.task)
    ends = 0
    for _ in range(60):
        actions = [agent.act(observation) for agent, observation in zip(agents, observations, strict=True)]
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        for place in np.flatnonzero(terminated | truncated):
            assert rewards[place] == 1.0
            episode = envs.episodes[place]
            agents[place].reset(episode.domain, episode.task)
            ends += 1
    assert ends >= 16


def test_gymnasiums_vector_wrappers(lending):
    from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

    envs = DictInfoToList(RecordEpisodeStatistics(make(lending, 2)))
    _, infos = envs.reset(seed=1)
    assert [type(info["task_id"]) for info in infos] == [str, str]
    envs.step([HELLO, SUM])
    *_, infos = envs.step([END, HELLO])
    assert infos[0]["final_info"]["outcome"] == "handed_off"
    assert infos[0]["episode"]["l"] == 2


def test_policies_tools_and_rendering(lending):
    envs = make(lending, 2, render_mode="ansi")
    assert envs.render() == ("", "")
    envs.reset(seed=1)
    assert all(text.startswith("Customer") for text in envs.render())
    assert envs.policies == (gym.make(lending).unwrapped.policy,) * 2
    assert envs.tools[0] == gym.make(lending).unwrapped.tools
    assert make(lending, 2).render() is None


def test_pickle_goes_on_alike(lending):
    envs = make(lending, 4, user="stand_in_users:Model")
    envs.reset(seed=1)
    envs.step([HELLO, SUM, END, HELLO])
    twin = pickle.loads(pickle.dumps(envs))
    for actions in script(4, 20):
        assert _same(envs.step(actions), twin.step(actions))
    user = envs.user
    envs.close()
    envs.close()
    assert user.closed


class TestMixture:
    ID = "TauEmotion-Multi-v0"

    @pytest.fixture
    def two(self, lending, tmp_path_factory):
        folder = copy_library(tmp_path_factory.mktemp("more") / "reading")
        yield ["lending", str(folder)]
        forget("reading")

    def test_domains_take_turns(self, two):
        envs = gym.make_vec(self.ID, num_envs=4, domains=two, split="train", world_seed=1)
        observations, infos = envs.reset(seed=1)
        assert infos["domain"].tolist() == ["lending", "reading"] * 2
        assert observations in envs.observation_space
        envs.action_space.seed(1)
        for _ in range(30):
            envs.step(envs.action_space.sample())

    def test_cursor_is_shared_out_per_domain(self, two):
        envs = gym.make_vec(self.ID, num_envs=4, domains=two, split="train", tasks={"start": 3})
        _, infos = envs.reset(seed=1)
        assert infos["task_id"].tolist() == ["train-0-3", "train-0-3", "train-0-4", "train-0-4"]

    def test_groups_have_one_domain(self, two):
        envs = gym.make_vec(self.ID, num_envs=4, domains=two, split="train", group_size=2)
        assert envs.reset(seed=1)[1]["domain"].tolist() == ["lending"] * 2 + ["reading"] * 2

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ({"domains": "lending"}, TypeError),
            ({"domains": []}, TypeError),
            ({"domains": ["lending"], "domain": "lending"}, TypeError),
            ({"domains": ["lendin"]}, ValueError),
            ({"domains": ["lending", "lending"], "tasks": ["train-0-1"]}, ValueError),
        ],
    )
    def test_wrong_arguments(self, lending, arguments, error):
        with pytest.raises(error):
            gym.make_vec(self.ID, num_envs=2, **arguments)
