"""A stand-in for a model's server: chat completions as a stream of events, on the loopback interface."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[list[dict[str, Any]]], str]
"""Takes the messages of a request, gives the text of the completion."""


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    """An event of the stream."""
    data = {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "stand-in",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **more,
    }
    return b"data: " + json.dumps(data).encode() + b"\n\n"


@contextmanager
def streaming_model(answer: Answer) -> Iterator[str]:
    """The base address of a server that says what `answer` says."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = answer(request["messages"])
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            events = [
                chunk({"role": "assistant", "content": text}),
                chunk({}, "stop", usage=usage),
                b"data: [DONE]\n\n",
            ]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"".join(events))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
