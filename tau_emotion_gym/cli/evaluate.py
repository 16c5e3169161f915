"""`tau-emotion eval`: play a run of episodes into a folder."""

import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from tau_emotion_gym.cli.console import complain, console
from tau_emotion_gym.cli.options import place
from tau_emotion_gym.cli.run_line import RunLine, amount
from tau_emotion_gym.cli.several import listed
from tau_emotion_gym.cli.specs import MODELS, Spec, name_of, spec_of
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.kit import names
from tau_emotion_gym.rollouts import (
    Budget,
    EpisodeCrashedError,
    Knobs,
    RunConfig,
    RunFolder,
    Summary,
    make_config,
    run_sync,
)
from tau_emotion_gym.rollouts.folder import begun
from tau_emotion_gym.rollouts.identity import hash_of, identity
from tau_emotion_gym.rollouts.player import Here, Players

HELP = """Play an agent against a user simulator and log every episode.

The run stands in one folder. Stop it when you like: --resume goes on where it stopped and repeats nothing.

AGENT and USER are a name (reference, scripted), openai:MODEL, vllm:MODEL, module:callable, a JSON object with
"kind", or @file.json. Models take base_url, api_key_env, temperature, max_tokens, tool_mode and more as options; a
wrong name lists them all. A key is read from the environment (OPENAI_API_KEY) and never logged.

Exit status: 0 all played; 1 the agent's or user's code failed; 2 wrong input, or the server refuses; 3 the budget
is spent; 4 too many servers' failures in a row; 5 played, but some episodes failed for servers' faults; 130 Ctrl-C.

[bold]Examples[/]

  tau-emotion eval --agent reference --user scripted --domains retail airline --trials 3

  tau-emotion eval --agent openai:qwen3-8b --agent-option base_url=http://localhost:8000/v1 temperature=0 --trials 3

  tau-emotion eval --agent openai:gpt-x --user openai:gpt-y --emotion task neutral --tasks 20 --concurrency 64

  tau-emotion eval --resume --out runs/qwen3-8b-1a2b3c4d"""

STATUS = {"budget": 3, "failures": 4, "interrupted": 130}
"""Reason for a stop → exit status."""

SOME_EXCLUDED = 5
"""Exit status of a run that is over, but for episodes that servers failed."""

Values = list[str] | None


def evaluate(
    agent: Annotated[str | None, typer.Option("--agent", "-a", metavar="AGENT", help="Who acts.")] = None,
    agent_option: Annotated[
        Values, typer.Option("--agent-option", metavar="KEY=VALUE ...", help="Options of the agent and its model.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", "-u", metavar="USER", help="Who plays the customer: scripted when not given."),
    ] = None,
    user_option: Annotated[
        Values, typer.Option("--user-option", metavar="KEY=VALUE ...", help="Options of the user and its model.")
    ] = None,
    domains: Annotated[
        Values, typer.Option("--domains", "-d", metavar="DOMAIN ...", help="Names or folders; all when none.")
    ] = None,
    split: Annotated[str | None, typer.Option(metavar="SPLIT", help="test (when not given) or train.")] = None,
    tasks: Annotated[
        Values, typer.Option("--tasks", metavar="N | ID ...", help="The first N tasks of each domain, or ids.")
    ] = None,
    emotion: Annotated[
        Values,
        typer.Option(
            "--emotion",
            "-e",
            metavar="EMOTION ...",
            help="Every task is played under each: task (its own; when not given), neutral, anger, a path, …",
        ),
    ] = None,
    trials: Annotated[
        int | None, typer.Option("--trials", "-k", min=1, metavar="K", help="Repetitions of each task: 1.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="What all draws follow from: 0.")] = None,
    world_seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="The training world: 0.")] = None,
    user_exit: Annotated[
        str | None, typer.Option(metavar="WHO", help="affect, model or either: who decides that the customer leaves.")
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Actions after which an episode is cut: 100.")
    ] = None,
    think_tool: Annotated[bool, typer.Option("--think-tool", help="Offer the think tool.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="runs/AGENT-HASH when not given.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help="Episodes at once.")] = 16,
    episode_timeout: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="After which an episode is given up; 0 for never.")
    ] = 3600.0,
    budget_tokens: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop when spent.")] = None,
    budget_minutes: Annotated[float | None, typer.Option(min=0.0, metavar="N", help="Stop when past.")] = None,
    budget_dollars: Annotated[
        float | None, typer.Option(min=0.0, metavar="N", help="Stop when spent; needs prices in the options.")
    ] = None,
    max_failures: Annotated[
        int, typer.Option(min=1, metavar="N", help="Servers' failures in a row that stop the run.")
    ] = 25,
    fsync: Annotated[bool, typer.Option("--fsync", help="Wait for the disk after every episode.")] = False,
    ray: Annotated[
        int | None, typer.Option("--ray", min=1, metavar="N", help="Let N processes play, by Ray (RAY_ADDRESS).")
    ] = None,
) -> None:
    """Play the run, show how it went, and exit with a status that says so."""
    wanted = {
        "split": split,
        "tasks": _tasks(tasks),
        "arms": tuple(listed(emotion)) or None,
        "trials": trials,
        "seed": seed,
        "world_seed": world_seed,
        "user_exit": user_exit,
        "max_steps": max_steps,
        "think_tool": think_tool or None,
        "agent": _agent(agent, agent_option or [], think_tool),
        "user": spec_of("user", user or "scripted", user_option or ()) if user or user_option else None,
    }
    knobs = _knobs(
        concurrency=concurrency,
        episode_timeout=episode_timeout or None,
        fsync=fsync,
        most_failures=max_failures,
        tokens=budget_tokens,
        seconds=None if budget_minutes is None else budget_minutes * 60,
        dollars=budget_dollars,
    )
    folder, config = _run(out, {key: value for key, value in wanted.items() if value is not None}, domains, resume)
    console().print(f"run folder: {folder}", markup=False, soft_wrap=True)
    with RunLine() as line:
        summary = _play(folder, config, knobs, resume, line, _players(ray))
    _show(folder, summary)
    raise typer.Exit(_status(summary))


