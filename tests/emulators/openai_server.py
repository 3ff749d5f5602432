"""An OpenAI-style server on loopback whose next answers a test writes down beforehand.

It speaks chat completions (whole and streamed) and embeddings, and Ollama's embeddings. Without a script
it answers every question with "ok" and every text with a vector of its words.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.fake_models import FakeEmbedder


@dataclass(frozen=True)
class Says:
    """A completion in these pieces. content None is sent as null; usage None is left out."""

    pieces: tuple[str, ...] | None = ("ok",)
    usage: tuple[int, int] | None = (11, 7)
    finish: str = "stop"


@dataclass(frozen=True)
class Fails:
    """An error status."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = '{"error": {"message": "emulated failure", "type": "server_error"}}'


@dataclass(frozen=True)
class Hangs:
    """Nothing, or nothing more after these pieces of a stream, until the server is closed."""

    pieces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Breaks:
    """A stream that ends in the middle, without its last words."""

    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Sends:
    """This body as it is, with status 200."""

    body: str


@dataclass(frozen=True)
class Embeds:
    """These vectors, whatever was asked."""

    rows: tuple[tuple[float, ...], ...]


Step = Says | Fails | Hangs | Breaks | Sends | Embeds


@dataclass(frozen=True)
class Request:
    """What a client sent; names of headers in lower case."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]


class OpenAiServer:
    """Use as a context manager; `url` is the base URL, `requests` what was asked so far."""

    def __init__(self, *steps: Step, dimensions: int = 8) -> None:
        self.script: deque[Step] = deque(steps)
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self.embedder = FakeEmbedder(dimensions)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.emulator = self  # type: ignore[attr-defined]  # how a handler reaches its owner
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        owner: OpenAiServer = self.server.emulator  # type: ignore[attr-defined]  # set by its owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        owner.requests.append(
            Request(self.path, body, {name.lower(): value for name, value in self.headers.items()})
        )
        step = owner.script.popleft() if owner.script else None
        match step:
            case Fails():
                self._send(step.body, step.status, step.headers)
            case Sends():
                self._send(step.body)
            case Hangs() if not step.pieces:
                owner.closing.wait()
            case Embeds():
                self._send_vectors(list(map(list, step.rows)))
            case _ if self.path.endswith(("/embeddings", "/api/embed")):
                self._send_vectors(self._vectors(owner, body["input"]))
            case _ if body.get("stream"):
                self._stream(owner, step or Says(), body)
            case _:
                assert isinstance(step, Says | None)
                self._complete(step or Says())

    def log_message(self, format: str, *args: object) -> None:
        """Tests read `requests` instead."""

    def _complete(self, step: Says) -> None:
        text = None if step.pieces is None else "".join(step.pieces)
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": step.finish}
        self._send(json.dumps({**_HEAD, "object": "chat.completion", "choices": [choice]} | _usage(step)))

    def _stream(self, owner: OpenAiServer, step: Says | Hangs | Breaks | Any, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in step.pieces or ():
            self._event({"delta": {"role": "assistant", "content": piece}, "finish_reason": None})
        if isinstance(step, Hangs):
            owner.closing.wait()
        if not isinstance(step, Says):
            return
        self._event({"delta": {}, "finish_reason": step.finish})
        if step.usage and (body.get("stream_options") or {}).get("include_usage"):
            self._write({**_HEAD, "object": "chat.completion.chunk", "choices": []} | _usage(step))
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, choice: dict[str, Any]) -> None:
        self._write({**_HEAD, "object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]})

    def _write(self, event: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def _vectors(self, owner: OpenAiServer, texts: str | list[str]) -> list[list[float]]:
        listed = [texts] if isinstance(texts, str) else texts
        rows = asyncio.run(owner.embedder.embed_passages(listed))
        return [[float(number) for number in row] for row in rows]

    def _send_vectors(self, rows: list[list[float]]) -> None:
        if self.path.endswith("/api/embed"):
            self._send(json.dumps({"model": "emulated", "embeddings": rows, "prompt_eval_count": 5}))
            return
        listed = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
        usage = {"prompt_tokens": 5, "total_tokens": 5}
        self._send(json.dumps({"object": "list", "model": "emulated", "data": listed, "usage": usage}))

    def _send(self, body: str, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        content = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


_HEAD = {"id": "emulated-1", "created": 1_700_000_000, "model": "emulated"}


def _usage(step: Says) -> dict[str, Any]:
    if step.usage is None:
        return {}
    prompt, completion = step.usage
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {"usage": counts}
