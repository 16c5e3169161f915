"""Behaviour: what an agent did, how it goes with success, and what its questions cause."""

import msgspec
import numpy as np
import pytest
from planting import played

from tau_emotion_gym._draw import mix
from tau_emotion_gym.errors import TauEmotionError, UnknownName
from tau_emotion_gym.evaluation.behaviour import (
    ARMS,
    MEASURES,
    Behaviour,
    arm_config,
    behaviour_of,
    behaviours_of,
    relation,
    report_behaviour,
    spearman,
    study,
)
from tau_emotion_gym.evaluation.behaviour.study import compare_arms
from tau_emotion_gym.rollouts import RunFolder, make_config, run_sync
from tau_emotion_gym.rollouts.folder import EPISODES


def conduct(number: int, success: bool, **fields) -> Behaviour:
    basis = {
        "tool_calls": 4,
        "tool_errors": 0,
        "messages": 3,
        "words": 10.0,
        "questions": 2,
        "necessary": 1,
        "redundant": 0,
    }
    basis |= {"avoidable": 0, "bundled": 0, "dripped": 0, "confirmations": 1, "acknowledgements": 0, "left": False}
    return Behaviour(key=str(number), task=("shop", str(number)), success=success, **{**basis, **fields})


def test_counts_are_those_of_the_transcript():
    record = played("retail", "test-011", "friction", 100)
    found = behaviour_of(record)
    texts = [turn.content for turn in record.transcript if turn.role == "agent"]
    assert found.messages == len(texts)
    assert found.words == pytest.approx(sum(len(text.split()) for text in texts) / len(texts))
    assert found.tool_calls == sum(turn.role == "call" for turn in record.transcript)
    assert found.redundant == record.events["redundant_question"] > 0
    assert found.acknowledgements == 0
    assert found.needless >= found.redundant


def test_the_balance_is_the_share_of_necessary_questions():
    assert conduct(0, True, necessary=1, tool_calls=3).balance == 0.25
    assert conduct(0, True, necessary=0, tool_calls=0).balance is None
    assert conduct(0, True, necessary=2, redundant=9, tool_calls=2).balance == 0.5


def test_what_a_file_does_not_tell_is_unknown_and_not_zero():
    record = played("retail", "test-011", "friction", 100)
    place = msgspec.structs.replace(record.place, domain="foreign:retail")
    found = behaviour_of(msgspec.structs.replace(record, place=place, events={}))
    assert found.redundant is None
    assert found.needless is None
    assert found.balance is None
    assert "redundant" not in [one.measure for one in report_behaviour([found] * 3).relations]


def test_an_episode_in_which_nothing_happened_counts_as_zero():
    record = played("retail", "test-011", "transfer_only", 100)
    found = behaviour_of(msgspec.structs.replace(record, events={}))
    assert (found.needless, found.confirmations, found.balance) == (0, 0, 0.0)


def test_excluded_episodes_are_left_out():
    record = played("retail", "test-011", "friction", 100)
    broken = msgspec.structs.replace(record, outcome="infrastructure")
    assert len(behaviours_of([record, broken])) == 1


def test_spearman_equals_a_hand_computed_table():
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert spearman(values, values**3) == pytest.approx(1)
    assert spearman(values, -values) == pytest.approx(-1)
    # ranks 1 2.5 2.5 4 against 1 3 2 4: sums of products of deviations 4.5 over sqrt(4.5 * 5)
    assert spearman(np.array([1.0, 2, 2, 3]), np.array([1.0, 3, 2, 4])) == pytest.approx(4.5 / np.sqrt(22.5))
    assert spearman(values, np.zeros(5)) is None


