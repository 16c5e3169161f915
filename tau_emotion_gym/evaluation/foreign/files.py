"""The entries of a results file, whichever of the forms it has."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tau_emotion_gym.errors import DataError
from tau_emotion_gym.llm.reading import well_formed_json

Entry = Mapping[str, Any]
_BOM = b"\xef\xbb\xbf"


class Contents(NamedTuple):
    """What a file holds.

    Attributes:
        entries: one per episode, in the order of the file.
        info: what the file says of the whole run; empty where it says nothing.
        tasks: task id → its task, where the file has them.
    """

    entries: list[Entry]
    info: Entry
    tasks: dict[str, Entry]


def read_contents(path: Path) -> Contents:
    """Read a file.

    Raises:
        DataError: it cannot be read, is cut off or otherwise no JSON (with the line), or holds no results.
    """
    try:
        data = path.read_bytes().removeprefix(_BOM)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    if not data.strip():
        raise DataError(f"{path}: the file is empty")
    value = _decoded(path, data)
    if isinstance(value, dict) and "simulations" not in value and "task_id" in value:
        value = [value]
    if isinstance(value, list):
        return Contents(_entries(path, value), {}, {})
    if isinstance(value, dict) and isinstance(value.get("simulations"), list):
        tasks = [task for task in value.get("tasks") or () if isinstance(task, dict)]
        return Contents(
            _entries(path, value["simulations"]),
            mapping(value.get("info")),
            {str(task.get("id", "")): task for task in tasks},
        )
    raise DataError(f"{path}: no results: neither a list of episodes, nor an object with 'simulations', nor JSON Lines")


def mapping(value: Any) -> Entry:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _decoded(path: Path, data: bytes) -> Any:
    try:
        return _read(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        lines = data.splitlines()
        if _is_object(next(filter(bytes.strip, lines), b"")):
            return [_line(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
        raise DataError(f"{path}:{_line_of(data, error)}: {_words(error)}") from None


def _read(data: bytes) -> Any:
    """JSON, and what Python's own writer calls so: NaN, infinities, and halves of surrogate pairs, which models write.

    Raises:
        msgspec.DecodeError, UnicodeDecodeError, RecursionError: it is neither.
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        try:
            return well_formed_json(json.loads(data))
        except ValueError:
            pass
        raise


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(_read(line), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _line(path: Path, number: int, line: bytes) -> Any:
    try:
        return _read(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{path}:{number}: {_words(error)}") from None


def _words(error: Exception) -> str:
    if "truncated" in str(error):
        return "the file ends in the middle of an episode: it is cut off"
    return f"not JSON: {error}"


def _line_of(data: bytes, error: Exception) -> int:
    """The line of an error: where the decoder says, else the last one."""
    place = str(error).rpartition("byte ")[2].rstrip(")")
    end = int(place) if place.isdigit() else len(data.rstrip())
    return data.count(b"\n", 0, end) + 1


def _entries(path: Path, values: list[Any]) -> list[Entry]:
    for number, value in enumerate(values, 1):
        if not isinstance(value, dict) or value.get("task_id") is None:
            raise DataError(f"{path}: entry {number} is no episode: an episode is an object with a 'task_id'")
    return values
