"""What a task's final state must be, in the form in which equality means a match."""

from tau_emotion_gym.kit import Domain, Task
from tau_emotion_gym.world import Canonical, Changes, canonical, from_change_set

_SETS = "expected sets"
_CHANGES = "changes of the reference"
_RIGHT = "changes that were right"


def expected_sets(domain: Domain, task: Task) -> tuple[Canonical, ...]:
    """The canonical net changes of which any one counts as right; a memo on the task.

    Raises:
        DataError: the stored changes do not fit the domain's records.
    """
    found: tuple[Canonical, ...] | None = task.__dict__.get(_SETS)
    if found is None:
        changes: Changes | None = task.__dict__.get(_CHANGES)
        if changes is not None:
            found = (canonical(changes),)
        else:
            found = tuple(from_change_set(data, domain.records) for data in task.expected)
        task.__dict__[_SETS] = found
    return found


def unexpected(domain: Domain, task: Task, changes: Changes) -> Canonical | None:
    """The canonical form of changes that do not count as right; None for those that do.

    Changes equal to some that were right before are right: comparing records takes a tenth of the time that their
    canonical form takes. So the last right ones are a memo on the task.

    Raises:
        DataError: the task's stored changes do not fit the domain's records.
    """
    if changes == task.__dict__.get(_RIGHT):
        return None
    reached = canonical(changes)
    if reached not in expected_sets(domain, task):
        return reached
    task.__dict__[_RIGHT] = changes
    return None


def remember(task: Task, changes: Changes) -> Task:
    """Note the changes from which the task's only expected set was made, so that nothing has to be decoded."""
    task.__dict__[_CHANGES] = task.__dict__[_RIGHT] = changes
    return task
