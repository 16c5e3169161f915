"""What agents without a model score on the same tasks: the floor and the ceiling beside a run's figures."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tau_emotion_gym.agents import make_agent, play
from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.episode.episode import MAX_STEPS
from tau_emotion_gym.evaluation.metrics import Figure, rate
from tau_emotion_gym.evaluation.paired import left
from tau_emotion_gym.evaluation.results import results_of
from tau_emotion_gym.kit import load
from tau_emotion_gym.rollouts import Place, Record, record_of
from tau_emotion_gym.rollouts.identity import data_digests, hash_of, package_version, phrases_digest
from tau_emotion_gym.tasks.train import task_by_id
from tau_emotion_gym.users import ScriptedUser

BASELINES = ("null", "refuse_all", "transfer_only", "reference")
"""Agents that are played: three that do no work, and the one that does it right."""

FILE = "baselines.json"


class Baseline(msgspec.Struct, frozen=True):
    """How an agent without a model does.

    Attributes:
        agent: its name.
        success: share of the episodes that it solves.
        leave_rate: share that the customer leaves.
    """

    agent: str
    success: Figure
    leave_rate: Figure


class _Kept(msgspec.Struct, frozen=True):
    """What stands in `baselines.json`.

    Attributes:
        hash: of all that decides what the baselines score.
    """

    hash: str
    baselines: tuple[Baseline, ...]


def baselines_of(plan: Sequence[Place], max_steps: int = MAX_STEPS) -> tuple[Baseline, ...]:
    """Play each baseline once for each task and arm of a plan, under its first trial's seed and emotion, with the
    scripted user, who leaves when affect says so, whatever the run's `user_exit`.

    Args:
        plan: the episodes of a run.
        max_steps: as in the run.

    Raises:
        UnknownName: the plan has a domain or task that this package does not have.
    """
    first = {(place.domain, place.task_id, place.arm): place for place in reversed(plan)}
    places = list(reversed(first.values()))
    return tuple(_baseline(agent, places, max_steps) for agent in BASELINES)


def kept_baselines(folder: Path, plan: Sequence[Place], max_steps: int = MAX_STEPS) -> tuple[Baseline, ...]:
    """`baselines_of`, kept in the run's folder as `baselines.json` for the next time.

    What was kept is played again where the arguments, the package's version or its wordings, or a domain's data or
    code have become other ones.

    Args:
        folder: the run's folder; where it cannot be written, nothing is kept.
        plan, max_steps: as in `baselines_of`.
    """
    path = folder / FILE
    current = _hash(plan, max_steps)
    with suppress(OSError, UnicodeDecodeError, msgspec.DecodeError):
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
        if kept.hash == current:
            return kept.baselines
    found = baselines_of(plan, max_steps)
    with suppress(OSError):
        path.write_bytes(msgspec.json.format(msgspec.json.encode(_Kept(current, found))) + b"\n")
    return found


def _hash(plan: Sequence[Place], max_steps: int) -> str:
    return hash_of(
        {
            "package": package_version(),
            "phrases": phrases_digest(),
            "domains": {name: data_digests(load(name)) for name in {place.domain for place in plan}},
            "plan": msgspec.to_builtins(plan),
            "max_steps": max_steps,
        }
    )


def _baseline(agent: str, places: Sequence[Place], max_steps: int) -> Baseline:
    rows = results_of(_played(agent, places, max_steps), places)
    return Baseline(agent, rate(rows), rate(rows, left))


def _played(agent: str, places: Sequence[Place], max_steps: int) -> Iterator[Record]:
    user = ScriptedUser()
    for place in places:
        domain = load(place.domain)
        task = task_by_id(domain, place.task_id)
        condition = resolve(place.emotion, assigned=None, seed=0)
        episode = Episode(domain, task, condition, seed=int(place.seed), max_steps=max_steps)
        play(episode, user, make_agent(agent))
        yield record_of(episode, place, ())
