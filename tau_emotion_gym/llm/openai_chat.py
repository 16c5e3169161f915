"""Models behind any OpenAI-compatible server: vLLM, llama.cpp, SGLang, hosted ones."""

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Sequence
from time import monotonic
from typing import Any

import msgspec

from tau_emotion_gym.llm.base import ChatRequest, Completion, ModelError, ModelRefused
from tau_emotion_gym.llm.failures import of_status
from tau_emotion_gym.llm.fanout import fan_out
from tau_emotion_gym.llm.options import ServerOptions
from tau_emotion_gym.llm.policy import Driver, Failure, Outcome, Verdict
from tau_emotion_gym.llm.reading import outcome_of, well_formed_json
from tau_emotion_gym.llm.server import Server, server_of

LONGEST_CONNECT = 10.0
"""Seconds that making a connection may take."""

CHARACTERS_PER_TOKEN = 4
"""For the guess at a request's tokens, corrected by what the server counts."""

NETWORK = ("httpx", "httpx2", "httpcore", "httpcore2", "h11", "anyio", "ssl")
"""Packages whose exceptions mean that the connection failed."""


class OpenAIChat:
    """A model behind a server. One client per event loop and one for all threads, made at the first request.

    A copy in a forked process, and one that is unpickled, make their own clients.
    """

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._made: _Clients | None = None

    def __repr__(self) -> str:
        return f"OpenAIChat({self.describe()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (msgspec.to_builtins(self._options),)

    def describe(self) -> dict[str, Any]:
        """The model, its server (without user, password or query) and its decoding."""
        return {"kind": "openai", "base_url": server_of(self._options).shown, **self._options.described()}

    def complete(self, request: ChatRequest) -> Completion:
        """The answer to one request.

        Raises:
            ModelError: no answer could be had.
        """
        clients = self._clients()
        return clients.driver.run(lambda: self._ask(clients, request), _guess(request, self._options))

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[Completion | ModelError]:
        """Answers to several requests at once, in order; an error stands in its place."""
        return fan_out(self._answer, requests, self._options.concurrency)

    async def acomplete(self, request: ChatRequest) -> Completion:
        """`complete` without blocking the event loop."""
        clients = self._clients()
        client, slots = await clients.of_loop()
        return await clients.driver.arun(
            lambda: self._aask(clients, client, request), slots, _guess(request, self._options)
        )

    def _answer(self, request: ChatRequest) -> Completion | ModelError:
        try:
            return self.complete(request)
        except ModelError as error:
            return error

    def _clients(self) -> "_Clients":
        if self._made is None or self._made.pid != os.getpid():
            self._made = _Clients(self._options)
        return self._made

    def _ask(self, clients: "_Clients", request: ChatRequest) -> Outcome:
        until = monotonic() + self._options.timeout
        body = bytearray()
        create = clients.of_threads().chat.completions.with_streaming_response.create
        try:
            with create(**_arguments(request, self._options)) as response:
                for chunk in response.iter_bytes():
                    body += chunk
                    if monotonic() > until:
                        return self._timed_out()
        except Exception as error:
            failure = self._failure(clients.server, error)
            if failure is None:
                raise
            return failure
        return outcome_of(bytes(body), clients.server.hidden)

    async def _aask(self, clients: "_Clients", client: Any, request: ChatRequest) -> Outcome:
        try:
            async with asyncio.timeout(self._options.timeout):
                response = await client.chat.completions.with_raw_response.create(**_arguments(request, self._options))
                body = response.content
        except TimeoutError:
            return self._timed_out()
        except Exception as error:
            failure = self._failure(clients.server, error)
            if failure is None:
                raise
            return failure
        return outcome_of(body, clients.server.hidden)

    def _timed_out(self) -> Failure:
        return Failure(Verdict.AGAIN, f"no answer within {self._options.timeout:g} s")

    def _failure(self, server: Server, error: Exception) -> Failure | None:
        """What an exception of the client means; None for what is none of the server's business."""
        import openai

        if isinstance(error, openai.APITimeoutError) or "Timeout" in type(error).__name__:
            return self._timed_out()
        if isinstance(error, openai.APIStatusError):
            body = error.response.text or str(error.message)
            return of_status(error.status_code, server.hidden(body), error.response.headers)
        network = isinstance(error, OSError) or type(error).__module__.partition(".")[0] in NETWORK
        if isinstance(error, openai.APIConnectionError) or network:
            cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
            return Failure(Verdict.AGAIN, f"the connection failed ({server.hidden(_named(cause))})")
        return None


class _Clients:
    """What belongs to one process: its clients, its limits."""

    def __init__(self, options: ServerOptions) -> None:
        self.pid = os.getpid()
        self.server = server_of(options)
        self.driver = Driver(options.policy, f"model {options.model!r} at {self.server.shown}")
        self._options = options
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
        for loop in [loop for loop in self._held if loop.is_closed()]:
            del self._held[loop]

    def _settings(self) -> dict[str, Any]:
        timeout = self._options.timeout
        return {
            "api_key": self.server.key(),
            "base_url": self.server.url,
            "default_query": self.server.query or None,
            "max_retries": 0,
            "timeout": _openai().Timeout(timeout, connect=min(timeout, LONGEST_CONNECT)),
        }


def _openai() -> Any:
    try:
        import openai
    except ImportError:
        raise ModelRefused(
            "a model of kind 'openai' needs the openai package: pip install 'tau-emotion-gym[openai]'"
        ) from None
    return openai


def _again(options: dict[str, Any]) -> OpenAIChat:
    return OpenAIChat(msgspec.convert(options, ServerOptions))


def _arguments(request: ChatRequest, options: ServerOptions) -> dict[str, Any]:
    """The keyword arguments of `chat.completions.create`.

    Everything goes as `extra_body`, which is sent as it is: the client spends 12 ms in walking over a long
    conversation and its tools otherwise, which 64 requests at a time cannot afford.
    """
    body: dict[str, Any] = {"messages": well_formed_json(list(request.messages)), **options.decoding()}
    if request.tools:
        body["tools"] = list(request.tools)
    if request.seed is not None:
        body["seed"] = request.seed
    return {"model": options.model, "messages": (), "extra_body": {**body, **(options.extra_body or {})}}


def _guess(request: ChatRequest, options: ServerOptions) -> int:
    """About how many tokens a request costs; 0 where nobody counts them."""
    if options.tokens_per_minute is None:
        return 0
    letters = sum(len(str(message.get("content") or "")) for message in request.messages)
    letters += sum(len(str(tool)) for tool in request.tools)
    return letters // CHARACTERS_PER_TOKEN


def _named(error: BaseException | None) -> str:
    """The innermost cause in words."""
    words = ""
    while error is not None:
        words = f"{type(error).__name__}: {error}" if str(error) else (words or type(error).__name__)
        error = error.__cause__ or error.__context__
    return words or "no reason given"
