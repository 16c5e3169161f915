"""Training tasks without end, addressed by (world seed, index), and finding any task by its id."""

import re
from functools import lru_cache

from tau_emotion_gym._draw import Draw, mix
from tau_emotion_gym.emotions import CONDITIONS
from tau_emotion_gym.errors import TauEmotionError, UnknownName, unknown
from tau_emotion_gym.kit import Domain, Intent, Task
from tau_emotion_gym.tasks.build import LARGEST_SEED, finished
from tau_emotion_gym.tasks.plan import plan
from tau_emotion_gym.tasks.walks import Wish
from tau_emotion_gym.tasks.workshop import RejectedError, Workshop

BLOCK = 32
"""Tasks that are made together."""
KEPT_BLOCKS = 128
KEPT_WORKSHOPS = 8
TRIES_PER_WISH = 60
TRIES = 600

_TRAIN_ID = re.compile(r"train-(0|[1-9]\d*)-(0|[1-9]\d*)")


def train_task(domain: Domain, world_seed: int, index: int) -> Task:
    """Training task number `index` (from 0, without end) of the training world of this seed.

    The same arguments always give an equal task, whatever was asked for before.
    """
    if index < 0 or world_seed < 0:
        raise UnknownName(f"world seed and index count from 0, not ({world_seed}, {index})")
    return _block(domain, world_seed, index // BLOCK)[index % BLOCK]


@lru_cache(maxsize=KEPT_BLOCKS)
def _block(domain: Domain, world_seed: int, block: int) -> tuple[Task, ...]:
    workshop = _workshop(domain, world_seed)
    return tuple(_make(workshop, world_seed, block * BLOCK + row) for row in range(BLOCK))


@lru_cache(maxsize=KEPT_WORKSHOPS)
def _workshop(domain: Domain, world_seed: int) -> Workshop:
    return Workshop(domain, domain.train_base(world_seed), sentences=False)


def _weigh(intent: Intent) -> int:
    return intent.weight


def _make(workshop: Workshop, world_seed: int, index: int) -> Task:
    domain = workshop.domain
    source = mix(world_seed, index, f"{domain.name} train")
    reason = ""
    for number in range(TRIES):
        draw = Draw(source, f"try {number}")
        wish = draw.pick(plan(domain)) if number < TRIES_PER_WISH else Wish(1)
        try:
            draft = workshop.draft(wish, draw, _weigh)
        except RejectedError as error:
            reason = str(error)
            continue
        seed = mix(source, 0, "episode") % LARGEST_SEED
        return finished(
            domain,
            draft,
            task_id=f"train-{world_seed}-{index}",
            world=world_seed,
            condition=mix(seed, 0, "condition") % len(CONDITIONS),
            seed=seed,
        )
    raise TauEmotionError(
        f"domain {domain.name}: no training task ({world_seed}, {index}) in {TRIES} tries; the last one: {reason}"
    )


def task_by_id(domain: Domain, task_id: str) -> Task:
    """The test or training task of this id.

    Raises:
        UnknownName: with the nearest valid ids.
    """
    if (found := _TRAIN_ID.fullmatch(task_id)) is not None:
        return train_task(domain, int(found[1]), int(found[2]))
    task = domain.test_tasks.get(task_id)
    if task is not None:
        return task
    if task_id.startswith("train"):
        raise UnknownName(
            f"unknown task {task_id!r}: a training task is called train-<world seed>-<index>, for example train-0-17"
        )
    raise unknown(f"task of domain {domain.name}", task_id, domain.test_tasks)


def task_ids(domain: Domain, split: str, *, world_seed: int = 0, count: int | None = None) -> list[str]:
    """The ids of a split in order.

    Args:
        domain: the domain.
        split: "test", or "train", which has no end.
        world_seed: for "train": the seed of the training world.
        count: how many; all by default, which "train" does not have.

    Raises:
        UnknownName: another split, or "train" without a count.
    """
    if split == "test":
        return list(domain.test_tasks)[:count]
    if split != "train":
        raise unknown("split", split, ("test", "train"))
    if count is None:
        raise UnknownName(
            "the train split has no end: say how many tasks: count=1000, or --tasks 1000 on the command line"
        )
    return [f"train-{world_seed}-{index}" for index in range(count)]
