"""The static check of a domain: its data, references, rules, provenance, coverage and mix."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from tau_emotion_gym.emotions import assigned
from tau_emotion_gym.errors import DataError, UnknownName
from tau_emotion_gym.kit import Domain, Kind, Task
from tau_emotion_gym.tasks import soundness, walks
from tau_emotion_gym.tasks.arguments import Step, step
from tau_emotion_gym.tasks.expected import expected_sets
from tau_emotion_gym.tasks.governed import ungoverned
from tau_emotion_gym.tasks.graph import edges
from tau_emotion_gym.tasks.plan import (
    DENY,
    FEWEST_CHAINED,
    HAND_OFF,
    MOST_EMERGENCIES,
    MOST_GOALS,
    SIZES,
    TEST_TASKS,
    Share,
)
from tau_emotion_gym.tasks.provenance import Told
from tau_emotion_gym.tasks.replay import ReplayError, identified, replay_task
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.world import Base, canonical, to_change_set

TRAIN_WORLDS = (0, 1)
"""Seeds of the training worlds that are looked at."""
TRAIN_TASKS = 48
"""Training tasks that are looked at in each."""


class Problem(msgspec.Struct, frozen=True):
    """Something wrong. `task` is "" when it concerns the domain as a whole."""

    task: str
    reason: str

    def __str__(self) -> str:
        return f"{self.task}: {self.reason}" if self.task else self.reason


class DomainReport(msgspec.Struct, frozen=True):
    """What the static check found.

    Attributes:
        domain: the domain's name.
        tasks: number of test tasks.
        problems: everything wrong; empty for a sound domain.
        sizes: number of goals → tasks.
        kinds: kind of goal → goals.
        intents: intent → goals.
        rules: rule → reference calls that it governs.
        writes: write tool → reference calls.
        chained: tasks with a chained goal.
        reveals: way of revealing → tasks.
        emergencies: ids of the tasks that a hand-off alone solves.
    """

    domain: str
    tasks: int
    problems: tuple[Problem, ...]
    sizes: Mapping[int, int]
    kinds: Mapping[str, int]
    intents: Mapping[str, int]
    rules: Mapping[str, int]
    writes: Mapping[str, int]
    chained: int
    reveals: Mapping[str, int]
    emergencies: tuple[str, ...]

    def summary(self) -> str:
        """The report as plain text."""

        def table(counts: Mapping[Any, int]) -> str:
            return ", ".join(f"{name} {count}" for name, count in counts.items())

        return "\n".join(
            [
                f"{self.domain}: {self.tasks} tasks, {self.chained} chained, {len(self.emergencies)} emergencies",
                f"  goals per task: {table(self.sizes)}",
                f"  kinds: {table(self.kinds)}",
                f"  reveal: {table(self.reveals)}",
                f"  intents: {table(self.intents)}",
                f"  rules: {table(self.rules)}",
                f"  writes: {table(self.writes)}",
                f"  problems: {len(self.problems)}",
                *(f"    {problem}" for problem in self.problems),
            ]
        )


def check_domain(domain: Domain) -> DomainReport:
    """Check a domain's shipped world and test tasks, and a sample of training tasks, without playing them."""
    problems: list[Problem] = []
    tasks: list[Task] = []
    try:
        tasks = list(domain.test_tasks.values())
        edges(domain)
        problems += _disjoint(domain)
        for row, task in enumerate(tasks):
            problems += (Problem(task.id, reason) for reason in task_problems(domain, task, row))
    except (DataError, UnknownName) as error:
        problems.append(Problem("", str(error)))
    problems += _training_problems(domain)
    report = _counted(domain, tasks)
    problems += (
        Problem("", reason) for reason in (*ungoverned(domain), *_coverage(report), *_mix(report), *_alike(tasks))
    )
    return msgspec.structs.replace(report, problems=tuple(problems))


def _counted(domain: Domain, tasks: Sequence[Task]) -> DomainReport:
    """The report's figures, without its problems."""
    goals = [goal for task in tasks for goal in task.goals]
    called = Counter(call.name for task in tasks for call in task.calls)
    return DomainReport(
        domain=domain.name,
        tasks=len(tasks),
        problems=(),
        sizes=dict(sorted(Counter(len(task.goals) for task in tasks).items())),
        kinds={kind.value: sum(goal.kind is kind for goal in goals) for kind in Kind},
        intents={name: sum(goal.intent == name for goal in goals) for name in domain.intents},
        rules={rule.id: sum(called[tool] for tool in rule.tools) for rule in domain.rules},
        writes={name: called[name] for name, tool in domain.tools.items() if tool.writes},
        chained=sum(is_chained(domain, task) for task in tasks),
        reveals=dict(sorted(Counter(task.reveal for task in tasks).items())),
        emergencies=tuple(task.id for task in tasks if is_emergency(domain, task)),
    )


def _training_problems(domain: Domain) -> Iterator[Problem]:
    """What is wrong with the first training tasks. Whatever a domain's code raises there is a problem too."""
    for seed in TRAIN_WORLDS:
        for index in range(TRAIN_TASKS):
            name = f"train-{seed}-{index}"
            try:
                task = train_task(domain, seed, index)
            except Exception as error:
                yield Problem(name, f"{type(error).__name__}: {error}")
                break
            yield from (Problem(name, reason) for reason in task_problems(domain, task))


def is_chained(domain: Domain, task: Task) -> bool:
    """Whether the task has a goal whose outcome depends on an earlier one."""
    return any(goal.intent in domain.intents and domain.intents[goal.intent].follows for goal in task.goals)


