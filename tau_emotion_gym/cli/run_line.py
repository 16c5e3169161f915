"""How a run goes on, in one line: live on a terminal, now and then anywhere else."""

import sys

from rich.live import Live
from rich.text import Text

from tau_emotion_gym.cli.console import console
from tau_emotion_gym.rollouts import Progress

EVERY = 15.0
"""Seconds between two lines where there is no terminal."""


class RunLine:
    """Shows progress on the error output. Use it as a context manager, and `update` it."""

    def __init__(self) -> None:
        out = console(stderr=True)
        self._live = (
            Live(Text("starting"), console=out, transient=True, refresh_per_second=4) if out.is_terminal else None
        )
        self._next = EVERY
        self._told = self._failed = False

    def __enter__(self) -> "RunLine":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, progress: Progress) -> None:
        """Take note of how the run stands."""
        if progress.failure and not self._failed:
            self._failed = True
            self._say(f"a server failed: {progress.failure}")
        if progress.stopping and progress.running and not progress.dropping and not self._told:
            self._told = True
            self._say(f"{progress.stopping}: waiting for running episodes, {progress.running}; Ctrl-C drops them")
        if self._live is not None:
            self._live.update(Text(line_of(progress), no_wrap=True, overflow="ellipsis"))
        elif progress.seconds >= self._next:
            self._next = progress.seconds + EVERY
            self._say(line_of(progress))

    def _say(self, text: str) -> None:
        if self._live is not None:
            self._live.console.print(text, markup=False)
        else:
            print(text, file=sys.stderr, flush=True)


def line_of(progress: Progress) -> str:
    """The line."""
    rate = progress.success_rate
    parts = [
        f"{progress.done:,} of {progress.planned:,} episodes",
        f"{progress.running} running",
        "success -" if rate is None else f"success {rate:.1%}",
        f"{progress.excluded} failed by servers",
    ]
    if progress.agent_usage.calls or progress.user_usage.calls:
        parts.append(f"{amount(progress.tokens)} tokens")
        if progress.dollars is not None:
            parts.append(f"${progress.dollars:,.2f}")
    parts.append(f"{progress.per_minute:,.0f}/min")
    return ", ".join(parts)


def amount(number: int | None) -> str:
    """A count, short: 950, 12.3k, 4.56M, 1.20G; "?" when unknown."""
    if number is None:
        return "?"
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return str(number)
