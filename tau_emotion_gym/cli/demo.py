"""`tau-emotion demo`: three conversations worth reading, and what the built-in agents score."""

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from tau_emotion_gym.agents import agent_names, make_agent, play
from tau_emotion_gym.cli import transcript
from tau_emotion_gym.cli.console import console, tracked
from tau_emotion_gym.cli.options import chosen
from tau_emotion_gym.emotions import CONDITIONS, EmotionCondition, resolve
from tau_emotion_gym.episode import Episode, Outcome, Score
from tau_emotion_gym.evaluation import Trial, batches, run_batch
from tau_emotion_gym.evaluation.difficulty import TRAPS
from tau_emotion_gym.kit import Domain, Kind, Task
from tau_emotion_gym.users import ScriptedUser

HELP = """Three short conversations, then a table of what the built-in agents score. Offline, in seconds.

[bold]Examples[/]

  tau-emotion demo

  tau-emotion demo retail --episodes 20"""

AGENTS = tuple(name for name in agent_names() if name not in TRAPS)
"""The agents of the table: those that do all of the work well or badly, or none of it."""

STEP = 25
"""Episodes between two movements of the progress bar."""


class Portrait(NamedTuple):
    """A kind of conversation to look for.

    Attributes:
        title: what it is.
        emotion: the customer's condition.
        agent: who serves.
        outcome: how it has to end.
        turns: the length that reads best.
    """

    title: str
    emotion: str
    agent: str
    outcome: Outcome
    turns: int


PORTRAITS = (
    Portrait(
        "A furious customer, and an agent that keeps asking what it was told",
        "anger/exasperation/cold/high/skeptical",
        "friction",
        Outcome.DISSATISFIED,
        11,
    ),
    Portrait(
        "An anxious customer in good hands", "fear/anxiety/neutral/high/cautious", "reference", Outcome.SATISFIED, 12
    ),
    Portrait("A proud customer in good hands", "enjoyment/pride/warm/low/trusting", "reference", Outcome.SATISFIED, 12),
)

CANDIDATES = 40
"""Tasks per domain that are tried for a portrait."""


class Sitting(NamedTuple):
    """A played candidate."""

    episode: Episode
    moods: list[transcript.Mood]
    score: Score


def demo(
    domains: Annotated[
        list[str] | None, typer.Argument(metavar="DOMAIN", help="Names or folders of domains; all when none.")
    ] = None,
    episodes: Annotated[int, typer.Option("--episodes", "-n", min=1, help="Episodes per agent and domain.")] = 100,
) -> None:
    """Print the conversations and the table."""
    found = chosen(domains)
    out = console()
    shown: list[Task] = []
    for number, portrait in enumerate(PORTRAITS):
        turn = number % len(found)
        sitting = find(portrait, [*found[turn:], *found[:turn]], shown)
        if sitting is not None:
            shown.append(sitting.episode.task)
            _show(out, portrait, sitting)
    with tracked("playing", len(found) * len(AGENTS) * episodes) as tracker:
        trials = {}
        for domain in found:
            for agent in AGENTS:
                trials[agent, domain.name] = mine = list[Trial]()
                for batch in batches(domain, agent, _episodes(domain, episodes), size=STEP):
                    mine += run_batch(batch)
                    tracker.advance(len(batch.episodes))
    out.rule("[bold]What the built-in agents score", align="left")
    out.print(_table(trials))
    out.print(
        f"{episodes} episodes in each row: test tasks, each under the emotion assigned to it, with the scripted "
        "customer.\nsuccess: state and answers are right, and the customer stayed. left: the customer left "
        "dissatisfied (reward -1).",
        style="dim",
    )


# --- conversations ----------------------------------------------------------------------------------


def find(portrait: Portrait, domains: Sequence[Domain], shown: Sequence[Task] = ()) -> Sitting | None:
    """The conversation that fits best, in the first of the domains that has a fitting one not yet shown."""
    condition = resolve(portrait.emotion, assigned=None, seed=0)
    for domain in domains:
        fitting = [
            sitting
            for sitting in _sittings(portrait, domain, condition)
            if sitting.score.outcome is portrait.outcome and sitting.episode.task not in shown
        ]
        if fitting:
            return min(fitting, key=lambda sitting: abs(len(sitting.episode.transcript) - portrait.turns))
    return None


def _sittings(portrait: Portrait, domain: Domain, condition: EmotionCondition | None) -> Iterator[Sitting]:
    """Plays of tasks in which every wish can be granted and the opening says why it matters."""
    grantable = [t for t in domain.test_tasks.values() if all(goal.kind is Kind.FULFIL for goal in t.goals)]
    for task in grantable[:CANDIDATES]:
        episode, user = Episode(domain, task, condition), transcript.Watched(ScriptedUser())
        score = play(episode, user, make_agent(portrait.agent))
        if any(wish.stake and wish.stake in episode.transcript[0].content for wish in episode.brief.wishes):
            yield Sitting(episode, user.moods, score)


def _show(out: Console, portrait: Portrait, sitting: Sitting) -> None:
    out.rule(f"[bold]{portrait.title}", align="left")
    condition = sitting.episode.condition
    out.print(f"{sitting.episode.domain.title}, {sitting.episode.task.id}, {condition}", style="dim")
    out.print()
    transcript.show(out, sitting.episode, sitting.moods)
    out.print(transcript.ending(sitting.score))
    out.print()


# --- the table --------------------------------------------------------------------------------------


def _episodes(domain: Domain, count: int) -> list[tuple[str, int]]:
    """The first `count` episodes: each test task under its own condition, then under the next ones."""
    tasks = list(domain.test_tasks.values())
    rounds = (divmod(number, len(tasks)) for number in range(count))
    return [(tasks[at].id, (tasks[at].condition + again) % len(CONDITIONS)) for again, at in rounds]


def _table(trials: dict[tuple[str, str], list[Trial]]) -> Table:
    table = Table("agent", "domain", header_style="bold")
    for title in ("success", "left", "steps"):
        table.add_column(title, justify="right")
    for agent in AGENTS:
        for (who, domain), mine in trials.items():
            if who == agent:
                success, left = (
                    sum(flags) / len(mine)
                    for flags in ([t.success for t in mine], [t.outcome is Outcome.DISSATISFIED for t in mine])
                )
                steps = sum(t.steps for t in mine) / len(mine)
                table.add_row(agent, domain, f"{success:.0%}", f"{left:.0%}", f"{steps:.1f}")
        table.add_section()
    return table
