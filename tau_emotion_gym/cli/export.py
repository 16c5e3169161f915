"""`tau-emotion export`: training files from the logs of runs."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tau_emotion_gym import tracer
from tau_emotion_gym.cli.console import complain, console
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.evaluation.foreign import is_results_file
from tau_emotion_gym.tracer import FORMATS, MEANINGS, SPLITS, Counts, Limits, Settings

HELP = """Write the good episodes of runs as rows for supervised fine-tuning.

Kept is what succeeded within policy and did not lean on the customer. The table says what each filter dropped. A
conversation that several runs hold is kept once.

Rows of test tasks are refused: they would teach a model its own test.

[bold]Examples[/]

  tau-emotion export runs/teacher --out sft.jsonl

  tau-emotion export runs/teacher runs/other --out sft.jsonl

  tau-emotion export runs/teacher --out sft.jsonl --format hermes --keep-thoughts

  tau-emotion export runs/teacher --out sft.jsonl --most-unnecessary-questions 0

  tau-emotion export runs/teacher --out sft.jsonl --split-by domain      (sft-retail.jsonl, …)"""


def export_run(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs, or their episodes.jsonl.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write, JSON Lines.")],
    file_format: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help=f"One of: {', '.join(FORMATS)}.")
    ] = "openai",
    keep_thoughts: Annotated[
        bool, typer.Option("--keep-thoughts", help="Keep what the agent thought, as think blocks.")
    ] = False,
    most_unnecessary_questions: Annotated[
        int,
        typer.Option(
            min=-1,
            metavar="N",
            help="Redundant, avoidable and dripped questions that an episode may hold; -1 for any number.",
        ),
    ] = 1,
    most_tool_errors: Annotated[
        int, typer.Option(min=-1, metavar="N", help="Tool errors that an episode may hold; -1 for any number.")
    ] = -1,
    strict: Annotated[bool, typer.Option(help="Drop episodes in which a policy rule was broken.")] = True,
    split_by: Annotated[
        str | None, typer.Option("--split-by", metavar="KEY", help=f"A file per value of: {', '.join(SPLITS)}.")
    ] = None,
    allow_test: Annotated[
        bool, typer.Option("--allow-test", help="Export test tasks too. Never train on such a file.")
    ] = False,
) -> None:
    """Export runs and exit with 1 when no episode was worth it."""
    limits = Limits(
        strict=strict,
        most_unnecessary_questions=_bound(most_unnecessary_questions),
        most_tool_errors=_bound(most_tool_errors),
    )
    settings = Settings(
        format=file_format, limits=limits, keep_thoughts=keep_thoughts, split_by=split_by, allow_test=allow_test
    )
    for run in runs:
        if run.suffix == ".json" and is_results_file(run):
            raise TauEmotionError(f"{run}: rows are made of a run of this package, not of results from elsewhere")
    counts = tracer.export_run(runs, out, settings)
    _show(counts)
    if not counts.kept:
        why = "is worth learning from" if counts.read else "is finished"
        complain(f"no episode of {'this run' if len(runs) == 1 else 'these runs'} {why}; no file is written")
        raise typer.Exit(1)


def _bound(number: int) -> int | None:
    return None if number < 0 else number


def _show(counts: Counts) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_row("read", f"{counts.read:,}", counts.counted)
    for name, number in counts.dropped.items():
        table.add_row(f"  {name}", f"-{number:,}" if number else "0", MEANINGS[name])
    table.add_row("[bold]kept[/]", f"[bold]{counts.kept:,}[/]", "")
    out = console()
    out.print(table)
    for name, rows in counts.files.items():
        out.print(f"{name}: {rows:,} rows", markup=False, soft_wrap=True)
