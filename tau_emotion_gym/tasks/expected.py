"""What a task's final state must be, in the form in which equality means a match."""

from tau_emotion_gym.kit import Domain, Task
from tau_emotion_gym.world import Canonical, Changes, canonical, from_change_set

_SETS = "expected sets"
_CHANGES = "changes of the reference"


def expected_sets(domain: Domain, task: Task) -> tuple[Canonical, ...]:
    """The canonical net changes of which any one counts as right; a memo on the task.

    Raises:
        DataError: the stored changes do not fit the domain's records.
    """
    found: tuple[Canonical, ...] | None = task.__dict__.get(_SETS)
    if found is None:
        changes = task.__dict__.pop(_CHANGES, None)
        if changes is not None:
            found = (canonical(changes),)
        else:
            found = tuple(from_change_set(data, domain.records) for data in task.expected)
        task.__dict__[_SETS] = found
    return found


def remember(task: Task, changes: Changes) -> Task:
    """Note the changes from which the task's only expected set was made, so that nothing has to be decoded."""
    task.__dict__[_CHANGES] = changes
    return task
