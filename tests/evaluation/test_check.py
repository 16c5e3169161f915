"""The check: that sound domains pass, and that each kind of fault is found and named."""

import msgspec
import pytest

from tau_emotion_gym.emotions import CONDITIONS, LEAVES
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.evaluation import NEUTRAL, Trial, batches, check, run_batches
from tau_emotion_gym.evaluation.difficulty import TRAPS
from tau_emotion_gym.evaluation.domain_check import BASELINES, FRICTION, REFERENCE, SHOWN, judge, plan
from tau_emotion_gym.evaluation.rises import rises
from tau_emotion_gym.kit import Domain, load, names
from tau_emotion_gym.tasks.check import DomainReport, Problem

DOMAINS = names(added=False)


@pytest.fixture(scope="module")
def static() -> DomainReport:
    """A report on a hundred sound tasks."""
    counts = {name: {} for name in ("sizes", "kinds", "intents", "rules", "writes", "reveals")}
    return DomainReport(domain="toy", tasks=100, problems=(), chained=0, emergencies=(), **counts)


@pytest.fixture(scope="module")
def retail() -> Domain:
    return load("retail")


def trial(agent=REFERENCE, task="test-000", condition=0, **changes) -> Trial:
    right = agent == REFERENCE
    made = Trial(
        agent=agent,
        task=task,
        condition=condition,
        outcome=Outcome.SATISFIED,
        success=right,
        steps=8,
        violations=(),
        user_fault=False,
        unsourced=(),
        reason="" if right else "ended satisfied",
    )
    return msgspec.structs.replace(made, **changes)


def failing(static, *trials: Trial) -> list[str]:
    return [line.what for line in judge(static, trials).lines if not line.holds]


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_shipped_domains_pass(name):
    report = check(load(name), jobs=1)
    assert [(line.what, line.figure, line.problems) for line in report.lines if not line.holds] == []
    assert report.episodes == 100 * (2 + 27 + 2 * len(BASELINES) + len(TRAPS))


def test_a_clean_set_of_trials_passes(static):
    report = judge(static, [trial(), *(trial(agent) for agent in BASELINES)])
    assert report.passed
    assert report.episodes == 4


@pytest.mark.parametrize(
    ("changes", "line", "text"),
    [
        ({"success": False, "reason": "ended step_limit"}, "always succeeds", "ended step_limit"),
        ({"outcome": Outcome.DISSATISFIED}, "never left", "the customer leaves"),
        ({"violations": ("confirmation",)}, "keeps every rule", "breaks confirmation"),
        ({"unsourced": ("pay amount=3",)}, "was said by the user, a tool or the policy", "nobody said pay amount=3"),
        ({"user_fault": True}, "every wish", "content with a wish unspoken"),
    ],
)
def test_each_fault_of_the_reference_fails_its_line(static, changes, line, text):
    report = judge(static, [trial(), trial(task="test-007", condition=17, **changes)])
    (broken,) = [found for found in report.lines if not found.holds]
    assert line in broken.what
    assert broken.problems == (f"test-007, {CONDITIONS[17].path}: {text}",)
    assert broken.figure == "1 of 2 episodes; tasks that fail: 1"
    assert not report.passed


def test_problems_show_every_task_before_a_second_condition_and_are_counted_whole(static):
    bad = [trial(task=f"test-{n:03}", condition=c, outcome=Outcome.DISSATISFIED) for n in range(3) for c in range(30)]
    (line,) = [found for found in judge(static, bad).lines if not found.holds]
    assert line.figure.startswith("0 of 90")
    assert len(line.problems) == SHOWN
    assert [text[:8] for text in line.problems[:4]] == ["test-000", "test-001", "test-002", "test-000"]


def test_static_problems_fail_their_line(static):
    broken = msgspec.structs.replace(static, problems=(Problem("test-003", "the reference fails"),))
    assert "test-003: the reference fails" in judge(broken, []).lines[0].problems
    assert not judge(broken, []).lines[0].holds


