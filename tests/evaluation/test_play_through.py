"""Every test task of every domain, played by the reference agent under 27 conditions and without emotion."""

import pytest

from tau_emotion_gym.evaluation import NEUTRAL, twenty_seven_conditions
from tau_emotion_gym.evaluation.trials import run_trial
from tau_emotion_gym.kit import load, names

CONDITIONS = [NEUTRAL, *(condition.index for condition in twenty_seven_conditions())]


@pytest.mark.slow
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("name", names(added=False))
def test_the_reference_agent_serves_every_customer(name, condition):
    domain = load(name)
    trials = [run_trial(domain, "reference", task, condition) for task in domain.test_tasks.values()]
    assert len(trials) == 100
    assert [(trial.task, trial.where, trial.reason) for trial in trials if not trial.success] == []
    assert [(trial.task, trial.where, trial.violations) for trial in trials if trial.violations] == []
    assert [(trial.task, trial.where, trial.unsourced) for trial in trials if trial.unsourced] == []
    assert [(trial.task, trial.where) for trial in trials if trial.user_fault] == []
