"""A local chat-completion server that behaves as it is told: well, or badly in every way that servers do.

    with BadServer(always(error(503, "overloaded"))) as server:
        make_model({"kind": "openai", "model": "m", "base_url": server.url})

A behaviour is a function from a `Request` to a `Reply`. It runs in the server's own thread and event loop, so that one
server carries many slow requests at once (64 at 1 s and more).
"""

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from tau_emotion_gym._draw import chance

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Request:
    """What a client sent; `number` counts from 0."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the server sends.

    Attributes:
        latency: seconds before it.
        cut: bytes that are announced and never sent, before the connection is closed.
        drip: seconds between one byte of the body and the next; 0 sends it at once.
        hang: say nothing until the client goes away.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    latency: float = 0.0
    cut: int = 0
    drip: float = 0.0
    hang: bool = False


Behaviour = Callable[[Request], Reply]


class BadServer:
    """Serves on a free port of this machine between `with` and its end.

    Attributes:
        requests: what came in, in order.
        most_in_flight: the largest number of requests that were being answered at one time.
    """

    def __init__(self, behave: Behaviour) -> None:
        self.behave = behave
        self.requests: list[Request] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="bad-server", daemon=True)

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> "BadServer":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, kept alive."""
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        self._talks.discard(task)
        writer.close()
        with suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        request = await self._read(reader)
        self.requests.append(request)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            reply = self.behave(request)
            await asyncio.sleep(reply.latency)
            if reply.hang:
                await reader.read(1)
                return False
            await _send(writer, reply)
        finally:
            self._in_flight -= 1
        return not reply.cut

    async def _read(self, reader: asyncio.StreamReader) -> Request:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        return Request(len(self.requests), head[0].split(" ")[1], headers, json.loads(body or b"{}"))


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> None:
    headers = {
        "Content-Type": reply.content_type,
        "Content-Length": str(len(reply.body) + reply.cut),
        **reply.headers,
    }
    head = f"HTTP/1.1 {reply.status} {REASONS.get(reply.status, 'Status')}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(head.encode("latin-1") + b"\r\n")
    pieces = [reply.body] if not reply.drip else [bytes([byte]) for byte in reply.body]
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(reply.drip)


# What a server can say


def json_reply(value: Any, status: int = 200, **fields: Any) -> Reply:
    """Any JSON."""
    return Reply(status, json.dumps(value).encode(), **fields)


def message_reply(message: dict[str, Any], *, finish: str | None = "stop", usage: Any = (7, 5), **fields: Any) -> Reply:
    """A chat completion with this message; `usage` is (prompt, completion) tokens, or None."""
    told = dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=True)) if usage else None
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return json_reply({"object": "chat.completion", "choices": [choice], "usage": told}, **fields)


def text(content: Any, **fields: Any) -> Reply:
    """A chat completion with this content."""
    return message_reply({"content": content}, **fields)


def tool_call(name: str, arguments: Any, *, id: str | None = "call_1", **fields: Any) -> Reply:
    """A chat completion with one tool call; `arguments` are sent as they are, however broken."""
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return message_reply({"content": None, "tool_calls": [call]}, finish="tool_calls", **fields)


def error(status: int, message: str, *, code: Any = None, headers: dict[str, str] | None = None) -> Reply:
    """An error in OpenAI's form."""
    told = {"error": {"message": message, "type": "error", "code": code}}
    return json_reply(told, status, headers=headers or {})


def html(status: int = 200, title: str = "Bad Gateway") -> Reply:
    """A web page, as proxies send it."""
    page = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>nginx</body></html>"
    return Reply(status, page.encode(), "text/html")


def cut(reply: Reply) -> Reply:
    """A reply whose second half never comes."""
    half = len(reply.body) // 2
    return replace(reply, body=reply.body[:half], cut=len(reply.body) - half)


HANG = Reply(hang=True)


# How a server can behave


def always(reply: Reply) -> Behaviour:
    """The same reply to everybody."""
    return lambda request: reply


def sequence(*replies: Reply, then: Reply | None = None) -> Behaviour:
    """One reply after the other, the last (or `then`) for ever."""
    last = then or replies[-1]
    return lambda request: replies[request.number] if request.number < len(replies) else last


def sometimes(share: float, bad: Sequence[Reply], well: Behaviour, *, seed: int = 0) -> Behaviour:
    """`share` of the requests, at random, get one of the bad replies; the others are served well."""

    def behave(request: Request) -> Reply:
        if chance(share, seed, request.number, "fault"):
            return bad[request.number % len(bad)]
        return well(request)

    return behave


def well_behaved(answer: Callable[[dict[str, Any]], Reply | str], *, latency: float = 0.0) -> Behaviour:
    """A server as it should be: `answer` decides from the request's JSON; every reply takes `latency` seconds."""

    def behave(request: Request) -> Reply:
        given = answer(request.body)
        return replace(text(given) if isinstance(given, str) else given, latency=latency)

    return behave
