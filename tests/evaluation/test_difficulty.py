"""How hard a domain is: what counts as a trap, and how much of it must be failed."""

import msgspec
import pytest

from tau_emotion_gym.agents import agent_names
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.evaluation import Difficulty, Trial, difficulties, traps
from tau_emotion_gym.evaluation.difficulty import TRAPS
from tau_emotion_gym.evaluation.domain_check import judge
from tau_emotion_gym.kit import Kind
from tau_emotion_gym.tasks.check import DomainReport


def trial(task: str, *, success: bool, agent: str = "no_fallback") -> Trial:
    return Trial(agent, task, 0, Outcome.SATISFIED, success, 9, (), False, (), "" if success else "ended satisfied")


def test_a_share_counts_only_the_tasks_with_the_trap():
    met = {"no_fallback": frozenset({"a", "b", "c", "d"})}
    trials = [trial("a", success=False), trial("b", success=True), trial("z", success=False)]
    trials.append(trial("c", success=False, agent="reference"))
    (found,) = difficulties(met, trials)
    assert found == Difficulty("no_fallback", 4, ("a",), ("z",))
    assert found.share == 0.25
    assert str(found) == "1 of 4 tasks (25%)"


@pytest.mark.parametrize(("failed", "met", "enough"), [(0, 5, False), (1, 11, False), (1, 10, True), (0, 0, True)])
def test_a_tenth_is_enough(failed, met, enough):
    found = Difficulty("first_match", met, tuple(f"test-{n:03}" for n in range(failed)), ())
    assert found.enough == enough


def test_a_domain_that_is_too_easy_fails_its_line():
    counts = {name: {} for name in ("sizes", "kinds", "intents", "rules", "writes", "reveals")}
    static = DomainReport(domain="toy", tasks=100, problems=(), chained=0, emergencies=(), **counts)
    met = {"no_fallback": frozenset({"a", "b"}), "wrong_order": frozenset()}
    report = judge(static, [trial("a", success=True), trial("b", success=True)], met)
    (line,) = [line for line in report.lines if not line.holds]
    assert line.what == "the no_fallback agent fails at least 10% of the tasks with its trap"
    assert line.figure == "0 of 2 tasks (0%)"
    assert not report.passed
    assert [found.agent for found in report.difficulty] == ["no_fallback", "wrong_order"]
    assert msgspec.json.decode(msgspec.json.encode(report), type=type(report)) == report


def test_the_traps_are_the_careless_agents(library):
    found = traps(library)
    assert set(found) == set(TRAPS) < set(agent_names())
    tasks = library.test_tasks
    assert found["no_fallback"] < found["policy_ignorant"]
    assert all(any(goal.kind is Kind.CONDITIONAL for goal in tasks[key].goals) for key in found["no_fallback"])
    assert all(tasks[key].reveal == "together" for key in found["wrong_order"])