def test_a_relation_is_found_and_none_is_not_made_up():
    strong = [conduct(at, at < 30, redundant=at // 10) for at in range(60)]
    found = relation("redundant", strong)
    assert found.success == pytest.approx(1.0)
    assert found.failure == pytest.approx(4.0)
    assert found.difference.value == pytest.approx(-3.0)
    assert found.correlation.high < -0.7
    noise = [conduct(at, mix(at, 1, "won") % 2 == 0, redundant=mix(at, 2, "asked") % 4) for at in range(200)]
    weak = relation("redundant", noise)
    assert weak.correlation.low < 0 < weak.correlation.high


def test_where_nothing_failed_there_is_no_difference():
    found = relation("questions", [conduct(at, True, questions=at) for at in range(5)])
    assert found.failure is None
    assert found.difference.value is None
    assert found.correlation.value is None
    assert found.mean.low < found.mean.value < found.mean.high


def test_trials_of_a_task_move_together():
    one = [conduct(at // 20, at % 2 == 0, questions=at // 20) for at in range(60)]
    spread = [msgspec.structs.replace(row, task=("shop", str(at))) for at, row in enumerate(one)]
    together, apart = relation("questions", one).mean, relation("questions", spread).mean
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_every_measure_is_reported():
    report = report_behaviour([conduct(at, at % 2 == 0, words=float(at)) for at in range(6)], agent="a", user="u")
    assert [one.measure for one in report.relations] == list(MEASURES)
    assert "correlations" in report.note


@pytest.fixture(scope="module")
def config():
    return make_config(["retail", "telecom"], agent="friction", tasks=8, seed=4)


@pytest.fixture(scope="module")
def studied(config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    return folder, study(config, folder)


def test_a_study_plays_every_arm_on_the_same_episodes(studied, config):
    folder, found = studied
    assert [effect.arm for effect in found.effects] == list(ARMS)
    seeds = {
        name: sorted((record.place.key, record.place.seed) for record in RunFolder.open(folder / name).records())
        for name in ("original", *ARMS)
    }
    assert all(rows == seeds["original"] and len(rows) == 16 for rows in seeds.values())
    assert all(effect.success.pairs == 16 for effect in found.effects)


def test_fewer_repeated_questions_keep_customers(studied):
    effects = {effect.arm: effect for effect in studied[1].effects}
    assert effects["capped"].questions[0] < effects["capped"].questions[1]
    assert effects["bundled"].left.value < 0
    assert effects["bundled"].success.value > 0
    assert effects["forced"].success.value == 0


def test_a_study_goes_on_where_it_stopped(studied, config):
    folder, found = studied
    before = {path: path.stat().st_size for path in folder.rglob("episodes.jsonl")}
    assert study(config, folder) == found
    assert {path: path.stat().st_size for path in folder.rglob("episodes.jsonl")} == before


def test_the_original_may_stand_elsewhere_but_has_to_be_the_same_run(studied, config, tmp_path):
    folder, found = studied
    assert study(config, folder, original=folder / "original", arms=("capped",)).effects[0] == found.effects[0]
    other = msgspec.structs.replace(config, seed=5)
    run_sync(tmp_path / "other", other)
    with pytest.raises(TauEmotionError):
        study(config, tmp_path / "new", original=tmp_path / "other", arms=("capped",))


def test_the_reference_agent_loses_nothing_by_being_made_to_ask(tmp_path):
    found = study(make_config(["airline"], agent="reference", tasks=6), tmp_path, arms=("forced", "split"))
    assert [effect.success.value for effect in found.effects] == [0, 0]
    assert found.effects[0].success.first == 1.0


def test_an_arm_of_which_nothing_was_played_has_no_means(studied, config, tmp_path):
    folder, found = studied
    RunFolder.create(tmp_path / "capped", arm_config(config, "capped"))
    (tmp_path / "capped" / EPISODES).touch()
    (effect,) = compare_arms(folder / "original", {"capped": tmp_path / "capped"}).effects
    assert (effect.success.pairs, effect.success.value) == (0, None)
    assert (effect.questions, effect.tool_calls) == (None, None)
    assert found.effects[0].questions[1] > found.effects[0].questions[0] > 0


def test_an_unknown_intervention_is_named(config):
    with pytest.raises(UnknownName, match=r"cappd.*capped"):
        arm_config(config, "cappd")
