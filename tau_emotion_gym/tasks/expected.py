"""What a task's final state must be, in the form in which equality means a match."""

from tau_emotion_gym.kit import Domain, Task
from tau_emotion_gym.world import Canonical, from_change_set

_KEY = "expected sets"


def expected_sets(domain: Domain, task: Task) -> tuple[Canonical, ...]:
    """The canonical net changes of which any one counts as right; a memo on the task.

    Raises:
        DataError: the stored changes do not fit the domain's records.
    """
    found: tuple[Canonical, ...] | None = task.__dict__.get(_KEY)
    if found is None:
        found = tuple(from_change_set(data, domain.records) for data in task.expected)
        task.__dict__[_KEY] = found
    return found


def remember(task: Task, reached: Canonical) -> Task:
    """Note the canonical form of the task's only expected set, so that nothing has to be decoded."""
    task.__dict__[_KEY] = (reached,)
    return task
