"""Baselines: played on the run's own tasks, and kept in its folder."""

import pytest

from tau_emotion_gym.evaluation import baselines
from tau_emotion_gym.evaluation.baselines import BASELINES, FILE, baselines_of, kept_baselines
from tau_emotion_gym.rollouts import Place
from tau_emotion_gym.rollouts.config import make_config, plan


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


def test_they_are_kept_until_the_run_is_another_one(tmp_path, places, monkeypatch):
    first = kept_baselines(tmp_path, "abc", places)
    monkeypatch.setattr(baselines, "baselines_of", lambda *_: pytest.fail("played again"))
    assert kept_baselines(tmp_path, "abc", places) == first
    monkeypatch.setattr(baselines, "baselines_of", lambda *_: first[:1])
    assert kept_baselines(tmp_path, "xyz", places) == first[:1]
    assert kept_baselines(tmp_path, "xyz", places) == first[:1]


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b'{"hash": "abc", "baselines": [1]}'])
def test_a_damaged_file_is_written_anew(tmp_path, places, damage):
    (tmp_path / FILE).write_bytes(damage)
    found = kept_baselines(tmp_path, "abc", places[:2])
    assert len(found) == len(BASELINES)
    assert kept_baselines(tmp_path, "abc", places[:2]) == found


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path, places):
    found = kept_baselines(tmp_path / "not there", "abc", places[:2])
    assert len(found) == len(BASELINES)
