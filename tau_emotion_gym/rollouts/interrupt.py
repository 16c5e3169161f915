"""Ctrl-C and SIGTERM as requests to a run, instead of exceptions in its midst."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

GRACE = 10.0
"""Seconds that running episodes get after a SIGTERM."""

PATIENCE = 2
"""Ctrl-Cs that are requests; the next one is an exception."""

Ask = Callable[[str, str], None]
"""Takes the reason in a word and in a sentence."""


@contextmanager
def interruptible(drain: Ask, drop: Ask) -> Iterator[None]:
    """Call `drain` at the first Ctrl-C and `drop` at the second; at a SIGTERM `drain`, and `drop` after `GRACE`.

    A third Ctrl-C is raised on the spot, as a `KeyboardInterrupt`: where an agent or a user blocks the event loop, no
    request gets through.

    Must be entered in a running event loop; outside the main thread, where no signal arrives, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    seen: list[int] = []

    def ask(number: int, request: Ask) -> None:
        name = signal.Signals(number).name
        request("interrupted", f"interrupted by {name}")
        if number == signal.SIGTERM:
            loop.call_later(GRACE, drop, "interrupted", f"interrupted by {name}")

    def handle(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        if seen.count(signal.SIGINT) > PATIENCE:
            restore()
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(ask, number, drain if len(seen) == 1 else drop)

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    before: dict[int, Any] = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        restore()
