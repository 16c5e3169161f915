"""Data sets for trainers: rows that each say which episode is played, and no more."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from tau_emotion_gym.agents.instructions import instructions
from tau_emotion_gym.emotions import CONDITIONS, resolve
from tau_emotion_gym.envs.settings import check_count, find_domain
from tau_emotion_gym.episode.info import NEUTRAL
from tau_emotion_gym.llm.tool_text import tools_prompt
from tau_emotion_gym.rollouts.config import seed_of
from tau_emotion_gym.tasks.train import task_by_id, task_ids


class Row(TypedDict):
    """One episode: the same row, the same episode, on every adapter and in the environment.

    Attributes:
        prompt: the system message. The customer's opening is no part of it: the episode gives it.
        domain: name of the domain.
        task_id: the task.
        emotion: the condition's path, or "neutral".
        episode_seed: the episode's seed, as digits.
    """

    prompt: list[dict[str, Any]]
    domain: str
    task_id: str
    emotion: str
    episode_seed: str


def rows(
    domain: str | Path,
    count: int,
    *,
    split: str = "train",
    first: int = 0,
    emotions: Sequence[str] = ("task",),
    seed: int = 0,
    world_seed: int = 0,
    tools_in_prompt: bool = False,
    think_tool: bool = False,
) -> list[Row]:
    """Rows for a data set, one per task, the emotions dealt in turn.

    Seeds follow from `seed`, domain and task alone, as in a run of `tau_emotion_gym.rollouts`, so that rows that
    differ in their emotion only are paired.

    Args:
        domain: name of the domain, or path of its folder.
        count: how many tasks.
        split: "train" or "test".
        first: the first task's place in the split.
        emotions: what to deal: "task", "neutral", "random", a family, a leaf, a path.
        seed: what the episodes' seeds follow from.
        world_seed: the training world.
        tools_in_prompt: describe the tools in the system message, for models whose chat template takes none.
        think_tool: describe the `think` tool with them, for a desk that offers it.

    Raises:
        UnknownName: a name that does not exist.
        TypeError: `emotions` is one string, or empty.
        ValueError: the split has fewer tasks, or a number is out of range.
    """
    check_count("count", count, least=1)
    check_count("first", first, least=0)
    if isinstance(emotions, str) or not emotions:
        raise TypeError(f'emotions is a sequence such as ("anger", "fear"), not {emotions!r}')
    found = find_domain(domain)
    ids = task_ids(found, split, world_seed=world_seed, count=first + count)[first:]
    if len(ids) < count:
        raise ValueError(f"domain {found.name} has no {count} tasks in split {split!r} from place {first} on")
    prompt = instructions(found)
    if tools_in_prompt:
        prompt += "\n\n" + tools_prompt([tool.schema for tool in found.offered(think_tool=think_tool)])
    made: list[Row] = []
    for place, task_id in enumerate(ids):
        episode_seed = seed_of(seed, found.name, task_id, 0)
        assigned = CONDITIONS[task_by_id(found, task_id).condition]
        condition = resolve(emotions[place % len(emotions)], assigned=assigned, seed=episode_seed)
        made.append(
            Row(
                prompt=[{"role": "system", "content": prompt}],
                domain=found.name,
                task_id=task_id,
                emotion=NEUTRAL if condition is None else condition.path,
                episode_seed=str(episode_seed),
            )
        )
    return made
