"""Training files from the logs of runs: what is worth learning from, in the format of a trainer."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.errors import TauEmotionError, unknown
from tau_emotion_gym.kit import Task, load
from tau_emotion_gym.rollouts import Record
from tau_emotion_gym.tasks.train import task_by_id
from tau_emotion_gym.tracer.conversation import conversation
from tau_emotion_gym.tracer.filters import DUPLICATE, NAMES, Limits, dropped_by, unnecessary_questions
from tau_emotion_gym.tracer.formats import renderer
from tau_emotion_gym.tracer.log import Origin, log_of, origin, run_records
from tau_emotion_gym.tracer.writing import Files

SPLITS = ("domain", "family", "leaf")
"""What a run can be split by, one file per value."""

UNKNOWN = Origin()
"""Records from nowhere in particular."""


class ContaminationError(TauEmotionError):
    """Rows of the test split were about to become training data."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is exported.

    Attributes:
        format: one of `FORMATS`.
        limits: what the filters are set to.
        keep_thoughts: keep what the agent thought, as think blocks.
        split_by: one of `SPLITS`: a file per value; None for one file.
        allow_test: export episodes of the test split too.
    """

    format: str = "openai"
    limits: Limits = Limits()
    keep_thoughts: bool = False
    split_by: str | None = None
    allow_test: bool = False


class Counts(msgspec.Struct, frozen=True):
    """What became of the episodes that were read: `read` is `kept` and all of `dropped` together.

    Attributes:
        counted: what all the numbers count: "episodes", of which each that is kept is a row.
        read: episodes read.
        kept: episodes kept.
        dropped: filter → episodes that it dropped, for every filter, in their order.
        files: name of each file written → the episodes in it.
        settings: the settings of the export.
    """

    counted: str
    read: int
    kept: int
    dropped: dict[str, int]
    files: dict[str, int]
    settings: Settings


def export_run(run: str | Path | Sequence[str | Path], out: str | Path, settings: Settings | None = None) -> Counts:
    """Write the training file of a run on disk, or of several (see `export`). Equal runs give equal files.

    Args:
        run: a run's folder, or its log; or several of them, which follow one another.
        out: the file.
        settings: how; the defaults when None.

    Raises:
        TauEmotionError: `out` is a run's own log; and as `export`.
    """
    runs = [run] if isinstance(run, str | Path) else list(run)
    if any(log_of(one).resolve() == Path(out).resolve() for one in runs):
        raise TauEmotionError(f"{out} is the log of the run itself, which is never written over")
    return _export(((origin(one), run_records(one)) for one in runs), out, settings or Settings())


def export(
    records: Iterable[Record], out: str | Path, settings: Settings | None = None, run: Origin = UNKNOWN
) -> Counts:
    """Write a training file, and the counts beside it as `<out>.counts.json`.

    One record is held at a time. Files appear whole, under their names, when all records are read; after an
    error, and where nothing is kept, no file is written.

    Args:
        records: the records. Of equal conversations the first is kept.
        out: the file (JSON Lines). With `split_by` its stem gets the value: `sft.jsonl` → `sft-anger.jsonl`.
        settings: how; the defaults when None.
        run: what is known of the run that they are from.

    Raises:
        UnknownName: the format or the split does not exist, or a record's domain or task no longer does.
        TauEmotionError: the file cannot be written.
        ContaminationError: an episode of the test split, without `allow_test`.
    """
    return _export([(run, records)], out, settings or Settings())


def _export(runs: Iterable[tuple[Origin, Iterable[Record]]], out: str | Path, settings: Settings) -> Counts:
    render = renderer(settings.format)
    if settings.split_by not in (None, *SPLITS):
        raise unknown("split", settings.split_by, SPLITS)
    dropped = dict.fromkeys(NAMES, 0)
    seen: set[bytes] = set()
    read = 0
    with Files(Path(out), split=settings.split_by is not None) as files:
        for run, record in _each(runs):
            read += 1
            domain = load(record.place.domain)
            task = task_by_id(domain, record.place.task_id)
            if task.world is None and not settings.allow_test:
                raise _contaminated(record)
            reason = dropped_by(record, settings.limits)
            if reason is not None:
                dropped[reason] += 1
                continue
            talk = conversation(record, domain, think_tool=run.think_tool, keep_thoughts=settings.keep_thoughts)
            digest = hashlib.blake2b(msgspec.json.encode(talk.messages), digest_size=16).digest()
            if digest in seen:
                dropped[DUPLICATE] += 1
                continue
            seen.add(digest)
            row = render(talk, metadata(record, task, run))
            files.write(_part(record, settings.split_by), msgspec.json.encode(row) + b"\n")
        counts = Counts("episodes", read, sum(files.rows.values()), dropped, files.rows, settings)
        if counts.kept:
            files.finish(msgspec.json.format(msgspec.json.encode(counts)) + b"\n")
    return counts


def _each(runs: Iterable[tuple[Origin, Iterable[Record]]]) -> Iterator[tuple[Origin, Record]]:
    for run, records in runs:
        for record in records:
            yield run, record


def metadata(record: Record, task: Task, run: Origin) -> dict[str, Any]:
    """What is told of a row beside the conversation: the same keys in every row."""
    place = record.place
    return {
        "domain": place.domain,
        "task_id": place.task_id,
        "split": "test" if task.world is None else "train",
        "world_seed": task.world,
        "agent": run.agent,
        "emotion": place.emotion,
        "trial": place.trial,
        "seed": place.seed,
        "outcome": record.outcome,
        "reward": record.reward,
        "strict_success": record.strict_success,
        "steps": record.steps,
        "tool_calls": record.tool_calls,
        "tool_errors": record.tool_errors,
        "questions": record.questions,
        "unnecessary_questions": unnecessary_questions(record),
        "satisfaction": record.satisfaction,
        "patience": record.patience,
    }


def _part(record: Record, split_by: str | None) -> str:
    """The part of a split file that a record belongs to; "" for the only one."""
    if split_by is None:
        return ""
    if split_by == "domain":
        return record.place.domain
    condition = resolve(record.place.emotion, assigned=None, seed=0)
    if condition is None:
        return "neutral"
    return condition.family if split_by == "family" else condition.leaf


def _contaminated(record: Record) -> ContaminationError:
    return ContaminationError(
        f"{record.place.key} is a task of the test split: a model that is trained on it cannot be tested with it. "
        "Play training tasks for training data (--split train), or export with --allow-test what is not for training"
    )
