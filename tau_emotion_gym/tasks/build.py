"""Building a domain's test set: `python -m tau_emotion_gym.tasks.build retail airline`.

Deterministic byte for byte: the same code writes the same world and the same tasks.
"""

from collections import Counter
from typing import NamedTuple

from tau_emotion_gym._draw import Draw, mix
from tau_emotion_gym.emotions import assigned
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.kit import Domain, Intent, Task
from tau_emotion_gym.tasks.expected import remember
from tau_emotion_gym.tasks.plan import plan
from tau_emotion_gym.tasks.walks import Wish
from tau_emotion_gym.tasks.workshop import Draft, RejectedError, Workshop
from tau_emotion_gym.world import Base

TEST_WORLD_SEED = 0
TRIES = 3000
"""Candidates that are tried for one task before the build gives up."""

LARGEST_SEED = 2**31 - 1


class BuildError(TauEmotionError):
    """A test set that cannot be built; the message counts why candidates were rejected."""


class Built(NamedTuple):
    """A test set.

    Attributes:
        base: the test world.
        tasks: the tasks in row order.
        rejected: reason → how many candidates it rejected.
    """

    base: Base
    tasks: list[Task]
    rejected: Counter[str]


def build_test(domain: Domain) -> Built:
    """Make the domain's test world and its 100 test tasks, without writing them.

    Raises:
        BuildError: no candidate passes for some task; with the reasons and their counts.
    """
    base = domain.make_base(TEST_WORLD_SEED, train=False)
    maker = _Maker(domain, Workshop(domain, base))
    tasks = [maker.make(row, wish) for row, wish in enumerate(plan(domain))]
    return Built(base, tasks, maker.rejected)


class _Maker:
    """Makes the rows of one test set, favouring the intents that came up least so far."""

    def __init__(self, domain: Domain, workshop: Workshop) -> None:
        self._domain = domain
        self._workshop = workshop
        self._used: Counter[str] = Counter()
        self._taken: set[tuple[str, ...]] = set()
        self.rejected: Counter[str] = Counter()

    def make(self, row: int, wish: Wish) -> Task:
        for number in range(TRIES):
            try:
                draft = self._workshop.draft(wish, Draw(row * TRIES + number, f"{self._domain.name} test"), self._weigh)
                if draft.signature in self._taken:
                    raise RejectedError("the same customer and intents as another task")
            except RejectedError as reason:
                self.rejected[str(reason)] += 1
            else:
                return self._keep(row, draft)
        raise BuildError(
            f"domain {self._domain.name}: no task for row {row} ({wish}) in {TRIES} tries; "
            f"candidates were rejected because\n{reasons(self.rejected)}"
        )

    def _weigh(self, intent: Intent) -> int:
        used = self._used[intent.name]
        return intent.weight * (2000 if used == 0 else max(1, 200 // used))

    def _keep(self, row: int, draft: Draft) -> Task:
        self._taken.add(draft.signature)
        self._used.update(goal.intent for goal in draft.goals)
        ordinal = self._domain.ordinal
        return finished(
            self._domain,
            draft,
            task_id=f"test-{row:03}",
            world=None,
            condition=assigned(ordinal, row).index,
            seed=mix(ordinal, row, "test episode") % LARGEST_SEED,
        )


def finished(domain: Domain, draft: Draft, *, task_id: str, world: int | None, condition: int, seed: int) -> Task:
    """A draft as a task."""
    task = Task(
        id=task_id,
        domain=domain.name,
        customer=draft.customer,
        identity=draft.identity,
        identify=draft.identify,
        goals=draft.goals,
        expected=(draft.expected,),
        reveal=draft.reveal,
        world=world,
        condition=condition,
        seed=seed,
    )
    return remember(task, draft.changes)


def reasons(rejected: Counter[str], most: int = 25) -> str:
    """The commonest reasons, one a line, with their counts."""
    return "\n".join(f"{count:7}  {reason}" for reason, count in rejected.most_common(most))


def main(arguments: list[str]) -> int:
    """Build and write the named domains, or all; returns the exit status."""
    from tau_emotion_gym.kit import load, names
    from tau_emotion_gym.tasks.check import check_domain

    status = 0
    for name in arguments or names():
        domain = load(name)
        try:
            built = build_test(domain)
        except BuildError as error:
            print(error)
            return 1
        domain.write_data(built.base, built.tasks)
        print(f"{name}: {len(built.tasks)} tasks written; candidates were rejected because")
        print(reasons(built.rejected))
        report = check_domain(domain)
        print(report.summary())
        status |= bool(report.problems)
    return status


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
