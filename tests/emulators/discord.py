"""Discord on loopback: REST for sending, and a gateway that says HELLO, READY and what a test tells it to.

Written from https://docs.discord.com/developers; sends are checked for length, mentions and the nonce.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer

BOT: dict[str, Any] = {"id": "900", "username": "kiyo", "discriminator": "0", "avatar": None, "bot": True}
ASKER: dict[str, Any] = {"id": "5", "username": "mika", "discriminator": "0", "avatar": None}
WHEN = "2026-01-02T03:04:05+00:00"


class DiscordEmulator:
    """sent: bodies that were taken, in order. fail: a status for the next send, after it was taken."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.by_nonce: dict[str, dict[str, Any]] = {}
        self.fail = 0
        self.identified = asyncio.Event()
        self.address = ""
        self._sockets: list[web.WebSocketResponse] = []
        self._sequence = 0

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[DiscordEmulator]:
        app = web.Application()
        app.router.add_get("/gateway", self._gateway)
        app.router.add_get("/api/v10/users/@me", self._me)
        app.router.add_get("/api/v10/oauth2/applications/@me", self._application)
        app.router.add_post("/api/v10/channels/{channel}/messages", self._send)
        async with TestServer(app) as server:
            self.address = str(server.make_url("")).rstrip("/")
            yield self

    async def say(self, message_id: str, text: str, *, author: dict[str, Any] = ASKER) -> None:
        """A message in a direct conversation reaches the bot."""
        await self._dispatch("MESSAGE_CREATE", _message(message_id, text, author))

    async def _dispatch(self, name: str, body: dict[str, Any]) -> None:
        self._sequence += 1
        for socket in self._sockets:
            await socket.send_json({"op": 0, "s": self._sequence, "t": name, "d": body})

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41250}})
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            said = json.loads(frame.data)
            if said["op"] == 1:
                await socket.send_json({"op": 11})
            elif said["op"] == 2:
                self.identified.set()
                self._sockets.append(socket)
                await self._dispatch("READY", self._ready())
        return socket

    def _ready(self) -> dict[str, Any]:
        return {
            "v": 10,
            "user": BOT,
            "guilds": [],
            "session_id": "s1",
            "resume_gateway_url": self.address.replace("http", "ws") + "/gateway",
            "application": {"id": "900", "flags": 0},
        }

    async def _me(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != "Bot good":
            return _json({"message": "401: Unauthorized", "code": 0}, 401)
        return _json(BOT)

    async def _application(self, request: web.Request) -> web.Response:
        del request
        flags = {"bot_public": False, "bot_require_code_grant": False, "flags": 0}
        names = {"name": "kiyo", "icon": None, "description": "", "summary": "", "verify_key": "k"}
        return _json({"id": "900", "owner": ASKER, "rpc_origins": [], **flags, **names})

    async def _send(self, request: web.Request) -> web.Response:
        body = await request.json()
        content = body.get("content") or ""
        if not 0 < len(content) <= 2000 or body.get("allowed_mentions", {}).get("parse") != []:
            return _json({"message": "Invalid Form Body", "code": 50035}, 400)
        nonce = str(body.get("nonce"))
        if not (body.get("enforce_nonce") and nonce in self.by_nonce):
            self.sent.append(body)
            self.by_nonce[nonce] = _message(str(1000 + len(self.sent)), content, BOT)
        status, self.fail = self.fail, 0
        return _json({"message": "bad gateway"}, status) if status else _json(self.by_nonce[nonce])


def _message(message_id: str, text: str, author: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {name: [] for name in ("mentions", "mention_roles", "attachments", "embeds")}
    times = {"timestamp": WHEN, "edited_timestamp": None}
    flags = {"tts": False, "mention_everyone": False, "pinned": False, "type": 0}
    return {
        "id": message_id,
        "channel_id": "77",
        "author": author,
        "content": text,
        **empty,
        **times,
        **flags,
    }


def _json(body: dict[str, Any], status: int = 200) -> web.Response:
    headers = {"Content-Type": "application/json", "Via": "1.1 loopback"}
    return web.Response(body=json.dumps(body).encode(), status=status, headers=headers)
