"""Asking the users of a step: all in one batch, or each as soon as its agent has spoken."""

import asyncio
import os
import weakref
from collections.abc import Coroutine
from typing import Any, Protocol

from tau_emotion_gym.episode import Episode, Outcome, UserReply, UserRequest
from tau_emotion_gym.users import User, UserError
from tau_emotion_gym.users.base import checked_replies, checked_reply

BETWEEN = 8
"""So many requests are begun before the event loop sends them off and hears what has come back."""


class Wave(Protocol):
    """The users that one step asks. Answers become turns of their episodes."""

    @property
    def asked(self) -> int:
        """How many so far."""
        ...

    def ask(self, episode: Episode, request: UserRequest) -> None:
        """Ask, or put down to be asked."""
        ...

    def finish(self) -> None:
        """Return when everybody has answered."""
        ...


class Batch:
    """Everybody in one `reply_many`, at the end."""

    def __init__(self, user: User) -> None:
        self._user = user
        self._waiting: list[tuple[Episode, UserRequest]] = []

    @property
    def asked(self) -> int:
        """How many so far."""
        return len(self._waiting)

    def ask(self, episode: Episode, request: UserRequest) -> None:
        """Put down to be asked."""
        self._waiting.append((episode, request))

    def finish(self) -> None:
        """Ask all, and hear them."""
        if not self._waiting:
            return
        requests = [request for _, request in self._waiting]
        answers = checked_replies(self._user, requests, self._user.reply_many(requests))
        for (episode, _), answer in zip(self._waiting, answers, strict=True):
            hear(episode, answer)


class Relay:
    """An event loop on which users that wait for a server are asked while the other episodes still go on.

    It runs only within `ask` and `finish`, in the thread that steps.
    """

    def __init__(self, user: User) -> None:
        self._user = user
        self._process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._tasks: list[asyncio.Task[None]] = []
        self._close = weakref.finalize(self, _close, self._loop, self._process)

    @property
    def at_home(self) -> bool:
        """Whether this is the process that made it."""
        return self._process == os.getpid()

    @property
    def asked(self) -> int:
        """How many so far in this step."""
        return len(self._tasks)

    def ask(self, episode: Episode, request: UserRequest) -> None:
        """Ask at once, or after a few more."""
        self._tasks.append(self._loop.create_task(self._answered(episode, request)))
        if len(self._tasks) % BETWEEN == 0:
            self._run(_once())

    def finish(self) -> None:
        """Return when everybody has answered; an error in a user's own code drops the others' answers."""
        tasks, self._tasks = self._tasks, []
        try:
            self._run(_all(tasks))
        finally:
            for task in tasks:
                task.cancel()

    def close(self) -> None:
        """Close the loop, and the clients that were made for it."""
        self._close()

    async def _answered(self, episode: Episode, request: UserRequest) -> None:
        try:
            answer: UserReply | UserError = checked_reply(self._user, request, await self._user.areply(request))
        except UserError as error:
            answer = error
        hear(episode, answer)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._loop.run_until_complete(work)


def hear(episode: Episode, answer: UserReply | UserError) -> None:
    """An answer, or the end of the episode for want of one."""
    if isinstance(answer, UserError):
        episode.stop(Outcome.INFRASTRUCTURE, str(answer))
    else:
        episode.hear(answer)


def can_relay(user: User) -> bool:
    """Whether a user's `areply` waits for a server, and this thread runs no event loop of somebody else's."""
    if not getattr(user, "overlapping", False):
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return True
    return False


async def _once() -> None:
    await asyncio.sleep(0)


async def _all(tasks: list[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks)


def _close(loop: asyncio.AbstractEventLoop, process: int) -> None:
    if process == os.getpid() and not loop.is_closed():
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
