"""Replaying a reference: every call bound, checked against the rules, and run."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.kit import BadArgumentsError, Call, Context, Domain, Done, Rule, Task, Tool, ToolError
from tau_emotion_gym.world import Base, Record, World
from tau_emotion_gym.world.records import record_id


class ReplayError(TauEmotionError):
    """A reference call that fails.

    Attributes:
        task_id: the task's id, "" for calls that belong to no task yet.
        index: place of the call in the reference, from 0.
        reason: what the tool said.
    """

    def __init__(self, task_id: str, index: int, reason: str) -> None:
        super().__init__(f"task {task_id or '(draft)'}, call {index}: {reason}")
        self.task_id = task_id
        self.index = index
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return ReplayError, (self.task_id, self.index, self.reason)


class Replay(NamedTuple):
    """Where a reference leads."""

    world: World
    done: list[Done]
    violations: list[tuple[int, str]]
    """(index of the call, id of the rule that it breaks)"""


def identified(value: Any) -> str:
    """The customer's id in the result of an identification tool: an id, or a struct that begins with it."""
    if isinstance(value, str):
        return value
    if isinstance(value, Record):
        return record_id(value)
    return str(getattr(value, value.__struct_fields__[0]))


@cache
def _governed(domain: Domain) -> Mapping[str, tuple[Tool, tuple[Rule, ...]]]:
    """Tool name → the tool and the rules that replay can check on it."""
    return {
        name: (tool, tuple(rule for rule in domain.rules_of[name] if not rule.in_play))
        for name, tool in domain.tools.items()
    }


class Replayer:
    """Runs reference calls one after another in one world.

    Attributes:
        world: the state reached so far.
        done: the calls made so far.
        violations: (index of the call, id of the rule that it broke).
    """

    __slots__ = ("_context", "_domain", "_governed", "done", "task_id", "violations", "world")

    def __init__(self, domain: Domain, base: Base, task_id: str = "") -> None:
        self._domain = domain
        self._governed = _governed(domain)
        self.task_id = task_id
        self.world = World(base)
        self.done: list[Done] = []
        self.violations: list[tuple[int, str]] = []
        self._context = Context(self.world, self.done, [])

    def run(self, call: Call) -> Any:
        """Run one call and return the tool's result.

        Raises:
            ReplayError: an unknown tool, arguments off its schema, or an error of the tool.
        """
        found = self._governed.get(call.name)
        if found is None:
            raise self._error(f"unknown tool {call.name!r}")
        tool, rules = found
        try:
            bound = tool.bind(call.arguments)
            for rule in rules:
                if not rule.check(self._context, bound):
                    self.violations.append((len(self.done), rule.id))
            value = tool.run(self.world, bound)
        except BadArgumentsError as error:
            raise self._error(str(error)) from None
        except ToolError as error:
            raise self._error(f"{call.name}: {error}") from None
        self.done.append(Done(call.name, msgspec.structs.asdict(bound), True, value))
        if call.name in self._domain.identify_tools:
            self._context.serve(identified(value))
        return value

    def _error(self, reason: str) -> ReplayError:
        return ReplayError(self.task_id, len(self.done), reason)


def replay(domain: Domain, base: Base, calls: Iterable[Call], task_id: str = "") -> Replay:
    """Run `calls` from the start of `base`.

    Raises:
        ReplayError: with the task's id, the call's index and the reason.
    """
    runner = Replayer(domain, base, task_id)
    for call in calls:
        runner.run(call)
    return Replay(runner.world, runner.done, runner.violations)


def replay_task(domain: Domain, task: Task) -> Replay:
    """Run a task's whole reference in the task's own world."""
    return replay(domain, domain.base(task.world), task.calls, task.id)
