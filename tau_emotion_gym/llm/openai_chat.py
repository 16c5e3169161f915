"""Models behind any OpenAI-compatible server: vLLM, llama.cpp, SGLang, hosted ones."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Any

import msgspec

from tau_emotion_gym.llm.base import ChatRequest, Completion, ModelError
from tau_emotion_gym.llm.clients import Clients, clients_of
from tau_emotion_gym.llm.failures import of_status
from tau_emotion_gym.llm.fanout import fan_out
from tau_emotion_gym.llm.options import ServerOptions
from tau_emotion_gym.llm.policy import Failure, Outcome, Verdict
from tau_emotion_gym.llm.reading import outcome_of, well_formed_json
from tau_emotion_gym.llm.server import server_of

CHARACTERS_PER_TOKEN = 4
"""For the guess at a request's tokens, corrected by what the server counts."""

NETWORK = ("httpx", "httpx2", "httpcore", "httpcore2", "h11", "anyio", "ssl")
"""Packages whose exceptions mean that the connection failed."""


class OpenAIChat:
    """A model behind a server. Clients are made at the first request, and anew in a process that it is carried to."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options

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
        clients = clients_of(self._options)
        return clients.driver.run(lambda: self._ask(clients, request), _guess(request, self._options))

    def complete_many(self, requests: Sequence[ChatRequest]) -> list[Completion | ModelError]:
        """Answers to several requests at once, in order; an error stands in its place."""
        return fan_out(self._answer, requests, self._options.concurrency)

    async def acomplete(self, request: ChatRequest) -> Completion:
        """`complete` without blocking the event loop."""
        clients = clients_of(self._options)
        client, slots = await clients.of_loop()
        return await clients.driver.arun(
            lambda: self._aask(clients, client, request), slots, _guess(request, self._options)
        )

    def _answer(self, request: ChatRequest) -> Completion | ModelError:
        try:
            return self.complete(request)
        except ModelError as error:
            return error

    def _ask(self, clients: Clients, request: ChatRequest) -> Outcome:
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
            failure = self._failure(clients, error)
            if failure is None:
                raise
            return failure
        return outcome_of(bytes(body), clients.hidden)

    async def _aask(self, clients: Clients, client: Any, request: ChatRequest) -> Outcome:
        try:
            async with asyncio.timeout(self._options.timeout):
                response = await client.chat.completions.with_raw_response.create(**_arguments(request, self._options))
                body = response.content
        except TimeoutError:
            return self._timed_out()
        except Exception as error:
            failure = self._failure(clients, error)
            if failure is None:
                raise
            return failure
        return outcome_of(body, clients.hidden)

    def _timed_out(self) -> Failure:
        return Failure(Verdict.AGAIN, f"no answer within {self._options.timeout:g} s")

    def _failure(self, clients: Clients, error: Exception) -> Failure | None:
        """What an exception of the client means; None for what is none of the server's business."""
        import openai

        if isinstance(error, openai.APITimeoutError) or "Timeout" in type(error).__name__:
            return self._timed_out()
        if isinstance(error, openai.APIStatusError):
            body = error.response.text or str(error.message)
            return of_status(error.status_code, clients.hidden(body), error.response.headers)
        network = isinstance(error, OSError) or type(error).__module__.partition(".")[0] in NETWORK
        if isinstance(error, openai.APIConnectionError) or network:
            cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
            return Failure(Verdict.AGAIN, f"the connection failed ({clients.hidden(_named(cause))})")
        return None


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
