"""Reading a domain's test tasks: every name that a task gives must be one of the domain's."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from tau_emotion_gym.errors import DataError, UnknownName, unknown
from tau_emotion_gym.kit.intent import Intent, missing_fill
from tau_emotion_gym.kit.task import Goal, Task


class Names(msgspec.Struct, frozen=True):
    """What tasks may speak of."""

    domain: str
    tools: Collection[str]
    identify_tools: Collection[str]
    intents: Mapping[str, Intent]
    slots: Collection[str]


def read_tasks(path: Path, names: Names) -> dict[str, Task]:
    """The tasks of a file with one JSON object a line, by id, in order.

    Raises:
        DataError: with file, line and reason.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError(f"domain {names.domain}: {path} {_why(error)}") from None
    if not lines:
        raise DataError(f"{path}: holds no task")
    decoder = msgspec.json.Decoder(Task)
    tasks: dict[str, Task] = {}
    for number, line in enumerate(lines, 1):
        try:
            task = decoder.decode(line)
            _check(task, names)
        except (msgspec.DecodeError, UnicodeDecodeError, UnknownName, DataError) as error:
            raise DataError(f"{path}, line {number}: {error}") from None
        if task.id in tasks:
            raise DataError(f"{path}, line {number}: the task id {task.id!r} occurs twice")
        tasks[task.id] = task
    return tasks


def read_policy(path: Path) -> str:
    """The prose of a `policy.md`.

    Raises:
        DataError: the file is missing or no UTF-8, or does not say exactly once where the rules stand.
    """
    try:
        prose = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} {_why(error)}") from None
    if (found := prose.count("{rules}")) != 1:
        raise DataError(f"{path}: {found or 'no'} {{rules}} lines for the rules to stand in, instead of one")
    return prose


def _why(error: Exception) -> str:
    return "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"


def _check(task: Task, names: Names) -> None:
    """Raise what is wrong with the names in a task."""
    if task.domain != names.domain:
        raise DataError(f"the task is of the domain {task.domain!r}, not of {names.domain!r}")
    for kind, given, known in _mentions(task, names):
        for name in given:
            if name not in known:
                raise unknown(kind, name, known)
    for goal in task.goals:
        _check_goal(goal, names.intents[goal.intent])


def _mentions(task: Task, names: Names) -> Iterator[tuple[str, Iterable[str], Collection[str]]]:
    yield "intent", (goal.intent for goal in task.goals), names.intents
    yield "identification tool", (task.identify.name,), names.identify_tools
    yield "tool", (call.name for call in task.calls), names.tools
    yield "slot", (fact.slot for fact in task.identity), names.slots
    yield "slot", (fact.slot for goal in task.goals for fact in goal.facts), names.slots


def _check_goal(goal: Goal, intent: Intent) -> None:
    if goal.kind is not intent.kind:
        raise DataError(f"the intent {intent.name} is of the kind {intent.kind}, not {goal.kind}")
    if missing := missing_fill(intent, goal):
        raise DataError(f"the intent {intent.name} has placeholders without fill: {missing}")
