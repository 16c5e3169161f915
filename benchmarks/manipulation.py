"""Manipulation check: can a plain classifier tell the condition from the user's messages alone?

    python benchmarks/manipulation.py               # scripted episodes with the reference agent
    python benchmarks/manipulation.py --simulated   # the voice alone, in three invented domains

A bag of words and multinomial naive Bayes, cross-validated over tasks (no task is in two folds), must
recover the family (>= 80 %), the leaf within its family (>= 50 %) and each dimension (>= 70 %). Beside
it: how many different opening messages 1,000 episodes have (>= 500), and on how many tasks the facts
and goals that the user conveys equal those of the neutral run (100 %).
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tau_emotion_gym._draw import mix, pick
from tau_emotion_gym.agents import ReferenceAgent, play
from tau_emotion_gym.emotions.affect import Affect
from tau_emotion_gym.emotions.conditions import CONDITIONS, EmotionCondition
from tau_emotion_gym.emotions.taxonomy import FAMILIES, LEAVES, POLITENESS, TRUST, URGENCY
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.episode.events import states
from tau_emotion_gym.kit import Task, add_folder, load, names
from tau_emotion_gym.tasks.train import train_task
from tau_emotion_gym.users.scripted import ScriptedUser
from tau_emotion_gym.users.voice import Act, voice

FOLDS = 5
SMOOTHING = 0.2
GOALS = {"family": 0.80, "leaf within family": 0.50, "politeness": 0.70, "urgency": 0.70, "trust": 0.70}

Labels = npt.NDArray[np.intp]
Counts = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """What one user said in one episode, under which condition."""

    task: str
    condition: EmotionCondition | None
    messages: tuple[str, ...]
    conveyed: frozenset[str] = frozenset()
    """The goals brought up and the facts of goals stated."""


class Source(Protocol):
    """Where conversations come from."""

    @property
    def tasks(self) -> Sequence[str]:
        """The names of all tasks."""

    def play(self, task: str, condition: EmotionCondition | None, seed: int) -> Sample:
        """One conversation."""


class Episodes:
    """Scripted episodes with the reference agent; a task is called `<domain>/<task id>`."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = {f"{task.domain}/{task.id}": task for task in tasks}
        self.tasks = tuple(self._tasks)
        self._user = ScriptedUser()

    def play(self, task: str, condition: EmotionCondition | None, seed: int) -> Sample:
        """One whole episode."""
        found = self._tasks[task]
        episode = Episode(load(found.domain), found, condition, seed=seed)
        play(episode, self._user, ReferenceAgent())
        messages = tuple(turn.content for turn in episode.transcript if turn.role == "user")
        return Sample(task, condition, messages, conveyed(episode, messages))


def tasks_of(domain: str, count: int, split: str) -> list[Task]:
    """The first tasks of a domain's test set, or of a training world."""
    found = load(domain)
    if split == "test":
        return list(found.test_tasks.values())[:count]
    return [train_task(found, 1, index) for index in range(count)]


def user_messages(tasks: Iterable[Task], condition: EmotionCondition | None, seed: int = 0) -> list[tuple[str, ...]]:
    """Every message of the scripted user to the reference agent, per task."""
    source = Episodes(tasks)
    return [source.play(task, condition, seed).messages for task in source.tasks]


def conveyed(episode: Episode, messages: Sequence[str]) -> frozenset[str]:
    """The goals that the user brought up and the facts of goals that it stated, as labels."""
    said = "\n".join(messages).lower()
    goals = {f"goal {number}" for number, wish in enumerate(episode.brief.wishes) if wish.say.lower() in said}
    facts = {
        f"fact {number} {fact.slot}"
        for number, goal in enumerate(episode.task.goals)
        for fact in goal.facts
        if states(said, fact.spoken.lower())
    }
    return frozenset(goals | facts)


_DOMAINS: tuple[dict[str, tuple[str, ...]], ...] = (
    {
        "wish": (
            "I'd like to hand back the bike from the harbour station early.",
            "The lock of my rental bike won't close, and I'd like a replacement.",
            "I want to extend my rental until Sunday.",
            "I'd like to know what the damage on bike B-204 will cost me.",
        ),
        "fact": (
            "My email is jo.marsh@example.com.",
            "It's bike B-204.",
            "I picked it up at the harbour station.",
            "My member number is 88213.",
            "Please charge my card ending in 4410.",
        ),
        "stake": ("I need it for my trip tomorrow.", "It's the only way I get to work."),
    },
    {
        "wish": (
            "I'd like to renew the two novels I borrowed in March.",
            "I want to dispute a late fee of $12.50.",
            "I'd like to reserve the small reading room.",
            "I'd like my card moved to the Oakfield branch.",
        ),
        "fact": (
            "My card number is L-5519.",
            "My name is Petra Olsen.",
            "I was born on March 3, 1988.",
            "The book is called The Long Tide.",
            "The Oakfield branch, please.",
        ),
        "stake": ("My exam is next week.", "It was for my daughter's school play."),
    },
    {
        "wish": (
            "I'd like to pause my gym membership for two months.",
            "I want to switch from the early class to the evening class.",
            "I was charged twice for the sauna and want one charge back.",
            "I'd like to add my brother to my membership.",
        ),
        "fact": (
            "My phone number is 555-0172.",
            "I'm with the Riverside club.",
            "The evening class on Tuesday.",
            "It was charged on May 4.",
            "His name is Tom.",
        ),
        "stake": ("I hurt my knee.", "I had saved up for this."),
    },
)

