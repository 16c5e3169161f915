"""A lock against two processes that write into one run folder. The system drops it when its holder dies."""

import os
import sys
from io import FileIO
from pathlib import Path
from typing import Self

from tau_emotion_gym.errors import TauEmotionError


class LockedError(TauEmotionError):
    """Another process writes into this run folder."""


class Lock:
    """An exclusive lock on a file that stays where it is and names its holder.

    Raises:
        LockedError: somebody holds it.
    """

    def __init__(self, path: Path) -> None:
        self._file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+")
        if not _taken(self._file):
            holder = self._file.read(32).decode(errors="replace").strip()
            self._file.close()
            raise LockedError(f"{path.parent} is being written to by another process (process {holder or 'unknown'})")
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Give the lock back. May be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    FAR = 1 << 30
    """The locked byte lies behind the holder's number, so that others can read that."""

    def _taken(file: FileIO) -> bool:
        file.seek(FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(0)
        return True

else:
    import fcntl

    def _taken(file: FileIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
