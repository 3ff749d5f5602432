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
ROOM, THREAD = "500", "501"
GUILD: dict[str, Any] = {
    "id": "400",
    "name": "Kazemizu",
    "owner_id": "5",
    "member_count": 3,
    "roles": [
        {
            "id": "400",
            "name": "@everyone",
            "permissions": "0",
            "position": 0,
            "color": 0,
            "hoist": False,
            "managed": False,
            "mentionable": False,
            "flags": 0,
        },
        {
            "id": "410",
            "name": "managers",
            "permissions": "0",
            "position": 1,
            "color": 0,
            "hoist": False,
            "managed": False,
            "mentionable": False,
            "flags": 0,
        },
    ],
    "channels": [
        {
            "id": ROOM,
            "type": 0,
            "name": "support",
            "position": 0,
            "permission_overwrites": [],
            "nsfw": False,
            "parent_id": None,
        }
    ],
    "threads": [
        {
            "id": THREAD,
            "type": 11,
            "name": "a thread",
            "parent_id": ROOM,
            "owner_id": "5",
            "message_count": 0,
            "member_count": 1,
            "rate_limit_per_user": 0,
            "guild_id": "400",
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 60,
                "archive_timestamp": WHEN,
                "locked": False,
            },
        }
    ],
    "members": [],
    "emojis": [],
    "stickers": [],
    "features": [],
    "presences": [],
    "voice_states": [],
    "stage_instances": [],
    "guild_scheduled_events": [],
    "soundboard_sounds": [],
    "verification_level": 0,
    "default_message_notifications": 0,
    "explicit_content_filter": 0,
    "mfa_level": 0,
    "premium_tier": 0,
    "system_channel_flags": 0,
    "nsfw_level": 0,
    "preferred_locale": "en-US",
    "joined_at": WHEN,
    "large": False,
    "unavailable": False,
    "afk_timeout": 0,
}


