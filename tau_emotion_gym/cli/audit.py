"""`tau-emotion audit`: whether the simulated users of a run did their part."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from tau_emotion_gym.cli.console import console
from tau_emotion_gym.cli.specs import spec_of
from tau_emotion_gym.cli.unfinished import warn_of_missing
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.evaluation.audit import Fit, Judge, Kind, Rate, UserAudit, audit_paths

HELP = """Audit the simulated users of runs, and say what the agent did wrong where an episode failed.

Every message of the user is held against what it was told: identifiers, dates and amounts that it made up, details that
it contradicts, words of its instruction, ends that come too early or too late, a manner that is not its own.

Users are never pooled: there is one table for each user model. Result files of the tau-bench family are read as far as
their text allows; the audit says which checks it could not make.

[bold]Examples[/]

  tau-emotion audit runs/qwen3-8b-1a2b3c4d

  tau-emotion audit runs/* --json > audit.json

  tau-emotion audit results.json

  tau-emotion audit runs/mine --judge '{"kind": "openai", "model": "gpt-4.1-mini"}'"""

WORDS = {
    Kind.INVENTED_ID: "invented identifier",
    Kind.INVENTED_DATE: "invented date",
    Kind.INVENTED_AMOUNT: "invented amount",
    Kind.CONTRADICTION: "contradicts itself",
    Kind.LEAK: "leaks its instruction",
    Kind.EARLY_EXIT: "leaves content too early",
    Kind.LATE_EXIT: "goes on too long",
    Kind.SPEAKS_AS_AGENT: "speaks as the agent",
    Kind.OUT_OF_CHARACTER: "out of character",
    Kind.LANGUAGE: "another language",
    Kind.EXIT_AGAINST_AFFECT: "exit against affect (no fault)",
}


def audit_runs(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of runs, or result files.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole audit as JSON.")] = False,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="MODEL", help="A model that looks for more: JSON, or openai:MODEL.")
    ] = None,
    examples: Annotated[int, typer.Option("--examples", min=0, help="Findings that are quoted of each kind.")] = 2,
) -> None:
    """Audit runs."""
    found = audit_paths(runs, judge=_judge(judge))
    for path in runs:
        warn_of_missing(path)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    out = console()
    for one in found:
        _show(out, one, examples)


def _judge(text: str | None) -> Judge | None:
    if text is None:
        return None
    spec = spec_of("judge", text)
    if isinstance(spec, str):
        raise TauEmotionError(f"the judge is openai:MODEL or a JSON object with 'kind', not {text!r}")
    return Judge(spec)


def _show(out: Console, one: UserAudit, examples: int) -> None:
    left_out = f", {one.excluded} left out because a server failed" if one.excluded else ""
    out.print(f"[bold]user {one.user}[/]: {len(one.episodes):,} episodes, {one.messages:,} messages{left_out}")
    out.print(f"episodes with a fault of the user: {_rate(one.spoilt)}")
    out.print(f"of the failed ones:                {_rate(one.spoilt_failed)}")
    if one.kinds:
        out.print(_kinds(one))
        _examples(out, one, examples)
    if one.agent_faults:
        out.print(_faults(one))
    if one.adherence:
        fits = ", ".join(f"{name} {_share(fit)}" for name, fit in one.adherence.items())
        out.print(f"wording fits the condition (share of telling messages): {fits}")
    for check, episodes in one.unchecked.items():
        out.print(f"[yellow]not checked[/] in {episodes} episodes: ", end="")
        out.print(check, markup=False, soft_wrap=True)
    if one.judge:
        out.print(one.judge, markup=False, soft_wrap=True)
    out.print()


def _kinds(one: UserAudit) -> Table:
    table = Table("finding", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for column in ("findings", "episodes", "of these failed"):
        table.add_column(column, justify="right")
    for row in one.kinds:
        table.add_row(WORDS[row.kind], str(row.findings), str(row.episodes), str(row.failed))
    return table


def _faults(one: UserAudit) -> Table:
    table = Table("what the agent did wrong", box=None, padding=(0, 2, 0, 0))
    table.add_column("failed episodes", justify="right")
    for fault, episodes in one.agent_faults.items():
        table.add_row(fault.replace("_", " "), str(episodes))
    return table


def _examples(out: Console, one: UserAudit, most: int) -> None:
    for row in one.kinds:
        having = [(episode.key, finding) for episode in one.episodes for finding in episode.findings]
        for key, finding in [pair for pair in having if pair[1].kind is row.kind][:most]:
            by = " (judge)" if finding.source == "judge" else ""
            out.print(
                f"  {key}, turn {finding.turn}{by}: “{finding.quote}”: {finding.why}", markup=False, soft_wrap=True
            )


def _rate(rate: Rate) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return "none"
    return f"{rate.hits} of {rate.of}, {rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})"


def _share(fit: Fit) -> str:
    return "-" if fit.share is None else f"{fit.share:.0%} of {fit.telling}"
