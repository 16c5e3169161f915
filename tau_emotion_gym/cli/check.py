"""`tau-emotion check`: whether domains keep what they promise."""

from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from tau_emotion_gym.cli.console import Tracker, console
from tau_emotion_gym.cli.options import chosen
from tau_emotion_gym.evaluation import CheckReport, check
from tau_emotion_gym.kit import Domain

HELP = """Check domains: data, references, rules, and the test tasks in play.

Agents play the test tasks. The reference agent must succeed and keep every rule.

Agents that do no work must not succeed.

An agent that wears customers out must be left more often where there is more urgency or less trust.

Agents that are careless in one way each must fail a tenth of the tasks that hold their trap.

The exit status is 1 when something does not hold.

[bold]Examples[/]

  tau-emotion check

  tau-emotion check retail airline

  tau-emotion check ./my_domain

  tau-emotion check --all-conditions --jobs 8      (all 594 conditions: minutes)

  tau-emotion check --json > report.json"""


def check_domains(
    domains: Annotated[
        list[str] | None, typer.Argument(metavar="DOMAIN", help="Names or folders of domains; all when none.")
    ] = None,
    all_conditions: Annotated[
        bool, typer.Option("--all-conditions", help="Play every task under all 594 conditions.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes; as many as processors when not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the reports as JSON.")] = False,
) -> None:
    """Check the domains and exit with 1 when something does not hold."""
    out = console()
    reports = []
    for domain in chosen(domains):
        reports.append(_check(domain, all_conditions, jobs))
        if not as_json:
            _show(out, reports[-1])
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(reports)).decode())
    if not all(report.passed for report in reports):
        raise typer.Exit(1)


def _check(domain: Domain, all_conditions: bool, jobs: int | None) -> CheckReport:
    with Tracker(f"playing {domain.name}") as tracker:
        return check(domain, all_conditions=all_conditions, jobs=jobs, started=tracker.start, finished=tracker.advance)


def _show(out: Console, report: CheckReport) -> None:
    out.print(f"[bold]{report.domain}[/]: {report.tasks} test tasks, {report.episodes:,} episodes played")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(ratio=3)
    table.add_column(ratio=2)
    for line in report.lines:
        table.add_row("[green]ok[/]" if line.holds else "[bold red]FAILS[/]", line.what, line.figure)
    out.print(table)
    for line in report.lines:
        if line.problems:
            out.print(f"  [red]{line.what}[/], and yet:")
            for problem in line.problems:
                out.print(f"    {problem}", markup=False, soft_wrap=True)
    out.print()
