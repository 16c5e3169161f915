"""Which task an episode plays: a function of the last seed and the number of episodes since.

| `tasks` | the task of the n-th episode since the last seeded reset |
|---|---|
| `None` | drawn from the seed: any test task, or one of the first 1,000 training tasks of the world |
| ids | in the order given, round and round; a reset with seed s starts at place s mod length |
| `{"start": a, "step": b}` | number a + b n of the split; a seeded reset starts at a again |

A cursor goes round and round on the test split, and on without end on the train split.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from tau_emotion_gym._draw import mix
from tau_emotion_gym.errors import unknown
from tau_emotion_gym.kit import Domain, Task
from tau_emotion_gym.tasks.train import task_by_id, train_task

Tasks = Sequence[str] | Mapping[str, int] | None
"""See the table above."""

TRAIN_POOL = 1000
"""Training tasks of a world among which `tasks=None` draws; a cursor reaches all others."""

_CURSOR_KEYS = ("start", "step")


@dataclass(frozen=True, slots=True)
class Deal:
    """A rule of the table above.

    Attributes:
        how: "drawn", "listed" or "cursor".
        ids: the ids, when listed.
        start: place of the first episode; of a listed deal only while no seed was given.
        step: how many places further each following episode is.
    """

    how: Literal["drawn", "listed", "cursor"] = "drawn"
    ids: tuple[str, ...] = ()
    start: int = 0
    step: int = 1

    def share(self, number: int, shares: int) -> Self:
        """The part that falls to one of several players who take turns, `number` from 0."""
        return replace(self, start=self.start + number * self.step, step=self.step * shares)

    def place(self, seed: int | None, number: int, draw: int) -> int:
        """The place of the `number`-th episode after a reset with `seed` (None: never seeded).

        Args:
            seed: the last seed.
            number: episodes since then.
            draw: the episode's own random bits.
        """
        if self.how == "drawn":
            return mix(draw, 0, "task")
        first = self.start if seed is None or self.how == "cursor" else seed
        return first + number * self.step

    def task(self, domain: Domain, split: str, world_seed: int, place: int) -> Task:
        """The task at a place."""
        if self.ids:
            return task_by_id(domain, self.ids[place % len(self.ids)])
        if split == "test":
            tasks = domain.test_tasks
            return tasks[list(tasks)[place % len(tasks)]]
        return train_task(domain, world_seed, place % TRAIN_POOL if self.how == "drawn" else place)


def make_deal(tasks: Any, split: str) -> Deal:
    """The deal that the keyword argument `tasks` asks for.

    Raises:
        TypeError: another form than those of the table.
        UnknownName: a key that a cursor does not have.
        ValueError: an empty list, or a cursor that does not advance.
    """
    if tasks is None:
        return Deal()
    if isinstance(tasks, Mapping):
        return _cursor(tasks)
    if isinstance(tasks, str) or not isinstance(tasks, Sequence) or not all(isinstance(t, str) for t in tasks):
        raise TypeError(
            f'tasks is a list of task ids, a cursor such as {{"start": 0, "step": 1}}, or None; not {tasks!r}'
        )
    if not tasks:
        raise ValueError(f"tasks is an empty list; None means all of the {split} split")
    return Deal("listed", tuple(tasks))


def _cursor(tasks: Mapping[Any, Any]) -> Deal:
    for key, value in tasks.items():
        if key not in _CURSOR_KEYS:
            raise unknown("key of a task cursor", key, _CURSOR_KEYS)
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{key} of a task cursor is an integer, not {value!r}")
    start, step = tasks.get("start", 0), tasks.get("step", 1)
    if start < 0 or step < 1:
        raise ValueError(f"a task cursor has start ≥ 0 and step ≥ 1, not {start} and {step}")
    return Deal("cursor", start=start, step=step)
