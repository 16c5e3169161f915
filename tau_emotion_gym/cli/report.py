"""`tau-emotion report`: what runs have shown."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tau_emotion_gym.cli.console import console
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.evaluation.report import report_on
from tau_emotion_gym.evaluation.report_tables import Section, sections, to_markdown

HELP = """Report on runs: Avg@k, Pass^k and pass@k with counts and 95 % intervals, baselines, breakdowns, cost.

RUN is the folder of a run, or a results file of the τ-bench family. Several stand side by side and are compared.

Where tasks lack trials there is no figure: resume the run, ask for fewer trials (--k), or --allow-holes.

[bold]Examples[/]

  tau-emotion report runs/reference-1a2b3c4d

  tau-emotion report runs/one runs/other --k 3 --markdown report.md

  tau-emotion report results.json --allow-holes

  tau-emotion report runs/one --json > report.json"""


def report_runs(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs, or results files.")],
    k: Annotated[
        int | None, typer.Option("--k", "-k", min=1, metavar="K", help="Trials; all that every run has if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the reports as JSON.")] = False,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", "-m", metavar="FILE", help="Write the report as Markdown too.")
    ] = None,
    allow_holes: Annotated[
        bool, typer.Option("--allow-holes", help="Make figures of what there is when trials are missing.")
    ] = False,
    no_baselines: Annotated[bool, typer.Option("--no-baselines", help="Do not play the baselines.")] = False,
    rescored: Annotated[bool, typer.Option("--rescored", help="Take the scores that rescore has written.")] = False,
) -> None:
    """Print the report, and write it where asked."""
    found = report_on(runs, k=k, allow_holes=allow_holes, baselines=not no_baselines, rescored=rescored)
    if markdown is not None:
        _write(markdown, to_markdown(found))
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    out = console()
    for section in sections(found):
        _show(out, section)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TauEmotionError(f"{path} cannot be written: {error.strerror}") from None


def _show(out: Console, section: Section) -> None:
    """Print a table; its cells are text, never markup."""
    out.print(Text(section.title, style="bold"))
    if section.rows:
        table = Table(box=None, show_header=True, header_style="dim", padding=(0, 2, 0, 0))
        for title in section.head:
            table.add_column(Text(title), overflow="fold")
        for row in section.rows:
            table.add_row(*map(Text, row))
        out.print(table)
    if section.note:
        out.print(Text(section.note, style="dim"))
    out.print()
