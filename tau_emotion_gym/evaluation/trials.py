"""Trials: whole episodes played by a named agent with the scripted user, alone or in many processes."""

import multiprocessing
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

import msgspec

from tau_emotion_gym.agents import make_agent, play
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.episode import Episode, Outcome, Score
from tau_emotion_gym.evaluation.in_play import unsourced
from tau_emotion_gym.kit import Domain, Task
from tau_emotion_gym.kit.discovery import load_from
from tau_emotion_gym.users import ScriptedUser

NEUTRAL = -1
"""Stands in place of a condition's index for the neutral baseline."""

BATCH = 250
"""Episodes that a worker process plays before it reports."""


class Trial(msgspec.Struct, frozen=True, array_like=True):
    """How one episode went.

    Attributes:
        agent: the agent's name.
        task: the task's id.
        condition: index of the emotion condition, or `NEUTRAL`.
        outcome: why the episode ended.
        success: the agent's success.
        steps: actions of the agent.
        violations: ids of the rules broken.
        user_fault: the user was content with a wish unspoken.
        unsourced: "tool path=value" of each value written that nobody had said.
        reason: why the trial failed; empty for a success.
    """

    agent: str
    task: str
    condition: int
    outcome: Outcome
    success: bool
    steps: int
    violations: tuple[str, ...]
    user_fault: bool
    unsourced: tuple[str, ...]
    reason: str

    @property
    def where(self) -> str:
        """The condition's path."""
        return "neutral" if self.condition == NEUTRAL else CONDITIONS[self.condition].path


class Batch(msgspec.Struct, frozen=True):
    """Episodes of one domain for one agent; small enough to travel to a worker process.

    Attributes:
        domain: the domain's name.
        folder: the domain's folder, so that a worker finds a domain of the user's own.
        agent: the agent's name.
        episodes: (task id, condition index or `NEUTRAL`).
    """

    domain: str
    folder: str
    agent: str
    episodes: tuple[tuple[str, int], ...]


def batches(domain: Domain, agent: str, episodes: Iterable[tuple[str, int]], size: int = BATCH) -> list[Batch]:
    """The episodes cut into batches of `size`."""
    every = tuple(episodes)
    return [Batch(domain.name, str(domain.folder), agent, every[at : at + size]) for at in range(0, len(every), size)]


def run_batches(work: Sequence[Batch], jobs: int | None = None) -> Iterator[list[Trial]]:
    """Play batches, in as many processes as there are processors unless `jobs` says otherwise.

    Yields:
        The trials of one batch; with several processes in the order in which they finish.
    """
    jobs = min(jobs or processors(), len(work))
    if jobs <= 1:
        yield from map(run_batch, work)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = [pool.submit(run_batch, batch) for batch in work]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_batch(batch: Batch) -> list[Trial]:
    """Play one batch in this process."""
    domain = load_from(batch.domain, batch.folder)
    tasks = domain.test_tasks
    return [run_trial(domain, batch.agent, tasks[task], condition) for task, condition in batch.episodes]


def run_trial(domain: Domain, agent: str, task: Task, condition: int) -> Trial:
    """Play one episode."""
    episode = Episode(domain, task, None if condition == NEUTRAL else CONDITIONS[condition])
    score = play(episode, ScriptedUser(), make_agent(agent))
    return Trial(
        agent=agent,
        task=task.id,
        condition=condition,
        outcome=score.outcome,
        success=score.success,
        steps=episode.steps,
        violations=tuple(episode.violations),
        user_fault=episode.user_fault,
        unsourced=tuple(unsourced(episode)),
        reason="" if score.success else _reason(score),
    )


def _reason(score: Score) -> str:
    parts = [f"ended {score.outcome}", *score.differences[:3]]
    parts += [f"not told: {output.kind} {output.value}" for output in score.missing_outputs]
    return "; ".join(parts)
