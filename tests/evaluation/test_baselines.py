"""Baselines: played on the run's own tasks, and kept in its folder."""

import pytest

from tau_emotion_gym.agents import make_agent, play
from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.episode.episode import USER_EXITS
from tau_emotion_gym.evaluation import baselines
from tau_emotion_gym.evaluation.baselines import BASELINES, FILE, baselines_of, kept_baselines
from tau_emotion_gym.kit import load
from tau_emotion_gym.rollouts import Place
from tau_emotion_gym.rollouts.config import make_config, plan
from tau_emotion_gym.tasks.train import task_by_id
from tau_emotion_gym.users import ScriptedUser


@pytest.fixture
def places() -> list[Place]:
    return plan(make_config(["retail"], agent="reference", tasks=12, trials=2, arms=("task", "neutral")))


def test_the_reference_solves_what_the_idle_do_not(places):
    found = {baseline.agent: baseline for baseline in baselines_of(places)}
    assert list(found) == list(BASELINES)
    assert {agent: baseline.success.value for agent, baseline in found.items()} == {
        "null": 0,
        "refuse_all": 0,
        "transfer_only": 0,
        "reference": 1,
    }
    assert found["reference"].leave_rate.value == 0
    assert all(baseline.success.counts.scored == 24 for baseline in found.values())


def test_they_are_kept(tmp_path, places, monkeypatch):
    first = kept_baselines(tmp_path, places)
    monkeypatch.setattr(baselines, "baselines_of", lambda *_: pytest.fail("played again"))
    assert kept_baselines(tmp_path, places) == first


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("package_version", lambda: "9.9.9"),
        ("phrases_digest", lambda: "other words"),
        ("data_digests", lambda _: {"files": "other code"}),
    ],
)
def test_they_are_played_again_by_another_package_or_on_other_data(tmp_path, places, monkeypatch, part, found):
    first = kept_baselines(tmp_path, places[:2])
    monkeypatch.setattr(baselines, part, found)
    monkeypatch.setattr(baselines, "baselines_of", lambda *_: first[:1])
    assert kept_baselines(tmp_path, places[:2]) == first[:1]
    monkeypatch.setattr(baselines, "baselines_of", lambda *_: pytest.fail("played again"))
    assert kept_baselines(tmp_path, places[:2]) == first[:1]


def test_they_are_played_again_for_another_plan_or_limit(tmp_path, places, monkeypatch):
    first = kept_baselines(tmp_path, places[:2])
    assert kept_baselines(tmp_path, places[:4])[0].success.counts.scored == 2
    monkeypatch.setattr(baselines, "baselines_of", lambda *_: first[:1])
    assert kept_baselines(tmp_path, places[:4], 7) == first[:1]


@pytest.mark.parametrize("user_exit", USER_EXITS)
def test_who_decides_that_the_scripted_user_leaves_makes_no_difference(places, user_exit):
    place = next(place for place in places if place.arm == "task")
    domain = load(place.domain)
    task = task_by_id(domain, place.task_id)
    condition = resolve(place.emotion, assigned=None, seed=0)
    episode = Episode(domain, task, condition, seed=int(place.seed), user_exit=user_exit)
    play(episode, ScriptedUser(), make_agent("null"))
    assert episode.outcome == "dissatisfied"


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b'{"hash": "abc", "baselines": [1]}'])
def test_a_damaged_file_is_written_anew(tmp_path, places, damage):
    (tmp_path / FILE).write_bytes(damage)
    found = kept_baselines(tmp_path, places[:2])
    assert len(found) == len(BASELINES)
    assert kept_baselines(tmp_path, places[:2]) == found


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path, places):
    found = kept_baselines(tmp_path / "not there", places[:2])
    assert len(found) == len(BASELINES)
