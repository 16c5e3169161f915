"""The records of a run's log in an order that does not depend on how the run was scheduled."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.rollouts import Place, Record, record_from

LOG = "episodes.jsonl"
"""The log in a run's folder."""


class _Entry(msgspec.Struct):
    place: Place


_decode_place = msgspec.json.Decoder(_Entry).decode


def run_records(run: str | Path) -> Iterator[Record]:
    """The records of a run, by domain, task, arm and trial; of several with one place the last one.

    The log is read twice, and one record is held at a time.

    Args:
        run: a run's folder, or its log.

    Raises:
        DataError: there is no log, or a line other than the last is no record.
    """
    path = Path(run)
    path = path / LOG if path.is_dir() else path
    try:
        log = path.open("rb")
    except OSError as error:
        raise DataError(f"{path}: cannot be read as a run's log: {error.strerror}") from None
    with log:
        places: dict[tuple[Any, ...], tuple[int, int]] = {}
        for number, (at, line) in enumerate(_lines(log), 1):
            try:
                places[_order(_decode_place(line).place)] = at, number
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                if line.endswith(b"\n"):
                    raise _bad(path, number, error) from None
        for key in sorted(places):
            at, number = places[key]
            log.seek(at)
            try:
                yield record_from(log.readline())
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise _bad(path, number, error) from None


def _lines(log: Any) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in log:
        yield at, line
        at += len(line)


def _order(place: Place) -> tuple[Any, ...]:
    parts = re.split(r"(\d+)", place.task_id)
    natural = tuple(int(part) if number % 2 else part for number, part in enumerate(parts))
    return place.domain, natural, place.task_id, place.arm, place.trial


def _bad(path: Path, number: int, error: Exception) -> DataError:
    return DataError(f"{path}:{number}: not a record: {error}")
