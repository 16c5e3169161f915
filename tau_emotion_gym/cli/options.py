"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from tau_emotion_gym.emotions import CONDITIONS, EmotionCondition, EmotionSpec, resolve, validate
from tau_emotion_gym.envs.settings import find_domain
from tau_emotion_gym.kit import Domain, Task, names

EmotionOption = Annotated[
    str,
    typer.Option(
        "--emotion",
        "-e",
        metavar="EMOTION",
        help="task (the task's own), neutral, random, a family (anger), a leaf (frustration), a path "
        "(anger/frustration/cold/high/skeptical, * allowed) or an index 0 to 593.",
    ),
]


def chosen(wanted: list[str] | None) -> list[Domain]:
    """The domains of these names or folders; all that are known when none is named."""
    return [find_domain(place(name)) for name in wanted or names()]


def place(name: str) -> str | Path:
    """A folder as a path, a name as it is."""
    return Path(name).resolve() if Path(name, "__init__.py").is_file() else name


def condition_of(emotion: EmotionSpec, task: Task, seed: int) -> EmotionCondition | None:
    """The condition that an option means for a task.

    Raises:
        UnknownName: the option names nothing.
    """
    validate(emotion)
    return resolve(emotion, assigned=CONDITIONS[task.condition], seed=seed)
