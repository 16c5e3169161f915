"""Where a reference picks one entry of a list: the places at which an agent can pick a wrong one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from tau_emotion_gym.episode.events import states
from tau_emotion_gym.kit import Domain, Goal, Task
from tau_emotion_gym.tasks.arguments import Leaf, leaves, result_leaves
from tau_emotion_gym.tasks.graph import GENERIC
from tau_emotion_gym.tasks.provenance import as_number, numbers, words
from tau_emotion_gym.tasks.replay import replay_task

_FIGURE = re.compile(r"\d+\.\d+")

Values = Mapping[str, Leaf]
"""The leaves of one result by path."""


class Place(NamedTuple):
    """Where a value stands: the index of a call in the task's reference, and the path in its result."""

    call: int
    path: str


class Choice(NamedTuple):
    """An id that the agent has to find among several.

    Attributes:
        goal: index of the goal that needs it.
        place: where the reference finds it.
        words: what the customer says about it, as blank-separated words.
    """

    goal: int
    place: Place
    words: str

    @property
    def entry(self) -> str:
        """The path of the entry that has the id."""
        return entry_of(self.place.path)


class Reference:
    """A task's reference as it was run.

    Attributes:
        task: the task.
        given: per call the leaves of the arguments.
        results: per call the leaves of the result by path.
        starts: per goal the index of its first call.
    """

    def __init__(self, domain: Domain, task: Task) -> None:
        self.task = task
        done = replay_task(domain, task).done
        tools = [domain.tools[call.name] for call in task.calls]
        self.given = [
            leaves(tool, run.arguments, call.arguments) for tool, run, call in zip(tools, done, task.calls, strict=True)
        ]
        self.results: list[Values] = [by_path(result_leaves(t, run.value)) for t, run in zip(tools, done, strict=True)]
        self.starts = [1]
        for goal in task.goals:
            self.starts.append(self.starts[-1] + len(goal.calls))

    def calls_of(self, goal: int) -> range:
        """The indices of a goal's calls."""
        return range(self.starts[goal], self.starts[goal + 1])

    def places(self, value: Any, calls: Sequence[int]) -> Iterator[Place]:
        """Where a value stands in the results of these calls, in their order."""
        wanted = comparable(value)
        for call in calls:
            for path, leaf in self.results[call].items():
                if comparable(leaf.value) == wanted:
                    yield Place(call, path)


def choices(reference: Reference) -> list[Choice]:
    """The ids that a task's reference takes from lists of two or more, in the order in which they are needed.

    An id that the customer says is no choice. Nor is a record that the reference only looks at on its way
    to another one of the same list.
    """
    found = []
    for number, goal in enumerate(reference.task.goals):
        looks = looked_past(reference, number)
        for call in reference.calls_of(number):
            for leaf in reference.given[call]:
                if leaf.kind is None or leaf.kind in GENERIC or call in looks or _said(reference.task, leaf.value):
                    continue
                place = _listed(reference, leaf.value, call)
                if place is not None:
                    found.append(Choice(number, place, _words(goal, leaf.value)))
    return found


def looked_past(reference: Reference, goal: int) -> frozenset[int]:
    """The reads of a goal that open one record of a list after another, the last one apart, unless what
    they show is used."""
    calls = list(reference.calls_of(goal))
    names = [reference.task.calls[call].name for call in calls]
    repeated = [call for call, name, after in zip(calls, names, names[1:], strict=False) if name == after]
    return frozenset(call for call in repeated if not _used(reference, goal, call))


def _used(reference: Reference, goal: int, call: int) -> bool:
    """Whether a later figure of the goal comes from the result of this call."""
    end = reference.starts[goal + 1]
    figures: list[Any] = [output.value for output in reference.task.goals[goal].outputs if output.kind != "count"]
    for later in range(call + 1, end):
        figures += (leaf.value for leaf in reference.given[later] if leaf.kind in (None, *GENERIC))
        figures += numbers(str(reference.task.calls[later].arguments.get("expression", "")))
    latest = range(end - 1, 0, -1)
    return any(place.call == call for value in figures if (place := next(reference.places(value, latest), None)))


def _said(task: Task, value: Any) -> bool:
    facts = (*task.identity, *(fact for goal in task.goals for fact in goal.facts))
    return any(states(fact.spoken.lower(), str(value).lower()) for fact in facts)


def _listed(reference: Reference, value: Any, before: int) -> Place | None:
    """The first place of an id before a call, when it is one of several in a list there."""
    place = next(reference.places(value, range(before)), None)
    if place is None or not entry_of(place.path):
        return None
    return place if len(entries(reference.results[place.call], place.path)) > 1 else None


def _words(goal: Goal, value: Any) -> str:
    own = [fact.spoken for fact in goal.facts if fact.value == value]
    return words(" ".join(own or goal.fill.values()))


# --- paths ------------------------------------------------------------------------------------------


def by_path(found: Sequence[Leaf]) -> Values:
    """Leaves by their paths."""
    return {leaf.path: leaf for leaf in found}


def comparable(value: Any) -> Decimal | str:
    """A value in the form in which equal ones are equal: numbers by value, also where they are written as text."""
    text = str(value)
    return Decimal(text) if as_number(value) is not None or _FIGURE.fullmatch(text) else text


def entry_of(path: str) -> str:
    """The path up to its last index: the entry of a list, "" when the path goes through none."""
    parts = path.split(".")
    last = max((at for at, part in enumerate(parts) if part.isdigit()), default=-1)
    return ".".join(parts[: last + 1])


def entries(values: Values, path: str) -> list[str]:
    """The entries of the list through which a path goes last, each with a value where the path ends."""
    entry = entry_of(path)
    before, rest = entry.rpartition(".")[0], path[len(entry) :]
    alike = (f"{before}.{at}" for at in range(len(values)))
    found = []
    for one in alike:
        if not any(key == one or key.startswith(f"{one}.") for key in values):
            break
        if one + rest in values:
            found.append(one)
    return found
