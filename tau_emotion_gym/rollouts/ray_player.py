"""Ray plays the episodes: a few actors, each with many whole episodes at once, next to what they need.

    run_on_ray("runs/night", config, Knobs(concurrency=256), actors=8)

Folder, log, limits and resume are those of any other run (see `runner`): the process that calls this alone writes,
and an actor does no more than turn a place into a record. When an actor dies, another takes its place, and the
episodes that it was playing are begun again. Needs the extra `ray`.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tau_emotion_gym.errors import TauEmotionError
from tau_emotion_gym.llm import ModelRefused
from tau_emotion_gym.rollouts.config import RunConfig
from tau_emotion_gym.rollouts.folder import RunMismatchError
from tau_emotion_gym.rollouts.identity import MOST_DIFFERENCES, differences, identity
from tau_emotion_gym.rollouts.knobs import Knobs
from tau_emotion_gym.rollouts.player import Here, Job
from tau_emotion_gym.rollouts.progress import Summary
from tau_emotion_gym.rollouts.record import Place, Record, line_of, record_from
from tau_emotion_gym.rollouts.runner import OnProgress, run_sync

ACTORS = 2
"""Actors when none are asked for."""

MOST_DEATHS = 3
"""Actors that may die of the same episode before the run is stopped for it."""

GOODBYE = 5.0
"""Seconds that actors get at the end to close what they have open."""

SPREAD: Mapping[str, Any] = {"scheduling_strategy": "SPREAD"}
"""How actors are placed when nothing else is said: over all nodes."""


class WorkersLostError(TauEmotionError):
    """An episode cost one actor after another its life: no memory, a crash in compiled code, a lost node."""


def run_on_ray(
    path: str | Path,
    config: RunConfig,
    knobs: Knobs | None = None,
    *,
    actors: int = ACTORS,
    options: Mapping[str, Any] = SPREAD,
    resume: bool = False,
    progress: OnProgress | None = None,
    signals: bool = False,
) -> Summary:
    """`run_sync` with the episodes played by Ray.

    A Ray that runs already is used as it is; otherwise one is started (or joined, where `RAY_ADDRESS` says so), and
    left at the end. Modules of one's own have to be importable on the nodes: see Ray's runtime environments.

    Args:
        path, config, resume, progress, signals: as of `run`.
        knobs: as of `run`; its `concurrency` is shared by all actors.
        actors: how many.
        options: Ray's options of each actor, such as `num_cpus`, `num_gpus`, `runtime_env`.

    Raises:
        ImportError: Ray is not installed.
        WorkersLostError: as the cause of an `EpisodeCrashedError`.
        RunMismatchError: a node has another version of the package or of a domain.
        TauEmotionError: whatever `run` raises.
    """
    players = RayActors(actors, options)
    return run_sync(path, config, knobs, resume=resume, progress=progress, signals=signals, players=players)


class RayActors:
    """Makes the players of runs, for the argument `players` of `run`.

    Args:
        actors: how many.
        options: Ray's options of each actor.

    Raises:
        ImportError: Ray is not installed.
        ValueError: fewer than one actor.
    """

    def __init__(self, actors: int = ACTORS, options: Mapping[str, Any] = SPREAD) -> None:
        if actors < 1:
            raise ValueError(f"actors is at least 1, not {actors}")
        _ray()
        self._actors = actors
        self._options = dict(options)

    def __call__(self, job: Job) -> "RayPlayer":
        """The player of one run."""
        return RayPlayer(job, min(self._actors, job.concurrency), self._options)


class RayPlayer:
    """Hands episodes to actors, each to the one that plays fewest.

    Args:
        job: what is played.
        actors: how many.
        options: Ray's options of each actor.
    """

    def __init__(self, job: Job, actors: int, options: Mapping[str, Any]) -> None:
        self._ray = _ray()
        self._job = job
        self._count = actors
        self._options = {**options, "max_concurrency": job.concurrency + 1, "max_restarts": 0}
        self._seats: list[_Seat] = []
        self._started = False

    async def open(self) -> None:
        """Start Ray where it does not run, and the actors; they have to agree with this process on what is played.

        Raises:
            RunMismatchError: a node would play something else.
        """
        if not self._ray.is_initialized():
            await asyncio.to_thread(self._ray.init, include_dashboard=False, log_to_driver=False)
            self._started = True
        self._seats = [_Seat(self._worker()) for _ in range(self._count)]
        for found in await asyncio.gather(*(seat.worker.differences.remote() for seat in self._seats)):
            if found:
                raise RunMismatchError("a node of Ray would play another run:\n  " + "\n  ".join(found))

    async def play(self, place: Place) -> Record:
        """Play one episode, again where its actor dies (see `Player.play`).

        Raises:
            WorkersLostError: `MOST_DEATHS` actors died of it.
        """
        errors = self._ray.exceptions
        gone = (errors.RayActorError, errors.OutOfMemoryError, errors.WorkerCrashedError, errors.ObjectLostError)
        for _ in range(MOST_DEATHS):
            seat = min(self._seats, key=lambda seat: seat.playing)
            worker = seat.worker
            seat.playing += 1
            try:
                return record_from(await worker.play.remote(place))
            except gone as error:
                self._replace(seat, worker)
                lost = error
            except errors.RayTaskError as error:
                if isinstance(error.cause, ModelRefused):
                    raise error.cause from None
                raise
            finally:
                seat.playing -= 1
        raise WorkersLostError(f"{MOST_DEATHS} actors died while they played this episode; the last: {lost}")

    async def close(self) -> None:
        """Close what the actors have open, end them, and leave a Ray that was started here."""
        with suppress(TimeoutError, self._ray.exceptions.RayError):
            async with asyncio.timeout(GOODBYE):
                await asyncio.gather(*(seat.worker.close.remote() for seat in self._seats))
        for seat in self._seats:
            self._ray.kill(seat.worker)
        if self._started:
            await asyncio.to_thread(self._ray.shutdown)

    def _worker(self) -> Any:
        """A new actor; it is there when its first call is answered."""
        return self._ray.remote(**self._options)(Worker).remote(self._job)

    def _replace(self, seat: "_Seat", gone: Any) -> None:
        """Put a new actor into the place of one that is gone; once, however many episodes were with it."""
        if seat.worker is gone:
            self._ray.kill(gone)
            seat.worker = self._worker()


class Worker:
    """What runs in an actor.

    Args:
        job: what is played.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._player = Here(job)

    async def differences(self) -> list[str]:
        """In what this node differs from the one that began the run: the package, data, prompts."""
        return differences(self._job.identity, identity(self._job.config))[:MOST_DIFFERENCES]

    async def play(self, place: Place) -> bytes:
        """Play one episode; its line of the log."""
        return line_of(await self._player.play(place))

    async def close(self) -> None:
        """Close the user, if it can be closed."""
        await self._player.close()


class _Seat:
    """A place for an actor, and how many episodes are with it."""

    def __init__(self, worker: Any) -> None:
        self.worker = worker
        self.playing = 0


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ImportError("this needs Ray: pip install 'tau-emotion-gym[ray]'") from error
    return ray
