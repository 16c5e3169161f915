"""How hard a domain is without a model: agents that are careless in one way each, on the tasks with that trap."""

from collections.abc import Callable, Collection, Iterable, Mapping

import msgspec

from tau_emotion_gym.agents.choices import Reference, choices
from tau_emotion_gym.evaluation.trials import Trial
from tau_emotion_gym.kit import Domain, Kind, Task
from tau_emotion_gym.tasks.check import is_chained

LEAST_FAILED = 0.1
"""Share of the tasks with its trap that each careless agent must fail."""


class Difficulty(msgspec.Struct, frozen=True):
    """How a careless agent did on the tasks that hold its trap.

    Attributes:
        agent: the agent's name.
        met: number of test tasks that hold its trap.
        failed: ids of those that it fails under the condition assigned to them.
        elsewhere: ids of the other tasks that it fails.
    """

    agent: str
    met: int
    failed: tuple[str, ...]
    elsewhere: tuple[str, ...]

    @property
    def share(self) -> float:
        """Share of the tasks with the trap that it fails, 0 to 1."""
        return len(self.failed) / self.met if self.met else 0.0

    @property
    def enough(self) -> bool:
        """True when it fails often enough, or no task holds its trap."""
        return not self.met or self.share >= LEAST_FAILED

    def __str__(self) -> str:
        return f"{len(self.failed)} of {self.met} tasks ({self.share:.0%})" if self.met else "no task holds its trap"


def _has(*kinds: Kind) -> Callable[[Domain, Task], bool]:
    return lambda domain, task: any(goal.kind in kinds for goal in task.goals)


TRAPS: Mapping[str, Callable[[Domain, Task], bool]] = {
    "first_match": lambda domain, task: bool(choices(Reference(domain, task))),
    "policy_ignorant": _has(Kind.DENY, Kind.CONDITIONAL, Kind.HAND_OFF),
    "no_fallback": _has(Kind.CONDITIONAL),
    "wrong_order": is_chained,
}
"""Careless agent → whether a task holds its trap: an id to be found among two or more; something that policy
forbids or hands over; a second best; wishes whose order matters and that are said at once."""


def traps(domain: Domain) -> dict[str, frozenset[str]]:
    """Careless agent → ids of the test tasks that hold its trap.

    Raises:
        ReplayError: a reference fails.
    """
    tasks = domain.test_tasks.values()
    return {agent: frozenset(t.id for t in tasks if holds(domain, t)) for agent, holds in TRAPS.items()}


def difficulties(met: Mapping[str, Collection[str]], trials: Iterable[Trial]) -> list[Difficulty]:
    """How each careless agent did. `met`: agent → ids of the tasks that hold its trap."""
    failed: dict[str, list[str]] = {agent: [] for agent in met}
    for trial in trials:
        if trial.agent in failed and not trial.success:
            failed[trial.agent].append(trial.task)
    return [
        Difficulty(
            agent=agent,
            met=len(tasks),
            failed=tuple(task for task in failed[agent] if task in tasks),
            elsewhere=tuple(task for task in failed[agent] if task not in tasks),
        )
        for agent, tasks in met.items()
    ]
