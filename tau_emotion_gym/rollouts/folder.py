"""The folder of a run: `run.json` says what is played, `episodes.jsonl` has a line per finished episode."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import msgspec

from tau_emotion_gym.errors import DataError, TauEmotionError
from tau_emotion_gym.kit import add_folder, names
from tau_emotion_gym.rollouts.config import RunConfig, plan
from tau_emotion_gym.rollouts.identity import MOST_DIFFERENCES, differences, hash_of, identity, versions
from tau_emotion_gym.rollouts.lock import Lock
from tau_emotion_gym.rollouts.record import Place, Record, record_from

RUN = "run.json"
EPISODES = "episodes.jsonl"
LOCK = "lock"
FORMAT = 1
"""Version of the folder's format."""

MOST_NAMED = 5
"""Runs that a message names."""


class RunMismatchError(TauEmotionError):
    """A run folder that was begun with another configuration."""


class RunFile(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in `run.json`.

    Attributes:
        version: of this format.
        created: when the run was begun, ISO 8601 in UTC.
        versions: package → version.
        hash: digest of `identity`.
        planned: how many episodes the run has.
        config: the configuration.
        identity: what has to be equal for a resume (see `identity.identity`).
    """

    version: int
    created: str
    versions: dict[str, str]
    hash: str
    planned: int
    config: RunConfig
    identity: dict[str, Any]


class Head(msgspec.Struct, frozen=True):
    """The part of a record that says which episode it is and how it ended; reading it skips the rest."""

    place: Place
    outcome: str
    success: bool


_HEAD = msgspec.json.Decoder(Head)


class RunFolder:
    """A run on disk. Make it with `create` or `open`.

    Attributes:
        path: the folder.
        file: its `run.json`.
    """

    def __init__(self, path: Path, file: RunFile) -> None:
        self.path = path
        self.file = file

    @classmethod
    def create(cls, path: str | Path, config: RunConfig) -> Self:
        """A new run, also over one that was stopped before its first episode ended, by a wrong key perhaps.

        Raises:
            TauEmotionError: the folder holds a run with episodes.
            LockedError: another process is at it.
        """
        folder = Path(path)
        _refuse_begun(folder)
        same = identity(config)
        file = RunFile(
            version=FORMAT,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            versions=versions(),
            hash=hash_of(same),
            planned=len(plan(config)),
            config=config,
            identity=same,
        )
        with _plainly(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with Lock(folder / LOCK):
                _refuse_begun(folder)
                _write_whole(folder / RUN, msgspec.json.format(msgspec.json.encode(file)) + b"\n")
        return cls(folder, file)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """A run that exists. Domains of one's own that it plays become known.

        Raises:
            DataError: no run is there, or its `run.json` is damaged or of another format.
        """
        folder = Path(path)
        try:
            file = msgspec.json.decode((folder / RUN).read_bytes(), type=RunFile)
        except (FileNotFoundError, NotADirectoryError):
            raise DataError(f"{folder} is not the folder of a run: {_no_run(folder)}") from None
        except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
            raise DataError(f"{folder / RUN}: {error}") from None
        if file.version != FORMAT:
            raise DataError(f"{folder / RUN}: format {file.version}; this version of the package reads {FORMAT}")
        for name, own in file.config.folders.items():
            if name not in names() and Path(own, "__init__.py").is_file():
                add_folder(own)
        return cls(folder, file)

    @property
    def config(self) -> RunConfig:
        """What the run plays."""
        return self.file.config

    @property
    def episode_settings(self) -> dict[str, Any]:
        """What every episode of the run is made with, as arguments of `Episode` and of `replay`."""
        config = self.config
        return {
            "user_exit": self.file.identity["plan"]["user_exit"],
            "max_steps": config.max_steps,
            "think_tool": config.think_tool,
            "reward": config.reward,
        }

    def check_same(self, config: RunConfig) -> None:
        """Refuse another configuration than the one that the run was begun with.

        Raises:
            RunMismatchError: names what differs.
        """
        found = differences(self.file.identity, identity(config))
        if found:
            listed = "\n  ".join(found[:MOST_DIFFERENCES])
            more = f"\n  and {len(found) - MOST_DIFFERENCES} more" if len(found) > MOST_DIFFERENCES else ""
            raise RunMismatchError(f"{self.path} was begun with another configuration:\n  {listed}{more}")

    def records(self) -> Iterator[Record]:
        """The run's records (see `records`)."""
        return records(self.path)

    def writer(self) -> "Writer":
        """Lock the folder and open its log for writing; a half last line is dropped.

        Raises:
            LockedError: another process writes.
            DataError: a line other than the last is damaged.
        """
        return Writer(self.path)


class Writer:
    """Appends lines to a run's log, one `write` per line. Use it as a context manager.

    Attributes:
        heads: what stood in the log when it was opened, in order.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / EPISODES
        with _plainly(folder), ExitStack() as undo:
            self._lock = undo.enter_context(Lock(folder / LOCK))
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            undo.callback(os.close, self._file)
            self.heads = self._mend()
            undo.pop_all()

    def append(self, line: bytes) -> None:
        """Write the line of a record (see `line_of`); when that fails, nothing of it stays.

        Raises:
            TauEmotionError: the disk is full, or the folder is gone.
        """
        start = os.fstat(self._file).st_size
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            os.ftruncate(self._file, start)
            raise TauEmotionError(f"{self._path} cannot be written: {error.strerror}") from error

    def sync(self) -> None:
        """Wait until what was written has reached the disk."""
        os.fsync(self._file)

    def close(self) -> None:
        """Close the log and unlock the folder."""
        os.close(self._file)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _mend(self) -> list[Head]:
        """Read the log, drop a last line that is none, and give a last one that lacks its end what it lacks."""
        heads, good, whole = [], 0, True
        for line in read_lines(self._path):
            heads.append(line.head)
            good, whole = line.end, line.whole
        os.ftruncate(self._file, good)
        if not whole:
            os.write(self._file, b"\n")
        return heads


class Line(msgspec.Struct, frozen=True):
    """A sound line of a log.

    Attributes:
        head: which episode.
        start, end: where it stands in the file, in bytes.
        number: from 1.
        whole: it has its line end.
    """

    head: Head
    start: int
    end: int
    number: int
    whole: bool


def exists(path: str | Path) -> bool:
    """Whether a folder holds a run."""
    return Path(path, RUN).exists()


def begun(path: str | Path) -> bool:
    """Whether a folder holds a run with something in its log; one without can be begun anew."""
    log = Path(path, EPISODES)
    return exists(path) and log.is_file() and log.stat().st_size > 0


def records(path: str | Path, log: str = EPISODES, order: Callable[[Place], Any] | None = None) -> Iterator[Record]:
    """The records of a run folder, one per episode, in the order in which they were logged.

    Where an episode was played again, its last record counts. A half last line is passed over. Places are read first
    and records one at a time, so a run of any size fits.

    Args:
        path: the folder.
        log: the file in it.
        order: sorts the records by their places.

    Raises:
        DataError: a line other than the last is damaged; or there is no log.
    """
    file = Path(path) / log
    last = {line.head.place.key: line for line in read_lines(file)}
    lines = sorted(last.values(), key=lambda line: order(line.head.place) if order else line.start)
    with file.open("rb") as stream:
        for line in lines:
            stream.seek(line.start)
            yield _decoded(file, line, stream.read(line.end - line.start))


def read_lines(file: Path) -> Iterator[Line]:
    """The sound lines of a log. A last line that does not decode is taken for half written.

    Raises:
        DataError: a line other than the last is damaged; or there is no log.
    """
    damage = ""
    start = 0
    try:
        with file.open("rb") as stream:
            for number, data in enumerate(stream, 1):
                if damage:
                    raise DataError(damage)
                end = start + len(data)
                try:
                    head = _HEAD.decode(data)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    damage = f"{file}:{number}: no record of an episode: {error}"
                else:
                    yield Line(head, start, end, number, data.endswith(b"\n"))
                start = end
    except OSError as error:
        raise DataError(f"{file}: {error.strerror}") from None


def _decoded(file: Path, line: Line, data: bytes) -> Record:
    try:
        return record_from(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{file}:{line.number}: {error}") from None


def _no_run(folder: Path) -> str:
    """What is at a path instead of a run's folder."""
    if not folder.exists():
        return "there is no such file or folder"
    if not folder.is_dir():
        return f"it is a file; the folder is {folder.parent}" if exists(folder.parent) else "it is a file"
    runs = sorted(str(run.parent) for run in folder.glob(f"*/{RUN}"))
    within = f", but folders within have: {', '.join(runs[:MOST_NAMED])}" if runs else ""
    return f"it has no {RUN}{within}" + (", …" if len(runs) > MOST_NAMED else "")


def _refuse_begun(folder: Path) -> None:
    if begun(folder):
        raise TauEmotionError(f"{folder} holds a run already; resume it, or choose another folder")


@contextmanager
def _plainly(folder: Path) -> Iterator[None]:
    """What the system refuses, as an error of the package."""
    try:
        yield
    except OSError as error:
        raise TauEmotionError(f"{folder} cannot be used: {error.strerror}: {error.filename}") from error


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there as a whole or not at all."""
    draft = path.with_suffix(".draft")
    with draft.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
