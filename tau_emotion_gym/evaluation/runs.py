"""Runs to report on: a run's folder, or a results file from elsewhere, as rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym.episode.episode import MAX_STEPS
from tau_emotion_gym.errors import DataError
from tau_emotion_gym.evaluation.foreign import is_results_file, read_results
from tau_emotion_gym.evaluation.results import Result, results_of
from tau_emotion_gym.rollouts import Place, RunFolder, plan, records
from tau_emotion_gym.rollouts.folder import EPISODES
from tau_emotion_gym.rollouts.rescore import RESCORED

Spec = str | Mapping[str, Any]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run with all that a report needs of it.

    Attributes:
        name: of the folder or file.
        rows: one per planned episode.
        agent, user: names of the models, or of the agent and user that have none; "" when a file does not tell.
        agent_spec, user_spec: their configurations, for prices.
        folder: the run's folder; None for a file from elsewhere.
        hash: of the run's configuration.
        plan: every episode; empty for a file from elsewhere.
        max_steps: the run's limit of actions.
    """

    name: str
    rows: tuple[Result, ...]
    agent: str = ""
    user: str = ""
    agent_spec: Spec = ""
    user_spec: Spec = ""
    folder: Path | None = None
    hash: str = ""
    plan: tuple[Place, ...] = ()
    max_steps: int = MAX_STEPS


def read_run(path: str | Path, *, rescored: bool = False) -> Run:
    """The run in a folder, or the results file of another package at this path.

    Args:
        path: folder or file.
        rescored: take the scores that `rescore` has written beside the log.

    Raises:
        DataError: there is neither, or it is damaged.
    """
    return _foreign(Path(path)) if is_results_file(path) else _own(Path(path), rescored)


def label(spec: Spec) -> str:
    """A short name for an agent's or user's configuration: its model's, else its kind."""
    if isinstance(spec, str):
        return spec
    model = spec.get("model")
    return label(model) if isinstance(model, Mapping) else str(model or spec.get("kind", ""))


def _own(path: Path, rescored: bool) -> Run:
    folder = RunFolder.open(path)
    config = folder.config
    agent, user = label(config.agent), label(config.user)
    places = plan(config)
    log = RESCORED if rescored else EPISODES
    if rescored and not (path / log).exists():
        raise DataError(f"{path} has no new scores: tau-emotion rescore {path} makes them")
    played = records(path, log) if rescored or (path / log).exists() else ()
    return Run(
        name=path.resolve().name,
        rows=tuple(results_of(played, places, agent=agent, user=user)),
        agent=agent,
        user=user,
        agent_spec=config.agent,
        user_spec=config.user,
        folder=path,
        hash=folder.file.hash,
        plan=tuple(places),
        max_steps=config.max_steps,
    )


def _foreign(path: Path) -> Run:
    found = read_results(path)
    rows = results_of(found.records, agent=found.agent, user=found.user)
    return Run(name=path.name, rows=tuple(rows), agent=found.agent, user=found.user)


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number behind those that occurred before."""
    seen: dict[str, int] = {}
    made = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return made
