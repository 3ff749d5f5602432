"""Conversations over HTTP, as a channel like the others: the same history, gate, limits and hand-over.

A reply is handed to whoever waits for it; one that comes later, from a person, is in the conversation.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from bots.http.asking import QUESTION_CHARS, event, read_json, refuse
from bots.http.keys import find_key
from core.channel_ports import ApiKey, Desk
from core.messages import (
    Author,
    Capabilities,
    CheckFinding,
    IncomingMessage,
    Parcel,
    Part,
    Place,
    Receipt,
    Reply,
)
from core.ports import Inbox
from core.sections.http import HttpSettings

NAME = "http"


class HttpChannel:
    """`Channel` for conversations of programs."""

    name = NAME
    capabilities = Capabilities(max_chars=1_000_000)

    def __init__(self, desk: Desk, settings: HttpSettings) -> None:
        self._desk = desk
        self._settings = settings
        self._inbox: Inbox | None = None
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def run(self, inbox: Inbox) -> None:
        """Requests come by the HTTP server; there is nothing to connect to."""
        self._inbox = inbox
        try:
            await asyncio.Event().wait()
        finally:
            self._inbox = None

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:  # noqa: ARG002 - the same everywhere
        """One part with everything that customers may see."""
        sources = [{"n": s.n, "title": s.title, "uri": s.uri, "where": s.where} for s in reply.sources]
        body = {
            "text": reply.text,
            "language": reply.language,
            "stage": reply.stage,
            "caution": reply.caution,
            "sources": sources,
            "answer_id": reply.answer_id,
        }
        return (Part(body, reply.text),)

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Hand it to whoever waits; the conversation keeps it in any case."""
        waiting = self._waiting.pop(parcel.reply_to, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(dict(parcel.part.body))
        return Receipt((parcel.key,))

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        """Handing over is noted at once; there is nothing to look up."""
        return Receipt((parcel.key,))

    async def show_progress(self, place: Place, message_id: str) -> None:
        """Streams say it themselves."""

    async def check(self) -> list[CheckFinding]:
        """Whether any key exists."""
        keys = [key for key in await asyncio.to_thread(self._desk.keys.list_keys) if not key.revoked]
        said = f"{len(keys)} keys." if keys else "Nobody can ask yet: kiyo api-key add NAME."
        return [CheckFinding("http: keys", bool(keys), said)]

    # --- routes ------------------------------------------------------------------------------------

    async def post_message(self, request: Request) -> Response:
        """POST /v1/conversations/{conversation}/messages {text}."""
        key = await asyncio.to_thread(find_key, self._desk.keys, request, "ask")
        if key is None:
            return refuse(401, "Send a key: Authorization: Bearer kiyo_…")
        body = await read_json(request, self._settings.max_body_kb * 1024)
        if isinstance(body, Response):
            return body
        text = body.get("text")
        if not isinstance(text, str) or not text.strip() or len(text) > QUESTION_CHARS:
            return refuse(400, f"`text` must be a text of at most {QUESTION_CHARS} characters.")
        if self._inbox is None:
            return refuse(503, "The channel is not up yet.")
        message = _message(request.path_params["conversation"], key, text, str(body.get("message_id") or ""))
        if "text/event-stream" in request.headers.get("accept", ""):
            return StreamingResponse(self._stream(message), media_type="text/event-stream")
        return await self._reply(message)

    async def get_messages(self, request: Request) -> Response:
        """GET /v1/conversations/{conversation}/messages: what was said, oldest first."""
        key = await asyncio.to_thread(find_key, self._desk.keys, request, "ask")
        if key is None:
            return refuse(401, "Send a key: Authorization: Bearer kiyo_…")
        stub = _message(request.path_params["conversation"], key, "", "")
        turns = await asyncio.to_thread(self._desk.inbox.history, stub, 200)
        return JSONResponse({"messages": [{"role": turn.role, "text": turn.text} for turn in turns]})

    async def _reply(self, message: IncomingMessage) -> Response:
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[message.message_id] = waiting
        try:
            assert self._inbox is not None
            await self._inbox.take_message(message)
            async with asyncio.timeout(self._settings.answer_timeout_seconds):
                reply = await waiting
        except TimeoutError:
            return JSONResponse({"message_id": message.message_id, "reply": None}, status_code=202)
        finally:
            self._waiting.pop(message.message_id, None)
        return JSONResponse({"message_id": message.message_id, "reply": reply})

    async def _stream(self, message: IncomingMessage) -> AsyncIterator[str]:
        yield event("progress", {"state": "working", "message_id": message.message_id})
        reply = await self._reply(message)
        yield event("reply", json.loads(bytes(reply.body)))


def _message(conversation: str, key: ApiKey, text: str, message_id: str) -> IncomingMessage:
    """Conversations of different keys never meet. Groups of the key are roles of [access.roles]."""
    return IncomingMessage(
        place=Place(NAME, key.name, conversation, shared=False),
        message_id=message_id or secrets.token_hex(12),
        author=Author(key.name, key.name, key.groups),
        text=text,
        sent_at=datetime.now(UTC),
        addressed=True,
    )
