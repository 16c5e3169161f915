"""Clients of servers: as few as there can be, since each costs 50 ms and a pool of connections."""

import asyncio
import os
import threading
from collections.abc import AsyncGenerator
from typing import Any

from tau_emotion_gym.llm.base import ModelRefused
from tau_emotion_gym.llm.options import ServerOptions
from tau_emotion_gym.llm.policy import Driver, Policy
from tau_emotion_gym.llm.server import Server, server_of

LONGEST_CONNECT = 10.0
"""Seconds that making a connection may take."""


class Clients:
    """What all who use a model at a server share within a process: its clients and its limits.

    One client for each event loop and one for all threads, each made when it is first needed.

    Attributes:
        driver: asks, and keeps the limits.
    """

    def __init__(self, server: Server, key: str, options: ServerOptions) -> None:
        self.driver = Driver(options.policy, f"model {options.model!r} at {server.shown}")
        self._server = server
        self._key = key
        self._timeout = options.timeout
        self._lock = threading.Lock()
        self._sync: Any = None
        self._held: dict[asyncio.AbstractEventLoop, tuple[AsyncGenerator[Any, None], Any, asyncio.Semaphore]] = {}

    def of_threads(self) -> Any:
        """The client for blocking calls."""
        with self._lock:
            if self._sync is None:
                self._sync = _openai().OpenAI(**self._settings())
        return self._sync

    async def of_loop(self) -> tuple[Any, asyncio.Semaphore]:
        """The running loop's client and its places for requests."""
        loop = asyncio.get_running_loop()
        if loop not in self._held:
            self._forget_closed_loops()
            client = _openai().AsyncOpenAI(**self._settings())
            holder = self._holder(loop, client)
            await anext(holder)
            self._held[loop] = (holder, client, self.driver.slots())
        _, client, slots = self._held[loop]
        return client, slots

    async def _holder(self, loop: asyncio.AbstractEventLoop, client: Any) -> AsyncGenerator[Any, None]:
        """Closes the client when its loop shuts its asynchronous generators down, as `asyncio.run` does at its end."""
        try:
            yield client
        finally:
            self._held.pop(loop, None)
            await client.close()

    def _forget_closed_loops(self) -> None:
        for loop in list(self._held):
            if loop.is_closed():
                self._held.pop(loop, None)

    def hidden(self, text: str) -> str:
        """`text` without the key and what else is secret of the server."""
        return self._server.hidden(text, self._key)

    def _settings(self) -> dict[str, Any]:
        return {
            "api_key": self._key,
            "base_url": self._server.url,
            "default_query": dict(self._server.query) or None,
            "max_retries": 0,
            "timeout": _openai().Timeout(self._timeout, connect=min(self._timeout, LONGEST_CONNECT)),
        }


_shared: dict[tuple[int, Server, str, str, Policy], Clients] = {}
"""Clients by process, server, key, model and policy: a fork makes its own."""


def clients_of(options: ServerOptions) -> Clients:
    """The clients for a model, shared by all of the same server, key, model and policy, however they sample.

    Raises:
        ModelRefused: there is no key where one is needed.
    """
    server = server_of(options)
    secret = server.key()
    key = (os.getpid(), server, secret, options.model, options.policy)
    if key not in _shared:
        _shared.setdefault(key, Clients(server, secret, options))
    return _shared[key]


def _openai() -> Any:
    try:
        import openai
    except ImportError:
        raise ModelRefused(
            "a model of kind 'openai' needs the openai package: pip install 'tau-emotion-gym[openai]'"
        ) from None
    return openai
