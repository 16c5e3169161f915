"""Files that appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from tau_emotion_gym.errors import TauEmotionError

COUNTS = ".counts.json"
"""What is added to a file's name for its counts."""


class Files:
    """The parts of one export, written beside their final names and moved there together by `finish`.

    Args:
        out: the file; its folder is made when there is none.
        split: several parts, each with its name in the file's name.

    Attributes:
        rows: file name → rows written, for every file with one.

    Raises:
        TauEmotionError: a file cannot be written.
    """

    def __init__(self, out: Path, *, split: bool) -> None:
        self._out = out
        self._split = split
        self._open: dict[Path, BinaryIO] = {}
        self.rows: dict[str, int] = {}

    def __enter__(self) -> "Files":
        with self._plainly():
            self._out.parent.mkdir(parents=True, exist_ok=True)
            if not self._split:
                self._file(self._out)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for path, file in self._open.items():
            with suppress(OSError):
                file.close()
            _partial(path).unlink(missing_ok=True)

    def write(self, part: str, line: bytes) -> None:
        """Add one row to a part."""
        path = self._out.with_stem(f"{self._out.stem}-{part}") if self._split else self._out
        with self._plainly():
            self._file(path).write(line)
        self.rows[path.name] = self.rows.get(path.name, 0) + 1

    def finish(self, counts: bytes) -> None:
        """Move every part, and the counts, to their names."""
        path = self._out.with_name(self._out.name + COUNTS)
        with self._plainly():
            self._file(path).write(counts)
            for file in self._open.values():
                file.close()
            for path in self._open:
                os.replace(_partial(path), path)

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise TauEmotionError(f"{self._out} cannot be written: {error.strerror}") from error

    def _file(self, path: Path) -> BinaryIO:
        if path not in self._open:
            self._open[path] = _partial(path).open("wb")
        return self._open[path]


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.partial")
