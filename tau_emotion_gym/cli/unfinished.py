"""Runs of which something is missing: said beside what is told of the rest."""

from pathlib import Path

from tau_emotion_gym.cli.console import console
from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.evaluation.foreign import is_results_file
from tau_emotion_gym.rollouts import RunFolder
from tau_emotion_gym.rollouts.folder import EPISODES, read_lines


def warn_of_missing(path: Path) -> None:
    """Say on the error output how many episodes of a run were not played, or were spoilt by a server, if any."""
    if is_results_file(path):
        return
    planned = RunFolder.open(path).file.planned
    log = path / EPISODES
    outcomes = {line.head.place.key: line.head.outcome for line in read_lines(log)} if log.exists() else {}
    excluded = sum(outcome == Outcome.INFRASTRUCTURE for outcome in outcomes.values())
    missing = planned - len(outcomes)
    if not missing and not excluded:
        return
    out = console(stderr=True)
    out.print("[yellow]note:[/]", end=" ")
    out.print(
        f"of {planned:,} planned episodes of {path} {missing:,} are not finished, and a server failed in {excluded:,}; "
        f"to go on: tau-emotion eval --resume --out {path}",
        markup=False,
        soft_wrap=True,
    )
