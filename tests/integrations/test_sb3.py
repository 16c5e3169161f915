"""Stable-Baselines3 and sb3-contrib, the real packages: masks are kept, weights change, the spaces pass."""

import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

pytest.importorskip("sb3_contrib", reason="needs sb3-contrib: make test-sb3")

from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_checker import check_env

import tau_emotion_gym  # noqa: F401
from tau_emotion_gym.errors import UnknownName
from tau_emotion_gym.integrations.remote import WorkerDied
from tau_emotion_gym.integrations.sb3 import Lesson, MaskedVecEnv, Share
from tau_emotion_gym.wrappers import DiscreteActions, NumericObservation, ShapedReward
from tau_emotion_gym.wrappers.shaped import Potential

pytestmark = [
    pytest.mark.sb3,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
]
EXAMPLES = Path(__file__).parents[2] / "examples"
OPTIONS = {"domain": "retail", "split": "train", "emotion": "random"}


class Chosen(BaseCallback):
    """Notes whether an action was chosen that was masked when it was."""

    def __init__(self) -> None:
        super().__init__()
        self.masked = 0
        self.episodes = []

    def _on_step(self) -> bool:
        masks, actions = self.locals["action_masks"], self.locals["actions"]
        self.masked += int((~masks[np.arange(len(actions)), actions]).sum())
        self.episodes += [info for info in self.locals["infos"] if "episode" in info]
        return True


def small(env) -> MaskablePPO:
    return MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=128, n_epochs=2, seed=1, device="cpu")


def handing_off(env: MaskedVecEnv) -> int:
    return next(at for at, name in enumerate(env.action_names) if name.startswith("hand_off"))


@pytest.fixture
def vector():
    env = MaskedVecEnv(8, lesson=Lesson(0.99, kept=1.0, unsolved=-1.0), seed=3, **OPTIONS)
    yield env
    env.close()


def test_masked_actions_are_never_chosen_and_the_weights_change(vector):
    model = small(vector)
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    chosen = Chosen()
    model.learn(1024, callback=chosen)
    assert chosen.masked == 0
    assert sum((a != b.detach()).any().item() for a, b in zip(before, model.policy.parameters(), strict=True)) > 4
    assert chosen.episodes
    for info in chosen.episodes:
        assert info["outcome"]
        assert info["terminal_observation"].shape == vector.observation_space.shape
        assert info["episode"]["r"] in (-1.0, 0.0, 1.0)
        assert info["episode"]["l"] == info["steps"]


def test_a_single_environment_passes_sb3s_own_check_and_trains():
    env = NumericObservation(DiscreteActions(ShapedReward(gym.make("TauEmotion-Retail-v0"))))
    check_env(env, skip_render_check=True)
    chosen = Chosen()
    small(env).learn(256, callback=chosen)
    assert chosen.masked == 0


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_worker_processes_play_the_same_episodes():
    here = MaskedVecEnv(4, lesson=Lesson(0.9), seed=5, **OPTIONS)
    there = MaskedVecEnv(4, lesson=Lesson(0.9), seed=5, workers=2, **OPTIONS)
    try:
        assert np.array_equal(here.reset(), there.reset())
        for turn in range(40):
            assert np.array_equal(here.action_masks(), there.action_masks())
            rows = (np.flatnonzero(row) for row in here.action_masks())
            actions = np.array([row[(7 * turn + place) % len(row)] for place, row in enumerate(rows)])
            for one, other in zip(here.step(actions)[:3], there.step(actions)[:3], strict=True):
                assert np.array_equal(one, other)
    finally:
        here.close()
        there.close()


def test_what_a_lesson_adds_over_an_episode():
    """The first potential taken back, the last one kept, and the price of giving up."""
    gamma, potential = 0.95, Potential()
    plain = Share({**OPTIONS, "num_envs": 4}, Lesson())
    taught = Share({**OPTIONS, "num_envs": 4}, Lesson(gamma, kept=0.5, unsolved=-0.7))
    plain.reset([9, 10, 11, 12], {})
    _, masks = taught.reset([9, 10, 11, 12], {})
    first = [potential(episode) for episode in plain.env.episodes]
    added, steps, ended = np.zeros(4), np.zeros(4), 0
    for turn in range(120):
        rows = [np.flatnonzero(row) for row in masks]
        actions = [row[(5 * turn + place) % len(row)] for place, row in enumerate(rows)]
        episodes = plain.env.episodes
        raw, batch = plain.step(actions), taught.step(actions)
        masks = batch.masks
        added += gamma**steps * (batch.rewards - raw.rewards)
        for place in np.flatnonzero(batch.over):
            info = batch.infos[place]
            gave_up = info["outcome"] != "dissatisfied" and not info["success"]
            closing = 0.5 * potential.of_state(episodes[place]) - 0.7 * gave_up
            assert added[place] == pytest.approx(gamma ** steps[place] * closing - first[place], abs=1e-5)
            first[place] = potential(plain.env.episodes[place])
            added[place], steps[place] = 0.0, -1
            ended += 1
        steps += 1
    assert ended > 8


