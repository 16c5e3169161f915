"""`tau-emotion list`: what there is."""

from typing import Annotated

import typer
from rich.table import Table

from tau_emotion_gym.agents import agent_names
from tau_emotion_gym.cli.console import console
from tau_emotion_gym.cli.options import chosen
from tau_emotion_gym.emotions import CONDITIONS, FAMILIES, LEAVES, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.envs.names import env_id
from tau_emotion_gym.kit import names

HELP = """List the domains, or the names of emotions and agents.

[bold]Examples[/]

  tau-emotion list

  tau-emotion list --emotions

  tau-emotion list --agents"""


def list_domains(
    emotions: Annotated[bool, typer.Option("--emotions", help="List the emotions and their levels.")] = False,
    agents: Annotated[bool, typer.Option("--agents", help="List the agents that come with the package.")] = False,
) -> None:
    """Print the lists asked for; the domains when none is."""
    out = console()
    if emotions:
        out.print(_emotions())
        out.print(
            f"{len(CONDITIONS)} conditions = {len(LEAVES)} leaves × politeness ({', '.join(POLITENESS)}) × "
            f"urgency ({', '.join(URGENCY)}) × trust ({', '.join(TRUST)})"
        )
    if agents:
        out.print("\n".join(agent_names()))
    if not emotions and not agents:
        out.print(_domains() if names() else "There is no domain.")


def _domains() -> Table:
    table = Table("domain", "environment", "about", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("tools", "intents", "rules", "tasks"):
        table.add_column(title, justify="right")
    for domain in chosen(None):
        counts = (domain.tools, domain.intents, domain.rules, domain.test_tasks)
        table.add_row(domain.name, env_id(domain.name), domain.summary, *(str(len(things)) for things in counts))
    return table


def _emotions() -> Table:
    table = Table("family", "leaves", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for family in FAMILIES:
        table.add_row(family, ", ".join(leaf.name for leaf in LEAVES if leaf.family == family))
    return table
