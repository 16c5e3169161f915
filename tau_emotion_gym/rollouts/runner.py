"""Many episodes at a set concurrency, each logged when it ends."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tau_emotion_gym.episode import Outcome
from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.llm import ModelRefused
from tau_emotion_gym.rollouts.config import RunConfig, check_config, plan
from tau_emotion_gym.rollouts.folder import RunFolder, Writer, exists
from tau_emotion_gym.rollouts.interrupt import interruptible
from tau_emotion_gym.rollouts.knobs import Knobs
from tau_emotion_gym.rollouts.player import Here, Job, Players
from tau_emotion_gym.rollouts.progress import Progress, Summary, Tally
from tau_emotion_gym.rollouts.record import Place, Record, line_of, record_from

TICK = 1.0
"""Seconds between two reports of progress while no episode ends."""

LITTLE = 0.0003
"""Seconds of a round of the event loop in which there was little to do."""

LONGEST_GAP = 0.05
"""Seconds between the beginnings of two slots, at most."""

OnProgress = Callable[[Progress], None]


class EpisodeCrashedError(TauEmotionError):
    """The agent's or the user's own code raised; the error itself is the cause."""


async def run(
    path: str | Path,
    config: RunConfig,
    knobs: Knobs | None = None,
    *,
    resume: bool = False,
    progress: OnProgress | None = None,
    signals: bool = False,
    players: Players = Here,
) -> Summary:
    """Play the episodes of a run that are not yet in its folder, and log each when it ends.

    Args:
        path: the run's folder.
        config: what is played.
        knobs: throughput and limits.
        resume: go on with the run in the folder, if there is one; an existing run is an error otherwise.
        progress: called after every episode, and every second.
        signals: let Ctrl-C and SIGTERM end the run in order (main thread only): the first Ctrl-C lets running
            episodes finish, the second drops them, the third is a `KeyboardInterrupt`; SIGTERM gives them ten seconds.
        players: where the episodes are played: in this process, or by Ray's actors (`ray_player.RayActors`).

    Raises:
        RunMismatchError: the folder was begun with another configuration.
        LockedError: another process plays this run.
        ModelRefused: a server refuses every request: a wrong key, an unknown model.
        EpisodeCrashedError: an agent or user raised what it should not, or left what no log can hold; the others were
            finished and logged.
        Exception: whatever `progress` raises; running episodes were finished and logged.
    """
    check_config(config)
    folder = _folder(path, config, resume)
    with folder.writer() as writer:
        runner = Runner(folder, writer, knobs or Knobs(), progress, players)
        if not signals:
            return await runner.play()
        with interruptible(runner.drain, runner.drop):
            return await runner.play()


def run_sync(
    path: str | Path,
    config: RunConfig,
    knobs: Knobs | None = None,
    *,
    resume: bool = False,
    progress: OnProgress | None = None,
    signals: bool = False,
    players: Players = Here,
) -> Summary:
    """`run` in an event loop of its own."""
    return asyncio.run(run(path, config, knobs, resume=resume, progress=progress, signals=signals, players=players))


class Runner:
    """Plays what a run folder lacks.

    Args:
        folder: the run.
        writer: its log, open.
        knobs: throughput and limits.
        progress: called after every episode, and every second.
        players: where the episodes are played.
    """

    def __init__(
        self,
        folder: RunFolder,
        writer: Writer,
        knobs: Knobs,
        progress: OnProgress | None = None,
        players: Players = Here,
    ) -> None:
        config = folder.config
        places = plan(config)
        finished = {head.place.key for head in writer.heads if head.outcome != Outcome.INFRASTRUCTURE}
        self._writer = writer
        self._knobs = knobs
        self._progress = progress
        self._pending = [place for place in places if place.key not in finished]
        self._slots = max(1, min(knobs.concurrency, len(self._pending)))
        job = Job(config, folder.episode_settings, folder.file.identity, self._slots, knobs.episode_timeout)
        self._player = players(job)
        self._tally = Tally(len(places), config.agent, config.user)
        for head in writer.heads:
            self._tally.note(head.place.key, head.outcome, head.success)
        self._running = 0
        self._began = time.perf_counter()
        self._stopped = ""
        self._message = ""
        self._dropping = False
        self._error: Exception | None = None
        self._workers: list[asyncio.Task[None]] = []

    async def play(self) -> Summary:
        """Play until everything is done, or something stops the run."""
        ticker = asyncio.create_task(self._tick())
        try:
            if self._pending:
                await self._player.open()
            await self._start()
            await asyncio.gather(*self._workers, return_exceptions=True)
        finally:
            ticker.cancel()
            await self._end()
        if self._error is not None:
            raise self._error
        return Summary(**self._figures(), stopped=self._stopped)

    def drain(self, why: str, message: str) -> None:
        """Begin no further episode; those that run are finished."""
        if not self._stopped:
            self._stopped, self._message = why, message
            self._tell()

    def drop(self, why: str, message: str) -> None:
        """Begin no further episode and leave those that run; a resume plays them again."""
        self._dropping = True
        self.drain(why, message)
        for worker in self._workers:
            worker.cancel()

    async def _start(self) -> None:
        """Begin the slots one after another, each when the ones before it wait.

        Slots that begin at one instant stay in step where every answer takes equally long: they all wait, then all
        want the processor.
        """
        places = iter(self._pending)
        for _ in range(self._slots):
            if self._stopped:
                return
            self._workers.append(asyncio.create_task(self._work(places)))
            await _quiet()

    # --- one slot -----------------------------------------------------------------------------------------

    async def _work(self, places: Iterator[Place]) -> None:
        for place in places:
            await asyncio.sleep(0)
            if self._stopped or self._spent():
                return
            self._running += 1
            try:
                line = line_of(await self._player.play(place))
                record = record_from(line)  # a line that cannot be read again would spoil the whole log
            except ModelRefused as error:
                self._fail(error, self.drop)
            except (Exception, SystemExit) as error:
                crash = EpisodeCrashedError(f"{place.key} (seed {place.seed}): {type(error).__name__}: {error}")
                crash.__cause__ = error
                self._fail(crash, self.drain)
            else:
                await self._log(record, line)
            finally:
                self._running -= 1

    async def _log(self, record: Record, line: bytes) -> None:
        try:
            self._writer.append(line)
            self._tally.add(record)
            if self._knobs.fsync:
                await asyncio.to_thread(self._writer.sync)
        except (TauEmotionError, OSError) as error:
            self._fail(error, self.drop)
            return
        self._tell()
        if self._tally.failures >= self._knobs.most_failures:
            self.drop("failures", f"{self._tally.failures} episodes in a row could not be played: {record.detail}")

    # --- the whole ----------------------------------------------------------------------------------------

    def _spent(self) -> bool:
        """Whether the budget is used up; says so."""
        budget = self._knobs.budget
        tally = self._tally
        for what, most, used in (
            ("tokens", budget.tokens, tally.tokens),
            ("seconds", budget.seconds, self._seconds),
            ("dollars", budget.dollars, tally.dollars),
        ):
            if most is None:
                continue
            if used is None:
                self.drain("budget", f"the budget of {most:,} {what} cannot be kept: {_UNKNOWN[what]}")
                return True
            if used >= most:
                self.drain("budget", f"the budget of {most:,} {what} is spent")
                return True
        return False

    def _fail(self, error: Exception, stop: Callable[[str, str], None]) -> None:
        """Keep the first error, to be raised when the run has stopped."""
        self._error = self._error or error
        stop("error", str(error))

    async def _tick(self) -> None:
        """Tell how the run stands while no episode ends."""
        while True:
            await asyncio.sleep(TICK)
            self._tell()

    def _tell(self) -> None:
        if self._progress is None:
            return
        try:
            self._progress(Progress(**self._figures()))
        except Exception as error:
            self._progress = None
            self._fail(error, self.drain)

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._began

    def _figures(self) -> dict[str, Any]:
        return self._tally.figures(
            running=self._running, seconds=self._seconds, stopping=self._message, dropping=self._dropping
        )

    async def _end(self) -> None:
        for worker in self._workers:
            worker.cancel()
        if self._workers:
            await asyncio.wait(self._workers)
        await self._player.close()


_UNKNOWN = {
    "tokens": "a server does not say how many it took",
    "dollars": "a model's configuration has no prices, or its server does not say how many tokens it took",
}


async def _quiet() -> None:
    """Return when the event loop has had a round with little to do, or after a while."""
    began = now = time.perf_counter()
    while now - began < LONGEST_GAP:
        await asyncio.sleep(0)
        before, now = now, time.perf_counter()
        if now - before < LITTLE:
            return


def _folder(path: str | Path, config: RunConfig, resume: bool) -> RunFolder:
    if not (resume and exists(path)):
        return RunFolder.create(path, config)
    folder = RunFolder.open(path)
    folder.check_same(config)
    return folder
