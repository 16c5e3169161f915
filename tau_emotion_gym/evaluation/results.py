"""One row per planned episode: what it was about and, when it has been played, how it went."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from tau_emotion_gym.emotions import EmotionCondition
from tau_emotion_gym.episode.info import NEUTRAL
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.kit import Domain, load
from tau_emotion_gym.llm import NO_USAGE, Usage
from tau_emotion_gym.rollouts import Place, Record
from tau_emotion_gym.tasks.train import task_by_id


class Emotion(NamedTuple):
    """The five names of a condition; all empty for neutral and for what is no condition of this package."""

    family: str = ""
    leaf: str = ""
    politeness: str = ""
    urgency: str = ""
    trust: str = ""


class Shape(NamedTuple):
    """What is known of a task.

    Attributes:
        writes: write calls of its reference.
        goals: wishes.
        reveal: "together" or "one_by_one".
    """

    writes: int
    goals: int
    reveal: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A planned episode.

    Attributes:
        place: which episode.
        emotion: the names of its condition.
        shape: its task; None when this package does not have it.
        finished: it has been played to an end.
        outcome: why it ended; "" when it has not.
        success, strict_success, reward, user_fault, violations: as in `Record`.
        steps, tool_calls, tool_errors, questions: counts of the agent's actions.
        agent_usage, user_usage: tokens by role.
        seconds: wall time.
        agent, user: names of the models, or of the agent and user that have none.
    """

    place: Place
    emotion: Emotion = Emotion()
    shape: Shape | None = None
    finished: bool = False
    excluded: bool = False
    outcome: str = ""
    success: bool = False
    strict_success: bool = False
    reward: float = 0.0
    user_fault: bool = False
    violations: tuple[str, ...] = ()
    steps: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    questions: int = 0
    agent_usage: Usage = NO_USAGE
    user_usage: Usage = NO_USAGE
    seconds: float = 0.0
    agent: str = ""
    user: str = ""

    @property
    def scored(self) -> bool:
        """It says something about the agent: finished, and no server failed."""
        return self.finished and not self.excluded

    @property
    def task(self) -> tuple[str, str]:
        """What is resampled as a whole: domain and task, over all arms and trials."""
        return self.place.domain, self.place.task_id

    @property
    def unit(self) -> tuple[str, str, str]:
        """What is tried k times: domain, task and arm."""
        return self.place.domain, self.place.task_id, self.place.arm

    @property
    def neutral(self) -> bool:
        """Played without an emotion."""
        return self.place.emotion == NEUTRAL


class Counts(msgspec.Struct, frozen=True):
    """How many episodes stand behind a figure.

    Attributes:
        planned: that the run has.
        finished: that were played to an end; the others are still to be played.
        scored: that count: finished, less the excluded.
        excluded: finished, but a server failed.
        tasks: different tasks among the scored, whatever the arm.
    """

    planned: int = 0
    finished: int = 0
    scored: int = 0
    excluded: int = 0
    tasks: int = 0


def counts(rows: Iterable[Result]) -> Counts:
    """The counts of some rows."""
    every = list(rows)
    finished = sum(row.finished for row in every)
    scored = [row for row in every if row.scored]
    return Counts(
        len(every), finished, len(scored), sum(row.excluded for row in every), len({row.task for row in scored})
    )


def results_of(
    records: Iterable[Record], plan: Sequence[Place] | None = None, *, agent: str = "", user: str = ""
) -> list[Result]:
    """A row for every planned episode.

    Args:
        records: episodes that have ended; of several at one place the last one counts.
        plan: every episode of the run. Without it, every task under every arm that it occurs with is taken to be
            tried as often as the most-tried one.
        agent, user: names of the models.

    Raises:
        TauEmotionError: a record that is not in the plan, or a plan that names an episode twice.
    """
    played = {record.place.key: _played(record, agent, user) for record in records}
    if plan is None:
        plan = list(_square([result.place for result in played.values()]))
    _check(plan, played)
    return [played.get(place.key) or _described(place, agent, user) for place in plan]


def _described(place: Place, agent: str, user: str) -> Result:
    return Result(place=place, emotion=emotion_of(place.emotion), shape=_shape(place), agent=agent, user=user)


def _played(record: Record, agent: str, user: str) -> Result:
    return msgspec.structs.replace(
        _described(record.place, agent, user),
        finished=True,
        excluded=record.excluded,
        outcome=record.outcome,
        success=record.success,
        strict_success=record.strict_success,
        reward=record.reward,
        user_fault=record.user_fault,
        violations=record.violations,
        steps=record.steps,
        tool_calls=record.tool_calls,
        tool_errors=record.tool_errors,
        questions=record.questions,
        agent_usage=record.agent_usage,
        user_usage=record.user_usage,
        seconds=record.seconds,
    )


def _square(places: Sequence[Place]) -> Iterator[Place]:
    """Every unit that occurs, with every number of a trial that occurs."""
    trials = sorted({place.trial for place in places})
    known = {place.key: place for place in places}
    for first in {(place.domain, place.task_id, place.arm): place for place in reversed(places)}.values():
        for trial in trials:
            place = msgspec.structs.replace(first, trial=trial)
            yield known.get(place.key, place)


def _check(plan: Sequence[Place], played: dict[str, Result]) -> None:
    keys = Counter(place.key for place in plan)
    if twice := next((key for key, count in keys.items() if count > 1), None):
        raise TauEmotionError(f"the plan of the run names {twice} twice")
    if stray := next((key for key in played if key not in keys), None):
        raise TauEmotionError(f"the log holds {stray}, which is not in the plan of the run")


def emotion_of(path: str) -> Emotion:
    """The names in a condition's path; empty ones for "neutral" and for what is no path of a condition."""
    names = path.split("/")
    try:
        condition = EmotionCondition(*names) if len(names) == len(Emotion._fields) else None
    except TauEmotionError:
        return Emotion()
    return Emotion(*msgspec.structs.astuple(condition)) if condition else Emotion()


def _shape(place: Place) -> Shape | None:
    return shape_of(place.domain, place.task_id)


@lru_cache(maxsize=100_000)
def shape_of(domain_name: str, task_id: str) -> Shape | None:
    """What is known of a task; None when this package does not have it."""
    try:
        domain = load(domain_name)
        task = task_by_id(domain, task_id)
    except TauEmotionError:
        return None
    return Shape(sum(_writes(domain, call.name) for call in task.calls), len(task.goals), task.reveal)


def _writes(domain: Domain, tool: str) -> bool:
    return tool in domain.tools and domain.tools[tool].writes
