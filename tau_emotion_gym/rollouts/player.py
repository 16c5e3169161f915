"""Who plays the episodes of a run: whatever turns a place into a record. `Here` does it in this event loop."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from tau_emotion_gym.agents import make_agent
from tau_emotion_gym.emotions import resolve
from tau_emotion_gym.episode import Episode
from tau_emotion_gym.rollouts.config import RunConfig
from tau_emotion_gym.rollouts.conversation import Conversation, manner_of
from tau_emotion_gym.rollouts.record import Place, Record
from tau_emotion_gym.tasks.train import task_by_id
from tau_emotion_gym.users import make_user


class Job(NamedTuple):
    """What a player has to know. Picklable.

    Attributes:
        config: what is played, and with whom.
        settings: what every episode is made with (see `RunFolder.episode_settings`).
        identity: what has to be equal wherever the run is played (see `identity.identity`).
        concurrency: episodes that run at once, at most.
        episode_timeout: seconds after which an episode ends as `infrastructure`; None for no limit.
    """

    config: RunConfig
    settings: Mapping[str, Any]
    identity: Mapping[str, Any]
    concurrency: int
    episode_timeout: float | None


class Player(Protocol):
    """Plays several episodes at once."""

    async def open(self) -> None:
        """Called once, before the first episode."""
        ...

    async def play(self, place: Place) -> Record:
        """Play one episode to its end, or until it takes too long.

        Raises:
            ModelRefused: a server refuses every request.
            Exception: whatever the agent's or the user's own code raises.
        """
        ...

    async def close(self) -> None:
        """Called once, at the end; episodes that still run are left."""
        ...


class Players(Protocol):
    """Makes the player of a run: `Here`, or a `ray_player.RayActors(…)`."""

    def __call__(self, job: Job) -> Player:
        """The player."""
        ...


class Here:
    """Plays in the event loop that it is called from.

    Args:
        job: what is played.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._user = make_user(job.config.user)
        self._manner = manner_of(job.config.agent, make_agent(job.config.agent))

    async def open(self) -> None:
        """Nothing has to be prepared."""

    async def play(self, place: Place) -> Record:
        """Play one episode (see `Player.play`)."""
        began = time.perf_counter()
        agent = make_agent(self._job.config.agent)
        conversation = Conversation(self._episode(place), self._user, agent, self._manner)
        limit = self._job.episode_timeout
        try:
            async with asyncio.timeout(limit) as scope:
                await conversation.play()
        except TimeoutError:
            if not scope.expired():
                raise
            conversation.cut(f"the episode took longer than {limit:g} s")
        return conversation.record(place, time.perf_counter() - began)

    async def close(self) -> None:
        """Close the user, if it can be closed."""
        closing = getattr(self._user, "close", None)
        if closing is not None:
            closing()

    def _episode(self, place: Place) -> Episode:
        domain = self._job.config.domain(place.domain)
        condition = resolve(place.emotion, assigned=None, seed=0)
        return Episode(domain, task_by_id(domain, place.task_id), condition, seed=int(place.seed), **self._job.settings)