_EVENTS = ("redundant_question", "long_silence", "stalling", "overlong_message", "bundled_questions")


class Invented:
    """Conversations of six to eight messages in the condition's voice, without an agent."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tuple(f"invented/{number}" for number in range(tasks))

    def play(self, task: str, condition: EmotionCondition | None, seed: int) -> Sample:
        """One invented conversation."""
        number = int(task.partition("/")[2])
        domain = _DOMAINS[number % len(_DOMAINS)]
        acts = [
            (Act.OPENING, pick(domain["wish"], number, 0, "wish")),
            *((Act.ANSWER, pick(domain["fact"], number, at, "fact")) for at in range(2 + number // 3 % 2)),
            (Act.CONFIRM_YES, "Yes, go ahead."),
        ]
        if number % 2:
            acts += [(Act.NEXT_WISH, pick(domain["wish"], number, 1, "wish")), (Act.CONFIRM_YES, "Yes, do it.")]
        else:
            acts.append((pick((Act.WAIT, Act.PROD, Act.CONFIRM_NO), number, 0, "middle"), ""))
        acts.append((Act.THANKS_BYE, "That's everything."))
        stake = pick(domain["stake"], number, 0, "stake")
        said = (_invent(condition, act, core, stake, seed, turn) for turn, (act, core) in enumerate(acts))
        return Sample(task, condition, tuple(said))


def _invent(condition: EmotionCondition | None, act: Act, core: str, stake: str, seed: int, turn: int) -> str:
    """One message of an invented conversation, to an agent with some faults."""
    return voice(condition).speak(
        act,
        core,
        seed=seed,
        turn=turn,
        affect=Affect(0.6, 0.7),
        stake=stake,
        acknowledged=mix(seed, turn, "heard") % 4 == 0,
        events=(pick(_EVENTS, seed, turn, "event"),) if mix(seed, turn, "bothered") % 6 == 0 else (),
    )


def collect(source: Source, rounds: int) -> list[Sample]:
    """`rounds` passes over all conditions, each condition dealt to another task every time."""
    return [
        source.play(pick(source.tasks, at, 0, "task"), CONDITIONS[at % len(CONDITIONS)], at)
        for at in track(range(rounds * len(CONDITIONS)), "Playing", transient=True)
    ]


def equal_to_neutral(source: Source, rounds: int = 5) -> tuple[int, int]:
    """On how many tasks the user conveys under `rounds` conditions what it conveys in the neutral run.

    Both runs have the same seed. Returns (equal, all) tasks.
    """
    equal = 0
    for at, task in enumerate(track(source.tasks, "Comparing", transient=True)):
        neutral = source.play(task, None, at).conveyed
        conditions = [pick(CONDITIONS, at, turn, "compared") for turn in range(rounds)]
        equal += all(source.play(task, condition, at).conveyed == neutral for condition in conditions)
    return equal, len(source.tasks)


def bag_of_words(texts: Sequence[str]) -> Counts:
    """One row of word counts per text."""
    bags = [re.findall(r"[^\W\d_]+(?:'[a-z]+)?", text.lower()) for text in texts]
    vocabulary = {word: at for at, word in enumerate(sorted({word for bag in bags for word in bag}))}
    counts = np.zeros((len(bags), len(vocabulary)))
    for row, bag in enumerate(bags):
        for word in bag:
            counts[row, vocabulary[word]] += 1
    return counts


def naive_bayes(train: Counts, labels: Labels, test: Counts, classes: int) -> Labels:
    """Multinomial naive Bayes with additive smoothing and a uniform prior."""
    totals = np.stack([train[labels == c].sum(axis=0) for c in range(classes)]) + SMOOTHING
    weights = np.log(totals / totals.sum(axis=1, keepdims=True))
    guesses: Labels = (test @ weights.T).argmax(axis=1)
    return guesses


def cross_validate(counts: Counts, labels: Labels, folds: Labels, classes: int) -> Labels:
    """The guess for each row from the tasks of the other folds."""
    guesses = np.empty_like(labels)
    for fold in range(FOLDS):
        held_out = folds == fold
        guesses[held_out] = naive_bayes(counts[~held_out], labels[~held_out], counts[held_out], classes)
    return guesses


def confusion(labels: Labels, guesses: Labels, classes: int) -> npt.NDArray[np.intp]:
    """Rows are true classes, columns guessed ones."""
    matrix = np.zeros((classes, classes), dtype=np.intp)
    np.add.at(matrix, (labels, guesses), 1)
    return matrix


@dataclass(frozen=True)
class Figure:
    """One recovered label: how often it was right, and by chance."""

    name: str
    accuracy: float
    chance: float

    @property
    def goal(self) -> float:
        """The accuracy to reach."""
        return GOALS[self.name]


def recover(samples: Sequence[Sample]) -> tuple[list[Figure], dict[str, npt.NDArray[np.intp]]]:
    """All figures, and per family the confusion of its leaves."""
    counts = bag_of_words([" ".join(sample.messages) for sample in samples])
    folds = np.array([mix(0, 0, f"fold {sample.task}") % FOLDS for sample in samples])
    conditions = [sample.condition for sample in samples if sample.condition is not None]

    def guess(names: Sequence[str], of: Callable[[EmotionCondition], str], rows: Labels) -> tuple[Labels, Labels]:
        labels = np.array([names.index(of(conditions[row])) for row in rows])
        return labels, cross_validate(counts[rows], labels, folds[rows], len(names))

    everything = np.arange(len(samples))
    figures = []
    labels, guesses = guess(FAMILIES, lambda c: c.family, everything)
    figures.append(Figure("family", float((labels == guesses).mean()), 1 / len(FAMILIES)))
    matrices = {}
    right = chance = 0.0
    for family in FAMILIES:
        names = [leaf.name for leaf in LEAVES if leaf.family == family]
        rows = np.array([row for row in everything if conditions[row].family == family])
        labels, guesses = guess(names, lambda c: c.leaf, rows)
        matrices[family] = confusion(labels, guesses, len(names))
        right += float((labels == guesses).sum())
        chance += len(rows) / len(names)
    figures.append(Figure("leaf within family", right / len(samples), chance / len(samples)))
    for dimension, levels in (("politeness", POLITENESS), ("urgency", URGENCY), ("trust", TRUST)):
        labels, guesses = guess(levels, attrgetter(dimension), everything)
        figures.append(Figure(dimension, float((labels == guesses).mean()), 1 / len(levels)))
    return figures, matrices


def distinct_openings(samples: Sequence[Sample], episodes: int = 1_000) -> int:
    """Different first messages among the first `episodes`, spread over the conditions."""
    step = max(1, len(samples) // episodes)
    return len({sample.messages[0] for sample in samples[::step][:episodes]})


def show(console: Console, samples: Sequence[Sample]) -> bool:
    """Print what was recovered; True when every goal is reached."""
    figures, matrices = recover(samples)
    table = Table(title=f"Recovered from the user's messages ({len(samples)} episodes, {FOLDS} folds)")
    for column in ("label", "accuracy", "goal", "chance"):
        table.add_column(column, justify="left" if column == "label" else "right")
    for figure in figures:
        table.add_row(figure.name, f"{figure.accuracy:.1%}", f"{figure.goal:.0%}", f"{figure.chance:.0%}")
    console.print(table)
    for family, matrix in matrices.items():
        leaves = [leaf.name for leaf in LEAVES if leaf.family == family]
        table = Table("true / guessed", *(name[:9] for name in leaves), title=f"Leaves of {family} (row %)")
        for name, row in zip(leaves, matrix, strict=True):
            table.add_row(name, *(f"{100 * n / max(1, row.sum()):.0f}" for n in row))
        console.print(table)
    openings = distinct_openings(samples)
    console.print(f"Distinct openings in 1,000 episodes: {openings} (goal 500)")
    return openings >= 500 and all(figure.accuracy >= figure.goal for figure in figures)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check; exit status 0 when every goal is reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulated", action="store_true", help="the voice alone, without episodes")
    parser.add_argument("--split", choices=("test", "train"), default="test")
    parser.add_argument("--tasks", type=int, default=100, help="tasks per domain")
    parser.add_argument("--rounds", type=int, default=4, help="episodes per condition")
    parser.add_argument("--folder", type=Path, help="only the domain in this folder")
    options = parser.parse_args(arguments)
    console = Console()
    if options.simulated:
        return 0 if show(console, collect(Invented(options.tasks), options.rounds)) else 1
    domains = [add_folder(options.folder)] if options.folder else names()
    source = Episodes(task for name in domains for task in tasks_of(name, options.tasks, options.split))
    if not source.tasks:
        parser.error("no domain is installed; run with --simulated or --folder")
    reached = show(console, collect(source, options.rounds))
    equal, total = equal_to_neutral(source)
    console.print(f"Facts and goals conveyed as in the neutral run: {equal} of {total} tasks (goal: all)")
    return 0 if reached and equal == total else 1


if __name__ == "__main__":
    sys.exit(main())
