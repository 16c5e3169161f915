"""A run's log as export needs it: in an order that does not depend on how the run was scheduled."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym.rollouts import Place, Record, records
from tau_emotion_gym.rollouts.folder import EPISODES, RunFolder, exists


class Origin(msgspec.Struct, frozen=True):
    """What a run's own file says of all its episodes.

    Attributes:
        agent: the name of the agent, or of its model; "" when it is not known.
        think_tool: the `think` tool was on offer.
    """

    agent: str = ""
    think_tool: bool = False


def run_records(run: str | Path) -> Iterator[Record]:
    """The records of a run (see `rollouts.records`), by domain, task, arm and trial.

    Args:
        run: a run's folder, or its log.

    Raises:
        DataError: there is no log, or a line other than the last is damaged.
    """
    log = log_of(run)
    return records(log.parent, log.name, _order)


def log_of(run: str | Path) -> Path:
    """The log of a run that is named by its folder or by its log."""
    path = Path(run)
    return path / EPISODES if path.is_dir() else path


def origin(run: str | Path) -> Origin:
    """What is known of a run beside its records; domains of one's own that it plays become known.

    Raises:
        DataError: its `run.json` is damaged.
    """
    folder = log_of(run).parent
    if not exists(folder):
        return Origin()
    config = RunFolder.open(folder).config
    agent = config.agent if isinstance(config.agent, str) else config.agent.get("model", config.agent["kind"])
    return Origin(str(agent), config.think_tool)


def _order(place: Place) -> tuple[Any, ...]:
    """Sorts tasks by the numbers in their names, "train-0-9" before "train-0-10"."""
    parts = re.split(r"(\d+)", place.task_id)
    natural = tuple(int(part) if number % 2 else part for number, part in enumerate(parts))
    return place.domain, natural, place.task_id, place.arm, place.trial