def test_a_server_that_fails_is_no_giving_up():
    share = Share({**OPTIONS, "num_envs": 2, "user": "failing_user:Failing"}, Lesson(unsolved=-1.0))
    share.reset([9, 10], {})
    batch = share.step([0, 0])
    assert [info["outcome"] for info in batch.infos] == ["infrastructure"] * 2
    assert batch.rewards.tolist() == [0.0, 0.0]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("tasks", [[f"train-0-{number}" for number in range(12)], {"start": 3}])
def test_worker_processes_share_the_tasks_out(tasks):
    """What two processes play are the tasks that one would, each once."""

    def first_episodes(workers: int) -> list[str]:
        env = MaskedVecEnv(4, seed=0, workers=workers, **OPTIONS, tasks=tasks)
        env.reset()
        hand_off = handing_off(env)
        played = []
        for _ in range(3):
            *_, infos = env.step(np.full(4, hand_off))
            played += [info["task_id"] for info in infos]
        env.close()
        return played

    alone, shared = first_episodes(0), first_episodes(2)
    assert len(set(alone)) == 12
    assert sorted(shared) == sorted(alone)


def test_fewer_tasks_than_workers_are_refused():
    with pytest.raises(ValueError, match="1 tasks cannot be dealt to workers=2"):
        MaskedVecEnv(4, workers=2, **OPTIONS, tasks=["train-0-1"])


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("workers", [0, 2])
def test_options_can_have_a_value_for_each_environment(workers):
    env = MaskedVecEnv(4, workers=workers, **OPTIONS)
    ids = [f"train-0-{number}" for number in (7, 3, 9, 4)]
    env.set_options({"task_id": ids})
    env.reset()
    hand_off = handing_off(env)
    *_, infos = env.step(np.full(4, hand_off))
    assert [info["task_id"] for info in infos] == ids
    env.set_options({"task_id": "train-0"})
    with pytest.raises(UnknownName, match="task"):
        env.reset()
    env.set_options()
    env.reset()
    env.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_worker_process_says_what_is_wrong():
    with pytest.raises(UnknownName, match="retial"):
        MaskedVecEnv(4, workers=2, domain="retial")


def test_environments_of_a_group_play_the_same():
    env = MaskedVecEnv(4, group_size=2, seed=3, **OPTIONS)
    first, second, third, fourth = env.reset()
    assert np.array_equal(first, second)
    assert np.array_equal(third, fourth)
    assert not np.array_equal(first, third)


def test_a_lesson_can_be_given_before_the_first_reset():
    late, early = MaskedVecEnv(2, **OPTIONS), MaskedVecEnv(2, lesson=Lesson(0.9), **OPTIONS)
    late.teach(Lesson(0.9))
    assert np.array_equal(late.reset(), early.reset())
    assert np.array_equal(late.step(np.zeros(2, dtype=int))[1], early.step(np.zeros(2, dtype=int))[1])


