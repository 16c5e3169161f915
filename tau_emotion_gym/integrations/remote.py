"""An object in a process of its own, asked for one thing at a time."""

import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

PATIENCE = 5.0
"""Seconds that a process is given to end."""

CLOSE = "close"
GONE = "a worker process is gone; close these environments and make others"


class WorkerDied(RuntimeError):
    """A worker process is gone, or was interrupted in the midst of an answer."""


class Remote:
    """An object in a process of its own.

    Args:
        make: makes the object there; both can be pickled.
        arguments: what `make` is given.
    """

    def __init__(self, make: Callable[..., Any], *arguments: Any) -> None:
        context = get_context("spawn")
        self._pipe, far = context.Pipe()
        self._process = context.Process(target=_serve, args=(far, make, arguments), daemon=True)
        self._process.start()
        self._owed = False
        far.close()

    def ask(self, name: str, *arguments: Any) -> Any:
        """What an attribute is, or what a method returns.

        Raises:
            WorkerDied: the process is gone.
            Exception: what was raised there.
        """
        self.send(name, *arguments)
        return opened(self.receive())

    def send(self, name: str, *arguments: Any) -> None:
        """Ask without waiting; an answer that nobody took is dropped."""
        if self._owed:
            self.receive()
        try:
            self._pipe.send((name, arguments))
        except OSError as error:
            raise WorkerDied(GONE) from error
        self._owed = True

    def receive(self) -> Any:
        """The answer: a value, or the exception that was raised there."""
        try:
            found = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise WorkerDied(GONE) from error
        except BaseException:
            self._process.kill()  # part of the answer may have been read
            self._pipe.close()
            raise
        self._owed = False
        return found

    def close(self) -> None:
        """End the process."""
        with suppress(WorkerDied):
            self.send(CLOSE)
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def opened(answer: Any) -> Any:
    """An answer, raised where it is an exception."""
    if isinstance(answer, Exception):
        raise answer
    return answer


def _serve(pipe: Connection, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Answer until told to close, or the other side is gone; Ctrl-C is the other side's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    served: Any = None
    with suppress(EOFError, OSError):
        while (asked := pipe.recv())[0] != CLOSE:
            name, given = asked
            try:
                served = make(*arguments) if served is None else served
                part = getattr(served, name)
                answer = part(*given) if callable(part) else part
            except Exception as error:
                answer = error
            pipe.send(answer)
