"""A Slack workspace on loopback, after https://docs.slack.dev: Web API, Socket Mode, checks of messages.

Blocks are validated as Block Kit does; metadata is kept and given back.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

BOT_TOKEN = "xoxb-test"
APP_TOKEN = "xapp-test"
SIGNING_SECRET = "signing"
BOT_USER, BOT_ID, TEAM = "UKIYO", "BKIYO", "T1"
SCOPES = (
    "app_mentions:read,chat:write,im:history,channels:history,groups:history,reactions:read,commands,"
    "usergroups:read"
)


@dataclass(slots=True)
class SlackEmulator:
    """faults: of the next chat.postMessage: rate_limit, lost_answer, refuse, server_error.
    dead_sockets: how many of the next sockets are refused with 408."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    ephemeral: list[dict[str, Any]] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    usergroups: list[dict[str, Any]] = field(default_factory=list)
    scopes: str = SCOPES
    dead_sockets: int = 0
    address: str = ""
    acknowledged: list[str] = field(default_factory=list)
    responses: dict[str, Any] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _sockets: list[web.WebSocketResponse] = field(default_factory=list)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _runner: web.AppRunner | None = None

    async def __aenter__(self) -> SlackEmulator:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._handle)
        app.router.add_get("/link", self._link)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        for socket in self._sockets:
            await socket.close()
        await self._runner.cleanup()

    def stamp(self) -> str:
        """The next time stamp; each is later than the last."""
        return f"1790000000.{next(self._numbers):06d}"

    async def send(self, kind: str, payload: dict[str, Any]) -> str:
        """One envelope to one open socket: its id. Waits until a socket is open."""
        envelope = f"env-{next(self._numbers)}"
        await self.send_envelope(envelope, kind, payload)
        return envelope

    async def send_envelope(self, envelope: str, kind: str, payload: dict[str, Any]) -> None:
        socket = await self.opened()
        await socket.send_json(
            {"envelope_id": envelope, "type": kind, "payload": payload, "accepts_response_payload": True}
        )

    async def opened(self) -> web.WebSocketResponse:
        async with self._news, asyncio.timeout(10):
            await self._news.wait_for(lambda: any(not socket.closed for socket in self._sockets))
        return next(socket for socket in reversed(self._sockets) if not socket.closed)

    async def wait_acknowledged(self, envelope: str) -> None:
        async with self._news, asyncio.timeout(10):
            await self._news.wait_for(lambda: envelope in self.acknowledged)

    async def wait_called(self, method: str) -> None:
        async with self._news, asyncio.timeout(10):
            await self._news.wait_for(lambda: any(method == called for called, _ in self.calls))

    async def drop_sockets(self) -> None:
        for socket in self._sockets:
            await socket.close()

    def sign(self, body: bytes, stamp: str) -> str:
        """https://docs.slack.dev/authentication/verifying-requests-from-slack"""
        base = b"v0:" + stamp.encode() + b":" + body
        return "v0=" + hmac.new(SIGNING_SECRET.encode(), base, hashlib.sha256).hexdigest()

    async def _link(self, request: web.Request) -> web.StreamResponse:
        if self.dead_sockets:
            self.dead_sockets -= 1
            return web.Response(status=408)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}})
        async with self._news:
            self._sockets.append(socket)
            self._news.notify_all()
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                told = json.loads(message.data)
                async with self._news:
                    self.acknowledged.append(told["envelope_id"])
                    self.responses[told["envelope_id"]] = told.get("payload")
                    self._news.notify_all()
        return socket

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        given = await _arguments(request)
        method = request.match_info["method"]
        async with self._news:
            self.calls.append((method, given))
            self._news.notify_all()
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or given.get("token", "")
        wanted = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        if token != wanted:
            return _answer({"ok": False, "error": "invalid_auth"})
        handler = getattr(self, f"_on_{method.replace('.', '_')}", None)
        if handler is None:
            return _answer({"ok": False, "error": "unknown_method"})
        return await handler(request, given)  # type: ignore[no-any-return]  # handlers are found by name

    async def _on_auth_test(self, _request: web.Request, _given: dict[str, Any]) -> web.StreamResponse:
        known = {"team": "Kazemizu", "user": "kiyo", "team_id": TEAM, "user_id": BOT_USER, "bot_id": BOT_ID}
        return _answer({"ok": True, "url": self.address, **known}, {"x-oauth-scopes": self.scopes})

    async def _on_apps_connections_open(
        self, _request: web.Request, _given: dict[str, Any]
    ) -> web.StreamResponse:
        return _answer({"ok": True, "url": self.address.replace("http", "ws", 1) + "/link?ticket=1"})

    async def _on_chat_postMessage(  # noqa: N802
        self, request: web.Request, given: dict[str, Any]
    ) -> web.StreamResponse:
        fault = self.faults.popleft() if self.faults else ""
        if fault == "rate_limit":
            return _answer({"ok": False, "error": "ratelimited"}, {"Retry-After": "4"}, 429)
        if fault == "refuse":
            return _answer({"ok": False, "error": "not_in_channel"})
        problem = _validate(given)
        if problem:
            return _answer({"ok": False, "error": problem})
        message = {**given, "ts": self.stamp(), "user": BOT_USER, "bot_id": BOT_ID}
        self.messages.append(message)
        if fault == "lost_answer":
            assert request.transport is not None
            request.transport.close()
        if fault == "server_error":
            return web.Response(status=502, text="<html>Bad Gateway</html>", content_type="text/html")
        return _answer({"ok": True, "channel": given["channel"], "ts": message["ts"], "message": message})

    async def _on_chat_postEphemeral(  # noqa: N802
        self, _request: web.Request, given: dict[str, Any]
    ) -> web.StreamResponse:
        self.ephemeral.append(given)
        return _answer({"ok": True, "message_ts": self.stamp()})

    async def _on_conversations_replies(
        self, _request: web.Request, given: dict[str, Any]
    ) -> web.StreamResponse:
        found = [
            m for m in self.messages if m["channel"] == given["channel"] and m.get("thread_ts") == given["ts"]
        ]
        return _answer({"ok": True, "messages": found, "has_more": False})

    async def _on_conversations_history(
        self, _request: web.Request, given: dict[str, Any]
    ) -> web.StreamResponse:
        found = [m for m in self.messages if m["channel"] == given["channel"] and not m.get("thread_ts")]
        return _answer({"ok": True, "messages": found[::-1], "has_more": False})

    async def _on_usergroups_list(self, _request: web.Request, _given: dict[str, Any]) -> web.StreamResponse:
        return _answer({"ok": True, "usergroups": self.usergroups})

    async def _on_views_open(self, _request: web.Request, given: dict[str, Any]) -> web.StreamResponse:
        self.views.append(given["view"])
        return _answer({"ok": True, "view": {"id": "V1"}})

    async def _on_reactions_add(self, _request: web.Request, _given: dict[str, Any]) -> web.StreamResponse:
        return _answer({"ok": True})

    async def _on_assistant_threads_setStatus(  # noqa: N802
        self, _request: web.Request, _given: dict[str, Any]
    ) -> web.StreamResponse:
        return _answer({"ok": True})


async def _arguments(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        return dict(await request.json())
    given: dict[str, Any] = {}
    for name, value in {**request.query, **await request.post()}.items():
        text = str(value)
        given[name] = json.loads(text) if text[:1] in "[{" else text
    return given


def _validate(given: dict[str, Any]) -> str:
    blocks = given.get("blocks") or []
    texts = [block["text"]["text"] for block in blocks if block["type"] == "section"]
    ids = [e["action_id"] for block in blocks if block["type"] == "actions" for e in block["elements"]]
    values = [e["value"] for block in blocks if block["type"] == "actions" for e in block["elements"]]
    if len(blocks) > 50 or any(not 1 <= len(text) <= 3000 for text in texts) or len(set(ids)) < len(ids):
        return "invalid_blocks"
    if sum(len(text) for text in texts) > 13_200:
        return "msg_blocks_too_long"
    if any(len(value) > 2000 for value in values):
        return "invalid_blocks"
    return "msg_too_long" if len(str(given.get("text", ""))) > 40_000 else ""


def _answer(body: dict[str, Any], headers: dict[str, str] | None = None, status: int = 200) -> web.Response:
    return web.json_response(body, headers=headers, status=status)