def test_seeds_and_options_are_those_of_the_next_reset(vector):
    first = vector.reset()
    went_on = vector.reset()
    vector.seed(3)
    assert np.array_equal(vector.reset(), first)
    assert not np.array_equal(went_on, first)
    vector.set_options({"task_id": "test-001"})
    vector.reset()
    hand_off = handing_off(vector)
    *_, infos = vector.step(np.full(8, hand_off))
    assert {info["task_id"] for info in infos} == {"test-001"}
    with pytest.raises(ValueError, match="one mapping for all"):
        vector.set_options([{"emotion": "anger"}, *[{}] * 7])
    vector.reset()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_after_an_error_in_a_worker_answers_belong_to_their_questions():
    here, there = MaskedVecEnv(4, seed=1, **OPTIONS), MaskedVecEnv(4, seed=1, workers=2, **OPTIONS)
    try:
        for env in (here, there):
            env.reset()
            with pytest.raises(ValueError, match="8 actions for 4"):
                env.step(np.zeros(8, dtype=int))
            env.set_options({"task_id": ["train-0-1", "train-0-1", "train-0-1", "train-0"]})
            with pytest.raises(UnknownName, match="train-0"):
                env.reset()
            env.set_options()
            env.seed(1)
            env.reset()
        for _ in range(5):
            assert np.array_equal(here.action_masks(), there.action_masks())
            assert np.array_equal(here.step(np.zeros(4, dtype=int))[0], there.step(np.zeros(4, dtype=int))[0])
    finally:
        there.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_workers_can_be_closed_in_mid_step_and_when_they_are_gone():
    env = MaskedVecEnv(256, workers=1, **OPTIONS)
    env.reset()
    env.step_async(np.zeros(256, dtype=int))
    env.close()
    env = MaskedVecEnv(2, workers=1, **OPTIONS)
    env.reset()
    env._remotes[0]._process.kill()
    with pytest.raises(WorkerDied, match="make others"):
        env.reset()
    env.close()


def test_nothing_can_be_asked_before_the_first_reset():
    env = MaskedVecEnv(2, **OPTIONS)
    for ask in (env.action_masks, lambda: env.step(np.zeros(2, dtype=int))):
        with pytest.raises(ResetNeeded):
            ask()


@pytest.mark.parametrize(
    ("wrong", "error", "reason"),
    [
        ({"workers": -1}, ValueError, "workers is at least 0"),
        ({"codec": "discrete"}, TypeError, "codec cannot be chosen"),
        ({"autoreset_mode": "NextStep"}, TypeError, "autoreset_mode cannot be chosen"),
        ({"workers": 2, "group_size": 4}, ValueError, "num_envs=4 is no multiple of workers=2 and group_size=4"),
        ({"workers": 2, "tasks": ["train-0-1", "train-0"]}, UnknownName, "train-0"),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_arguments_that_are_refused(wrong, error, reason):
    with pytest.raises(error, match=reason):
        MaskedVecEnv(4, **OPTIONS, **wrong)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("workers", [0, 2])
def test_another_lesson_can_be_given_on_the_way(workers):
    """From there on the rewards are those of environments that had it from the first."""
    late = MaskedVecEnv(4, seed=2, lesson=Lesson(unsolved=-1.0), workers=workers, **OPTIONS)
    early = MaskedVecEnv(4, seed=2, lesson=Lesson(0.9, kept=1.0), **OPTIONS)
    try:
        for env in (late, early):
            env.reset()
        for turn in range(30):
            actions = np.array([np.flatnonzero(row)[(3 * turn) % row.sum()] for row in early.action_masks()])
            rewards = [env.step(actions)[1] for env in (late, early)]
            assert turn <= 5 or np.array_equal(*rewards)
            if turn == 5:
                late.teach(Lesson(0.9, kept=1.0))
    finally:
        late.close()
        early.close()


def test_the_number_of_environments_divides_among_the_workers():
    with pytest.raises(ValueError, match="multiple of workers"):
        MaskedVecEnv(5, workers=2, **OPTIONS)


def run(name: str, *arguments: str) -> str:
    """Run an example; what it printed."""
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


def test_the_example_learns_a_little_and_leaves_a_picture(tmp_path):
    shown = run("ppo_masked.py", "--steps", "4096", "--tasks", "400", "--workers", "0", "--out", str(tmp_path))
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {"retail-4096-0.json", "retail-4096-0.zip", "retail-4096.png"}
    first, last = (line[line.index("success") :] for line in shown.splitlines() if "success" in line)
    assert first != last


def test_the_comparison_of_trainings_prints_its_table_and_keeps_what_it_trained(tmp_path):
    arguments = ("neutral_or_emotional.py", "--steps", "2048", "--tests", "5", "--seeds", "2", "--out", str(tmp_path))
    shown = run(*arguments)
    table = shown[shown.index("| tested on") :]
    assert table.count("\n| emotional | ") == table.count("\n| neutral | ") == 5
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(kept) == 4
    assert run(*arguments).startswith("| tested on")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == kept
