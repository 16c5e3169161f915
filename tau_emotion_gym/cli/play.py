"""`tau-emotion play`: a person serves a customer, or is one."""

import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, cast

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

from tau_emotion_gym._draw import pick
from tau_emotion_gym.agents import Agent, make_agent, play
from tau_emotion_gym.cli import transcript
from tau_emotion_gym.cli.console import console
from tau_emotion_gym.cli.options import EmotionOption, chosen, condition_of
from tau_emotion_gym.cli.tools import parameters
from tau_emotion_gym.episode import Action, Episode, Score, Turn, respond
from tau_emotion_gym.kit import Domain, Task, names
from tau_emotion_gym.tasks.train import task_by_id
from tau_emotion_gym.users import ScriptedUser, User
from tau_emotion_gym.users.human import HumanUser

HELP = """Play one episode yourself, as the agent or as the customer.

As the agent, type a message, or a slash, a tool's name and its arguments as JSON. /help lists what else there is.

[bold]Examples[/]

  tau-emotion play retail

  tau-emotion play retail --emotion anger/exasperation --task test-007

  tau-emotion play airline --as user --agent reference

  echo "Hello, what is your name?" | tau-emotion play retail"""

COMMANDS = """\
  any text               a message to the customer
  /TOOL {"name": "x"}    call a tool, its arguments as JSON
  /tools                 the tools in a line each
  /tools TOOL            one tool and its arguments
  /policy                the policy that you have to keep
  /quit                  stop here"""


class Side(StrEnum):
    """Who the person is."""

    AGENT = "agent"
    USER = "user"


class _QuitError(Exception):
    """The person wants to stop."""


def play_episode(
    domain: Annotated[str | None, typer.Argument(metavar="DOMAIN", help="A domain's name or folder.")] = None,
    emotion: EmotionOption = "task",
    task: Annotated[str | None, typer.Option("--task", "-t", help="A task's id; drawn from the seed if not given.")] = (
        None
    ),
    side: Annotated[Side, typer.Option("--as", help="Who you are.")] = Side.AGENT,
    agent: Annotated[str, typer.Option("--agent", help="Who serves you, with --as user.")] = "reference",
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, help="Another seed, another customer.")] = 0,
) -> None:
    """Play one episode and print how it went."""
    found = chosen([domain or names()[0]])[0]
    customer = _task(found, task, seed)
    condition = condition_of(emotion, customer, seed)
    out = console()
    user: User = (
        HumanUser(lambda text: out.print(text, markup=False), _ask(out)) if side is Side.USER else ScriptedUser()
    )
    server = make_agent(agent) if side is Side.USER else TerminalAgent(out)
    episode = Episode(found, customer, condition, user_exit=user.default_exit)
    score = _played(out, episode, user, server)
    if score is not None:
        _show(out, episode, score, told=side is Side.USER)


def _task(domain: Domain, task: str | None, seed: int) -> Task:
    if task is not None:
        return task_by_id(domain, task)
    return pick(list(domain.test_tasks.values()), seed, 0, "play")


def _played(out: Console, episode: Episode, user: User, agent: Agent) -> Score | None:
    try:
        return play(episode, user, agent)
    except (_QuitError, KeyboardInterrupt):
        out.print("\nYou stopped; nothing is scored.")
        return None


def _show(out: Console, episode: Episode, score: Score, *, told: bool) -> None:
    last = episode.transcript[-1]
    if not told or last.role != "user":
        transcript.show_turn(out, last, transcript.colour_of(episode))
    out.print()
    out.print(transcript.ending(score))
    for difference in score.differences:
        out.print(f"  {difference}", markup=False)
    if episode.violations:
        out.print(f"  rules broken: {', '.join(episode.violations)}")
    out.print(f"  the emotion was {episode.condition or 'neutral'}; the task was {episode.task.id}", style="dim")


def _ask(out: Console) -> Callable[[str], str]:
    """A function that prints a prompt and reads a line; what comes from a pipe is shown as if it were typed."""

    def ask(prompt: str) -> str:
        line = out.input(f"[bold]{escape(prompt)}[/]")
        if not sys.stdin.isatty():
            out.print(line, markup=False)
        return line

    return ask


class TerminalAgent:
    """A person as the agent: shows what it observes, and reads its next message or tool call. Arguments go to the
    episode as they were typed, so that a mistake comes back as the error turn that any agent would get.

    Args:
        out: where to print.
    """

    def __init__(self, out: Console) -> None:
        self._out = out
        self._ask = _ask(out)

    def reset(self, domain: Domain, task: Task) -> None:
        """Say what there is to know before the first message."""
        self._tools = {tool.name: tool for tool in domain.offered()}
        self._policy = domain.policy
        self._out.print(f"You serve customers. [bold]{domain.title}[/]: {domain.summary}")
        self._out.print(COMMANDS, markup=False)
        self._out.print()

    def act(self, observation: Mapping[str, str]) -> Action:
        """What the person does next."""
        transcript.show_turn(self._out, msgspec.convert(observation, Turn), "cyan", whole=True)
        while True:
            try:
                line = self._ask("You: ").strip()
            except EOFError:
                raise _QuitError from None
            if line and (action := self._action(line)) is not None:
                return action

    def _action(self, line: str) -> Action | None:
        """The action that a line means; None for a line that only asks for help."""
        if not line.startswith("/"):
            return respond(line)
        command, _, rest = line[1:].partition(" ")
        rest = rest.strip()
        if command == "quit":
            raise _QuitError
        if command in ("help", "policy", "tools"):
            self._out.print(self._help(command, rest), markup=False)
            return None
        return cast(Action, {"name": command, "arguments": rest or {}})

    def _help(self, command: str, rest: str) -> str:
        if command == "help":
            return COMMANDS
        if command == "policy":
            return self._policy
        if rest in self._tools:
            tool = self._tools[rest]
            return "\n  ".join([f"{tool.name}: {tool.description}", *parameters(tool)])
        return "\n".join(f"  {tool.name}({', '.join(tool.parameters['properties'])})" for tool in self._tools.values())