@pytest.mark.parametrize("agent", BASELINES)
def test_agents_that_do_no_work_may_solve_one_task_in_a_hundred(static, agent):
    one, other = (trial(agent, task, success=True) for task in ("test-001", "test-002"))
    assert failing(static, one) == []
    assert failing(static, one, other) == [f"the {agent} agent solves at most 1%"]


def test_emergencies_are_listed_apart(static):
    apart = msgspec.structs.replace(static, emergencies=("test-001", "test-002"))
    report = judge(apart, [trial("transfer_only", task, success=True) for task in apart.emergencies])
    assert report.passed
    assert report.solved["transfer_only"] == ("test-001", "test-002")
    assert any("emergencies apart: test-001, test-002" in line.figure for line in report.lines)


def left(share: dict[str, float], dimension: str) -> list[Trial]:
    """Friction trials under all conditions in which each level of a dimension is left in this share."""
    made, seen = [], dict.fromkeys(share, 0)
    for repeat in range(4):
        for condition in CONDITIONS:
            level = getattr(condition, dimension)
            seen[level] += 1
            gone = int(seen[level] * share[level]) > int((seen[level] - 1) * share[level])
            outcome = Outcome.DISSATISFIED if gone else Outcome.SATISFIED
            made.append(trial(FRICTION, f"test-{repeat:03}", condition.index, outcome=outcome))
    return made


@pytest.mark.parametrize(
    ("shares", "strict"),
    [
        ((0.2, 0.4, 0.6), True),
        ((0.4, 0.4, 0.6), False),
        ((0.6, 0.4, 0.8), False),
        ((0, 0, 1), True),
        ((0.3, 1, 1), True),
    ],
)
def test_leaves_have_to_rise_strictly_between_nothing_and_all(static, shares, strict):
    trials = left(dict(zip(("low", "moderate", "high"), shares, strict=True)), "urgency")
    (over_all,) = [rise for rise in rises(trials) if rise.dimension == "urgency" and rise.family == "all"]
    assert list(over_all.shares) == ["low", "moderate", "high"]
    assert list(over_all.shares.values()) == pytest.approx(list(shares), abs=0.01)
    assert over_all.strict == strict
    assert ("the friction agent is left more often with more urgency" not in failing(static, *trials)) == strict


@pytest.mark.parametrize("all_conditions", [False, True])
def test_a_plan_compares_levels_with_all_else_equal(all_conditions, retail):
    work = plan(retail, all_conditions=all_conditions)
    friction = [episode for batch in work if batch.agent == FRICTION for episode in batch.episodes]
    for level in ("low", "moderate", "high"):
        at = sorted((task, CONDITIONS[c].leaf) for task, c in friction if CONDITIONS[c].urgency == level)
        assert at == sorted((task, CONDITIONS[c].leaf) for task, c in friction if CONDITIONS[c].urgency == "low")
    reference = {episode for batch in work if batch.agent == REFERENCE for episode in batch.episodes}
    assert {(task.id, NEUTRAL) for task in retail.test_tasks.values()} < reference
    assert len(reference) == len(retail.test_tasks) * (595 if all_conditions else 2)
    assert len({CONDITIONS[c].leaf for _, c in friction}) == len(LEAVES)


def test_processes_give_the_same_trials(retail):
    episodes = [(task.id, task.condition) for task in list(retail.test_tasks.values())[:12]]
    work = batches(retail, FRICTION, episodes, size=4)
    alone = [trial for batch in run_batches(work, 1) for trial in batch]
    spread = [trial for batch in run_batches(work, 2) for trial in batch]
    assert [(trial.task, trial.condition) for trial in alone] == episodes
    assert sorted(map(str, spread)) == sorted(map(str, alone))


def test_progress_is_told(monkeypatch, retail):
    work = batches(retail, "null", [(task, NEUTRAL) for task in retail.test_tasks], size=30)
    monkeypatch.setattr("tau_emotion_gym.evaluation.domain_check.plan", lambda domain, all_conditions: work)
    started, finished = [], []
    check(retail, jobs=1, started=started.append, finished=finished.append)
    assert started == [100]
    assert finished == [30, 30, 30, 10]