def _knobs(*, tokens: int | None, seconds: float | None, dollars: float | None, **knobs: Any) -> Knobs:
    try:
        return Knobs(budget=Budget(tokens=tokens, seconds=seconds, dollars=dollars), **knobs)
    except ValueError as error:
        raise TauEmotionError(str(error)) from None


def _agent(text: str | None, options: list[str], think_tool: bool) -> Spec | None:
    """The agent; one with a model is told of the think tool."""
    if text is None:
        return None
    spec = spec_of("agent", text, options)
    return {**spec, "think_tool": True} if think_tool and isinstance(spec, dict) and spec["kind"] in MODELS else spec


def _run(out: Path | None, wanted: dict[str, Any], domains: Values, resume: bool) -> tuple[Path, RunConfig]:
    """The folder and the configuration; a resume that says nothing else takes the folder's own."""
    if resume and out is not None and not wanted and not domains:
        return out, RunFolder.open(out).config
    if resume and out is None and not wanted:
        raise TauEmotionError("--resume takes the folder of the run: --resume --out runs/NAME")
    if "agent" not in wanted:
        if resume:
            raise TauEmotionError(
                "a resume plays what the folder says: give --resume and --out alone, or all that the run began with, "
                "--agent too"
            )
        raise TauEmotionError("--agent says who acts, for example --agent reference")
    try:
        config = make_config([place(name) for name in listed(domains) or names()], **wanted)
    except (TypeError, ValueError) as error:
        if isinstance(error, TauEmotionError):
            raise
        raise TauEmotionError(str(error)) from None
    folder = out or Path("runs", f"{name_of(config.agent)}-{hash_of(identity(config))[:8]}")
    if begun(folder) and not resume:
        raise TauEmotionError(f"{folder} holds a run already; add --resume to go on with it, or choose another --out")
    return folder, config


def _players(actors: int | None) -> Players:
    """Where the episodes are played: in this process, or by so many of Ray's."""
    if actors is None:
        return Here
    from tau_emotion_gym.rollouts.ray_player import RayActors

    try:
        return RayActors(actors)
    except ImportError as error:
        raise TauEmotionError(f"--ray: {error}") from None


def _play(folder: Path, config: RunConfig, knobs: Knobs, resume: bool, line: RunLine, players: Players) -> Summary:
    try:
        return run_sync(folder, config, knobs, resume=resume, progress=line.update, signals=True, players=players)
    except EpisodeCrashedError as error:
        cause = error.__cause__
        if cause is not None:
            traceback.print_exception(cause)
        complain(f"{error}\nThe other episodes are logged; after the code is mended, --resume goes on.")
        raise typer.Exit(1) from None


def _tasks(values: Values) -> int | tuple[str, ...] | None:
    """A number of tasks, or ids."""
    found = listed(values)
    if not found:
        return None
    return int(found[0]) if len(found) == 1 and found[0].isdecimal() else tuple(found)


def _status(summary: Summary) -> int:
    if summary.stopped:
        return STATUS[summary.stopped]
    return SOME_EXCLUDED if summary.excluded else 0


def _show(folder: Path, summary: Summary) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    rate = summary.success_rate
    rows = {
        "episodes": f"{summary.done:,} of {summary.planned:,} finished, {summary.excluded:,} failed by servers",
        "success": "-" if rate is None else f"{rate:.1%} ({summary.successes:,} of {summary.done:,})",
        "outcomes": ", ".join(f"{name} {count:,}" for name, count in summary.outcomes.items()) or "-",
        "this time": f"{summary.played:,} episodes in {summary.seconds:,.1f} s, {summary.per_minute:,.0f} per minute",
    }
    for role, usage in (("agent", summary.agent_usage), ("user", summary.user_usage)):
        if usage.calls:
            rows[f"{role}'s model"] = (
                f"{usage.calls:,} calls, {amount(usage.prompt_tokens)} tokens read, "
                f"{amount(usage.completion_tokens)} written"
            )
    if summary.agent_usage.calls or summary.user_usage.calls:
        rows["cost"] = "unknown (no prices)" if summary.dollars is None else f"${summary.dollars:,.2f}"
    for name, text in rows.items():
        table.add_row(name, text)
    out = console()
    out.print(table)
    if summary.failure and summary.stopped != "failures":
        out.print(f"the last failure: {summary.failure}", markup=False, soft_wrap=True)
    if summary.stopped:
        out.print(f"stopped: {summary.stopping}", markup=False, soft_wrap=True)
    if summary.complete:
        out.print(f"to report on it: tau-emotion report {folder}", markup=False, soft_wrap=True)
    else:
        out.print(f"to go on: tau-emotion eval --resume --out {folder}", markup=False, soft_wrap=True)