def is_emergency(domain: Domain, task: Task) -> bool:
    """Whether the task is an emergency, which a hand-off alone solves."""
    return any(goal.intent in domain.intents and domain.intents[goal.intent].emergency for goal in task.goals)


# --- one task ---------------------------------------------------------------------------------------


def task_problems(domain: Domain, task: Task, row: int | None = None) -> Iterator[str]:
    """Everything wrong with one task. `row`: its place in the test set, None for a training task."""
    if not 1 <= len(task.goals) <= MOST_GOALS:
        yield f"has {len(task.goals)} goals, not 1 to {MOST_GOALS}"
        return
    if unknown := [goal.intent for goal in task.goals if goal.intent not in domain.intents]:
        yield f"unknown intents {unknown}"
        return
    if task.domain != domain.name:
        yield f"belongs to the domain {task.domain!r}"
    if row is not None and task.condition != assigned(domain.ordinal, row).index:
        yield f"condition {task.condition} is not the one assigned to row {row}"
    try:
        replay = replay_task(domain, task)
    except ReplayError as error:
        yield f"the reference fails at call {error.index}: {error.reason}"
        return
    if (found := identified(replay.done[0].value)) != task.customer:
        yield f"identification finds {found} and not the customer {task.customer}"
    if strange := sorted({fact.slot for fact in task.identity} - domain.slots.keys()):
        yield f"identity: the slots {strange} are not among the domain's slots"
    yield from (f"call {index} breaks the rule {rule}" for index, rule in replay.violations)
    changes = replay.world.changes()
    try:
        if canonical(changes) not in expected_sets(domain, task):
            yield "the reference does not reach the expected changes"
    except DataError as error:
        yield str(error)
    steps = [step(domain, call, done) for call, done in zip(task.calls, replay.done, strict=True)]
    facts = [*task.identity, *(fact for goal in task.goals for fact in goal.facts)]
    for reason in (
        soundness.for_nothing(domain, task.goals, to_change_set(changes)),
        soundness.given_away(domain, facts, task.goals),
        soundness.ambiguous(task.goals),
        walks.astray(domain, facts, steps),
    ):
        if reason is not None:
            yield reason
    if (twice := walks.repeated(domain, task.goals)) is not None:
        yield f"{twice} twice"
    yield from _goal_problems(domain, task, steps)


def _goal_problems(domain: Domain, task: Task, steps: Sequence[Step]) -> Iterator[str]:
    told, at = Told(domain, task.identity), 1
    told.add(steps[0].done)
    for goal in task.goals:
        told.hear(goal.facts)
        tools = walks.tools_used(task.identify.name, goal)
        for reason in (
            soundness.unlike_its_kind(domain, goal, tools),
            soundness.unsayable(domain, domain.intents[goal.intent], goal),
            soundness.twin(domain, (*task.identity, *goal.facts), steps[: at + len(goal.calls)], at),
        ):
            if reason is not None:
                yield f"{goal.intent}: {reason}"
        end = at + len(goal.calls)
        found, missing = told.sources(steps[at:end])
        yield from (f"{goal.intent}: nobody says where {place} comes from" for place in missing)
        if found != goal.sources:
            yield f"{goal.intent}: the stored sources are not those of its values"
        at = end


# --- the set ----------------------------------------------------------------------------------------


def _coverage(report: DomainReport) -> Iterator[str]:
    for what in ("intents", "rules", "writes"):
        if unused := [name for name, count in getattr(report, what).items() if not count]:
            yield f"no task uses the {what} {', '.join(unused)}"


def _mix(report: DomainReport) -> Iterator[str]:
    if report.tasks != TEST_TASKS:
        yield f"{report.tasks} test tasks instead of {TEST_TASKS}"
    for size, share in SIZES.items():
        yield from _outside(f"tasks with {size} goals", report.sizes.get(size, 0), report.tasks, share)
    goals = sum(report.kinds.values())
    yield from _outside("refusals among the goals", report.kinds[Kind.DENY], goals, DENY)
    yield from _outside("hand-offs among the goals", report.kinds[Kind.HAND_OFF], goals, HAND_OFF)
    if report.chained < FEWEST_CHAINED:
        yield f"{report.chained} chained tasks, fewer than {FEWEST_CHAINED}"
    if len(report.emergencies) > MOST_EMERGENCIES:
        yield f"{len(report.emergencies)} emergencies, more than {MOST_EMERGENCIES}"


def _alike(tasks: Sequence[Task]) -> Iterator[str]:
    signatures = Counter((task.customer, *(goal.intent for goal in task.goals)) for task in tasks)
    for signature, count in signatures.items():
        if count > 1:
            yield f"{count} tasks share the customer and intents {signature}"


def _outside(what: str, count: int, total: int, share: Share) -> Iterator[str]:
    percent = 100 * count / total if total else 0.0
    if not share.least <= percent <= share.greatest:
        yield f"{what}: {percent:.1f} %, not {share.least:g} to {share.greatest:g} %"


def _disjoint(domain: Domain) -> Iterator[Problem]:
    test = domain.test_base
    for seed in TRAIN_WORLDS:
        for table, shared in shared_ids(test, domain.train_base(seed)).items():
            some = ", ".join(sorted(shared)[:3])
            yield Problem("", f"training world {seed} and the test world share ids of {table}: {some}")


def shared_ids(one: Base, other: Base) -> dict[str, frozenset[str]]:
    """Table → ids that both worlds have; a table that is the same in both is a constant and left out."""
    return {
        kind.table: shared
        for kind, rows in one.tables.items()
        if rows != other.tables[kind] and (shared := frozenset(rows) & frozenset(other.tables[kind]))
    }