class DiscordEmulator:
    """sent: bodies that were taken, in order. faults: of the next sends: rate_limit, lost_answer, refuse,
    server_error. fail: a status for the next send, after it was taken."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.messages: list[dict[str, Any]] = []
        self.by_nonce: dict[str, dict[str, Any]] = {}
        self.answers: list[tuple[str, dict[str, Any]]] = []
        self.faults: list[str] = []
        self.fail = 0
        self.refuse_intents = False
        self.identified = asyncio.Event()
        self.address = ""
        self._sockets: list[web.WebSocketResponse] = []
        self._sequence = 0
        self._news = asyncio.Condition()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[DiscordEmulator]:
        app = web.Application()
        base = "/api/v10"
        app.router.add_get("/gateway", self._gateway)
        app.router.add_get(f"{base}/users/@me", self._me)
        app.router.add_get(f"{base}/oauth2/applications/@me", self._application)
        app.router.add_post(f"{base}/channels/{{channel}}/messages", self._send)
        app.router.add_get(f"{base}/channels/{{channel}}/messages", self._history)
        app.router.add_get(f"{base}/channels/{{channel}}", self._channel)
        app.router.add_post(f"{base}/channels/{{channel}}/typing", self._nothing)
        app.router.add_get(f"{base}/applications/900/commands", self._commands)
        app.router.add_put(f"{base}/applications/900/commands", self._sync)
        app.router.add_post(f"{base}/interactions/{{id}}/{{token}}/callback", self._callback)
        app.router.add_post(f"{base}/webhooks/900/{{token}}", self._followup)
        async with TestServer(app) as server:
            self.address = str(server.make_url("")).rstrip("/")
            yield self
            for socket in self._sockets:
                await socket.close()

    async def say(
        self, message_id: str, text: str, *, author: dict[str, Any] = ASKER, channel: str = "77", **more: Any
    ) -> None:
        """A message reaches the bot; without a guild it is in a direct conversation."""
        await self.dispatch("MESSAGE_CREATE", message(message_id, text, author, channel) | more)

    async def dispatch(self, name: str, body: dict[str, Any]) -> None:
        self._sequence += 1
        for socket in self._sockets:
            if not socket.closed:
                await socket.send_json({"op": 0, "s": self._sequence, "t": name, "d": body})

    async def wait_answers(self, count: int) -> None:
        """Until so many interactions were answered."""
        async with asyncio.timeout(10), self._news:
            await self._news.wait_for(lambda: len(self.answers) >= count)

    async def _note(self, name: str, body: dict[str, Any]) -> None:
        async with self._news:
            self.answers.append((name, body))
            self._news.notify_all()

    async def disconnect(self) -> None:
        """End the connection so that the bot has to identify itself anew."""
        self.identified.clear()
        for socket in self._sockets:
            if not socket.closed:
                await socket.close(code=4009)

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
            elif said["op"] in (2, 6):
                if self.refuse_intents:
                    await socket.close(code=4014)
                    break
                self._sockets.append(socket)
                await self._welcome(socket, resumed=said["op"] == 6)
                self.identified.set()
        return socket

    async def _welcome(self, socket: web.WebSocketResponse, *, resumed: bool) -> None:
        self._sequence += 1
        if resumed:
            await socket.send_json({"op": 0, "s": self._sequence, "t": "RESUMED", "d": {}})
            return
        await socket.send_json({"op": 0, "s": self._sequence, "t": "READY", "d": self._ready()})
        self._sequence += 1
        await socket.send_json({"op": 0, "s": self._sequence, "t": "GUILD_CREATE", "d": GUILD})

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
        flags = {
            "bot_public": False,
            "bot_require_code_grant": False,
            "flags": 0 if self.refuse_intents else 1 << 19,
        }
        names = {"name": "kiyo", "icon": None, "description": "", "summary": "", "verify_key": "k"}
        return _json({"id": "900", "owner": ASKER, "rpc_origins": [], **flags, **names})

    async def _send(self, request: web.Request) -> web.Response:
        body = await request.json()
        content = body.get("content") or ""
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "rate_limit":
            return _json(
                {"message": "You are being rate limited.", "retry_after": 0.01, "global": False}, 429
            )
        if fault == "refuse":
            return _json({"message": "Missing Access", "code": 50001}, 403)
        if not 0 < len(content) <= 2000 or body.get("allowed_mentions", {}).get("parse") != []:
            return _json({"message": "Invalid Form Body", "code": 50035}, 400)
        if any(
            len(one["custom_id"]) > 100 for row in body.get("components", []) for one in row["components"]
        ):
            return _json({"message": "Invalid Form Body", "code": 50035}, 400)
        nonce = str(body.get("nonce"))
        if not (body.get("enforce_nonce") and nonce in self.by_nonce):
            self._keep(body, request.match_info["channel"], nonce)
        if fault == "lost_answer":
            assert request.transport is not None
            request.transport.close()
        status, self.fail = (502 if fault == "server_error" else self.fail), 0
        return _json({"message": "bad gateway"}, status) if status else _json(self.by_nonce[nonce])

    def _keep(self, body: dict[str, Any], channel: str, nonce: str) -> None:
        self.sent.append({**body, "channel": channel})
        made = message(str(1000 + len(self.sent)), body["content"], BOT, channel)
        reference = body.get("message_reference")
        if reference:
            made["message_reference"] = {"message_id": reference["message_id"], "channel_id": channel}
        self.by_nonce[nonce] = made
        self.messages.append(made)

    async def _history(self, request: web.Request) -> web.Response:
        after = int(request.query.get("after", 0))
        found = [
            one
            for one in self.messages
            if one["channel_id"] == request.match_info["channel"] and int(one["id"]) > after
        ]
        limit = int(request.query.get("limit", 50))
        return _json(found[:limit][::-1] if after else found[::-1][:limit])

    async def _channel(self, request: web.Request) -> web.Response:
        """A direct conversation; the others came with GUILD_CREATE."""
        number = request.match_info["channel"]
        return _json({"id": number, "type": 1, "recipients": [ASKER], "last_message_id": None})

    async def _nothing(self, _request: web.Request) -> web.Response:
        return web.Response(status=204, headers={"Via": "1.1 loopback"})

    async def _commands(self, _request: web.Request) -> web.Response:
        return _json([])

    async def _sync(self, request: web.Request) -> web.Response:
        known = {"id": "1", "application_id": "900", "version": "1", "default_member_permissions": None}
        return _json([{**known, **command} for command in await request.json()])

    async def _callback(self, request: web.Request) -> web.Response:
        await self._note(request.match_info["id"], await request.json())
        return _json({"interaction": {"id": request.match_info["id"], "type": 3}})

    async def _followup(self, request: web.Request) -> web.Response:
        body = await request.json()
        await self._note("followup", body)
        return _json(message("5000", body["content"], BOT, "77"))


def message(message_id: str, text: str, author: dict[str, Any], channel: str = "77") -> dict[str, Any]:
    empty: dict[str, Any] = {name: [] for name in ("mention_roles", "attachments", "embeds", "components")}
    mentions = [BOT] if f"<@{BOT['id']}>" in text else []
    times = {"timestamp": WHEN, "edited_timestamp": None}
    flags = {"tts": False, "mention_everyone": False, "pinned": False, "type": 0, "flags": 0}
    place = {"id": message_id, "channel_id": channel, "author": author, "content": text}
    return {**place, "mentions": mentions, **empty, **times, **flags}


def _json(body: Any, status: int = 200) -> web.Response:
    headers = {"Content-Type": "application/json", "Via": "1.1 loopback"}
    return web.Response(body=json.dumps(body).encode(), status=status, headers=headers)
