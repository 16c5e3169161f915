"""`tau-emotion rescore`: new scores for a run, without a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tau_emotion_gym.cli.console import complain, console
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.rollouts.rescore import Rescored, rescore

HELP = """Score a run's episodes anew from its log, without a model.

Every dialogue is played again by the rules and data of this version. The new log, episodes.rescored.jsonl, stands
beside the old one, which stays as it is.

The exit status is 1 when an episode cannot be played again; it is then missing from the new log.

[bold]Examples[/]

  tau-emotion rescore runs/qwen3-8b-1a2b3c4d

  tau-emotion rescore runs/qwen3-8b-1a2b3c4d --reward violation=-0.5 step=-0.01"""

MOST_SHOWN = 10
"""Episodes that are listed."""


def rescore_run(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    reward: Annotated[
        list[str] | None,
        typer.Option("--reward", metavar="TERM=WEIGHT", help="Weight of a reward term; the run's own when none."),
    ] = None,
) -> None:
    """Rescore a run and say what changed."""
    found = rescore(run, reward=_weights(reward) if reward else None)
    _show(found)
    if found.unplayable:
        for key, why in list(found.unplayable.items())[:MOST_SHOWN]:
            complain(why if key in why else f"{key}: {why}")
        complain(f"{len(found.unplayable)} of {found.read} episodes cannot be played again")
        raise typer.Exit(1)


def _weights(options: Sequence[str]) -> dict[str, float]:
    weights = {}
    for option in options:
        term, _, number = option.partition("=")
        try:
            weights[term.strip()] = float(number)
        except ValueError:
            raise TauEmotionError(f"a reward term is TERM=WEIGHT, for example violation=-0.5; not {option!r}") from None
    return weights


def _show(found: Rescored) -> None:
    out = console()
    out.print(f"{found.read} episodes: {len(found.changed)} scored otherwise", end="")
    out.print(f" ({found.gained} more successes, {found.lost} fewer)" if found.changed else "")
    for key, names in list(found.changed.items())[:MOST_SHOWN]:
        out.print(f"  {key}: {', '.join(names)}", markup=False, soft_wrap=True)
    if len(found.changed) > MOST_SHOWN:
        out.print(f"  and {len(found.changed) - MOST_SHOWN} more")
    out.print(f"written: {found.file}", markup=False, soft_wrap=True)
