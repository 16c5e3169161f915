"""`tau-emotion behaviour`: how the agent of a run behaved, and what its questions cause."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from tau_emotion_gym.cli.console import console
from tau_emotion_gym.cli.run_line import RunLine
from tau_emotion_gym.cli.unfinished import warn_of_missing
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.evaluation.behaviour import (
    BehaviourReport,
    Interval,
    Study,
    behaviours_of,
    report_behaviour,
    study,
)
from tau_emotion_gym.evaluation.foreign import is_results_file, read_results
from tau_emotion_gym.evaluation.paired import Difference
from tau_emotion_gym.evaluation.runs import label
from tau_emotion_gym.rollouts import Knobs, RunFolder

HELP = """Show how the agent of a run behaved: calls, messages, questions by kind, and how these go with success.

That is correlation. With --interventions the run's agent plays the same tasks and seeds again with its questions
capped, forced, bundled and split; the differences are what the questions cause. Those runs are kept in the folder and
resumed.

[bold]Examples[/]

  tau-emotion behaviour runs/qwen3-8b-1a2b3c4d

  tau-emotion behaviour results.json

  tau-emotion behaviour runs/mine --interventions runs/mine-questions --concurrency 32"""


def show_behaviour(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or a result file.")],
    interventions: Annotated[
        Path | None, typer.Option("--interventions", metavar="FOLDER", help="Play interventions into this folder.")
    ] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help="Episodes at once.")] = 16,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Show the behaviour in a run."""
    report = _report(run)
    warn_of_missing(run)
    made = _study(run, interventions, concurrency) if interventions else None
    if as_json:
        print(msgspec.json.format(msgspec.json.encode({"behaviour": report, "study": made})).decode())
        return
    out = console()
    _show(out, report)
    if made is not None:
        _show_study(out, made)


def _report(path: Path) -> BehaviourReport:
    if is_results_file(path):
        results = read_results(path)
        return report_behaviour(behaviours_of(results.records), agent=results.agent, user=results.user)
    folder = RunFolder.open(path)
    config = folder.config
    return report_behaviour(behaviours_of(folder.records()), agent=label(config.agent), user=label(config.user))


def _study(path: Path, folder: Path, concurrency: int) -> Study:
    if is_results_file(path):
        raise TauEmotionError(f"{path}: interventions need a run of this package, whose agent can play again")
    knobs = Knobs(concurrency=concurrency)
    with RunLine() as line:
        return study(RunFolder.open(path).config, folder, original=path, knobs=knobs, progress=line.update)


def _show(out: Console, report: BehaviourReport) -> None:
    out.print(
        f"agent {report.agent or 'unknown'}, user {report.user or 'unknown'}: {report.episodes:,} episodes, "
        f"{report.successes:,} successes",
        markup=False,
    )
    table = Table("in an episode", box=None, padding=(0, 2, 0, 0))
    for column in ("mean", "succeeded", "failed", "difference", "rank correlation with success"):
        table.add_column(column, justify="right")
    for one in report.relations:
        table.add_row(
            one.measure.replace("_", " "),
            _number(one.mean.value),
            _number(one.success),
            _number(one.failure),
            _interval(one.difference),
            _interval(one.correlation),
        )
    out.print(table)
    out.print(report.note, markup=False)


def _show_study(out: Console, made: Study) -> None:
    out.print()
    table = Table("questions", box=None, padding=(0, 2, 0, 0))
    for column in ("success, in points", "customers who leave", "questions", "calls", "pairs"):
        table.add_column(column, justify="right")
    for one in made.effects:
        table.add_row(
            one.arm,
            _points(one.success),
            _points(one.left),
            _change(one.questions),
            _change(one.tool_calls),
            str(one.success.pairs or "no pairs"),
        )
    out.print(table)
    out.print("Differences to the agent as it is, on the same tasks and seeds, with 95 % intervals.")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _interval(found: Interval) -> str:
    if found.value is None:
        return "-"
    if found.low is None or found.high is None:
        return f"{found.value:+.2f}"
    return f"{found.value:+.2f} ({found.low:+.2f} to {found.high:+.2f})"


def _change(means: tuple[float, float] | None) -> str:
    return "-" if means is None else f"{means[1]:.1f} → {means[0]:.1f}"


def _points(found: Difference) -> str:
    if found.value is None or found.low is None or found.high is None:
        return "-"
    return f"{100 * found.value:+.1f} ({100 * found.low:+.1f} to {100 * found.high:+.1f})"
