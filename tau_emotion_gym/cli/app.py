"""The commands of `tau-emotion`, put together."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tau_emotion_gym import __version__
from tau_emotion_gym.cli import (
    audit,
    behaviour,
    check,
    console,
    demo,
    describe,
    domains,
    evaluate,
    export,
    play,
    report,
    rescore,
)
from tau_emotion_gym.cli.several import SeveralCommand
from tau_emotion_gym.errors import TauEmotionError

WRONG = 2
"""Exit status of a command that was given something that does not exist."""


class _Group(TyperGroup):
    """Shows the package's own errors as one plain line instead of a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except TauEmotionError as error:
            console.complain(str(error))
            raise typer.Exit(WRONG) from None


app = typer.Typer(
    cls=_Group,
    name="tau-emotion",
    help="Gymnasium environments in which tool-calling agents serve emotional customers.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list", help=domains.HELP)(domains.list_domains)
app.command("describe", help=describe.HELP)(describe.describe)
app.command("demo", help=demo.HELP)(demo.demo)
app.command("play", help=play.HELP)(play.play_episode)
app.command("check", help=check.HELP)(check.check_domains)
app.command("eval", cls=SeveralCommand, help=evaluate.HELP)(evaluate.evaluate)
app.command("rescore", cls=SeveralCommand, help=rescore.HELP)(rescore.rescore_run)
app.command("report", help=report.HELP)(report.report_runs)
app.command("export", help=export.HELP)(export.export_run)
app.command("audit", help=audit.HELP)(audit.audit_runs)
app.command("behaviour", help=behaviour.HELP)(behaviour.show_behaviour)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tau-emotion {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = (
        False
    ),
) -> None:
    """Options of the program itself."""


def main() -> None:
    """The entry point of the program."""
    console.prepare_streams()
    app()
