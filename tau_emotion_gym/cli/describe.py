"""`tau-emotion describe`: a domain's policy, tools, intents and tool graph."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from tau_emotion_gym.cli.console import console
from tau_emotion_gym.cli.options import chosen
from tau_emotion_gym.cli.tools import parameters
from tau_emotion_gym.envs.names import env_id
from tau_emotion_gym.kit import Domain
from tau_emotion_gym.tasks.graph import mermaid

HELP = """Describe a domain: its policy, tools, intents and tool graph.

[bold]Examples[/]

  tau-emotion describe retail

  tau-emotion describe retail --only tools

  tau-emotion describe retail --only graph > retail.mmd      (a Mermaid flowchart)"""


class Part(StrEnum):
    """What can be shown by itself."""

    POLICY = "policy"
    TOOLS = "tools"
    INTENTS = "intents"
    GRAPH = "graph"


def describe(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="A domain's name or folder.")],
    only: Annotated[Part | None, typer.Option("--only", help="Show this part alone.")] = None,
) -> None:
    """Print the parts asked for; all of them when none is."""
    found = chosen([domain])[0]
    out = console()
    if only is not None:
        _PARTS[only](out, found)
        return
    out.print(f"[bold]{found.title}[/] ({env_id(found.name)}): {found.summary}")
    for part, show in _PARTS.items():
        out.rule(f"[bold]{part}", align="left")
        show(out, found)


def _policy(out: Console, domain: Domain) -> None:
    if out.is_terminal:
        from rich.markdown import Markdown

        out.print(Markdown(domain.policy))
    else:
        out.print(domain.policy, markup=False, soft_wrap=True)


def _tools(out: Console, domain: Domain) -> None:
    for tool in domain.offered():
        kind = "[yellow]write[/]" if tool.writes else "[green]read[/]"
        out.print(f"[bold]{tool.name}[/] ({kind})", soft_wrap=True)
        out.print(Padding(tool.description, (0, 0, 0, 4)), markup=False)
        for line in parameters(tool):
            out.print(Padding(line, (0, 0, 0, 6)), markup=False)


def _intents(out: Console, domain: Domain) -> None:
    table = Table("intent", "right end", "for example", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for intent in domain.intents.values():
        table.add_row(intent.name, intent.kind.value.replace("_", " "), intent.phrasings[0])
    out.print(table, markup=False)


def _graph(out: Console, domain: Domain) -> None:
    out.print(mermaid(domain), markup=False, soft_wrap=True, end="")


_PARTS: dict[Part, Callable[[Console, Domain], None]] = {
    Part.POLICY: _policy,
    Part.TOOLS: _tools,
    Part.INTENTS: _intents,
    Part.GRAPH: _graph,
}
