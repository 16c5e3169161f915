"""Where commands print: colours and bars on a terminal, plain lines anywhere else."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PLAIN_WIDTH = 110
"""Columns of output that goes to a file or a pipe."""

QUARTERS = 4
"""Plain progress lines per task."""


def prepare_streams() -> None:
    """Let a character that the console cannot show or type become "?" instead of an error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def console(*, stderr: bool = False) -> Console:
    """A console on the current standard output (or error output)."""
    made = Console(stderr=stderr, highlight=False, emoji=False)
    return made if made.is_terminal else Console(stderr=stderr, highlight=False, emoji=False, width=PLAIN_WIDTH)


def complain(message: str) -> None:
    """Show an error."""
    out = console(stderr=True)
    out.print("[bold red]error:[/]", end=" ")
    out.print(message, markup=False, soft_wrap=True)


class Tracker:
    """Progress of one long piece of work, on the error output: a bar, or a few plain lines where there is
    no terminal. Use it as a context manager."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._total = self._done = self._told = 0
        out = console(stderr=True)
        self._bar = (
            Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=out,
                transient=True,
            )
            if out.is_terminal
            else None
        )

    def __enter__(self) -> "Tracker":
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def start(self, total: int) -> None:
        """Say how many steps there are."""
        self._total = total
        if self._bar is not None:
            self._task = self._bar.add_task(self._title, total=total)

    def advance(self, steps: int) -> None:
        """Say that so many more steps are done."""
        self._done += steps
        if self._bar is not None:
            self._bar.advance(self._task, steps)
        elif (told := self._done * QUARTERS // self._total) > self._told:
            self._told = told
            print(f"{self._title}: {self._done:,} of {self._total:,}", file=sys.stderr, flush=True)


@contextmanager
def tracked(title: str, total: int) -> Iterator[Tracker]:
    """A tracker whose number of steps is known."""
    with Tracker(title) as tracker:
        tracker.start(total)
        yield tracker
