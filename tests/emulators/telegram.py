"""A Telegram Bot API on loopback, after https://core.telegram.org/bots/api: what Kiyo uses, with its checks.

Updates are kept until an offset confirms them; messages are validated as Telegram does: length in UTF-16
units, entities within the text, buttons of at most 64 bytes, topics that exist.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

TOKEN = "123456:TEST-token"
BOT = {
    "id": 123456,
    "is_bot": True,
    "first_name": "Kiyo",
    "username": "kiyo_bot",
    "can_join_groups": True,
    "can_read_all_group_messages": False,
    "supports_inline_queries": False,
}


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@dataclass(slots=True)
class TelegramEmulator:
    """faults: of the next calls of sendMessage: rate_limit, lost_answer, refuse, server_error, markup."""

    updates: list[dict[str, Any]] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    topics: set[tuple[int, int]] = field(default_factory=set)
    webhook: dict[str, Any] = field(default_factory=dict)
    conflict: bool = False
    down: bool = False
    address: str = ""
    confirmed: int = 0
    _next_update: int = 1
    _next_message: int = 1000
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _runner: web.AppRunner | None = None

    async def __aenter__(self) -> TelegramEmulator:
        app = web.Application()
        app.router.add_route("*", "/bot{token}/{method}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        async with self._news:
            self.down = True
            self._news.notify_all()
        await self._runner.cleanup()

    async def push(self, kind: str, content: dict[str, Any]) -> int:
        """A new update; its number."""
        number = self._next_update
        self._next_update += 1
        async with self._news:
            self.updates.append({"update_id": number, kind: content})
            self._news.notify_all()
        return number

    async def repeat(self, number: int) -> None:
        """Offer an update again, as after a confirmation that got lost."""
        async with self._news:
            self.confirmed = number - 1
            self._news.notify_all()

    async def disconnect(self) -> None:
        """End the receiver that waits, as a server that restarts does."""
        async with self._news:
            self.down = True
            self._news.notify_all()
            self.down = True

    def next_message_id(self) -> int:
        self._next_message += 1
        return self._next_message

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        form = dict(await request.post())
        arguments = {name: _decode(str(value)) for name, value in form.items()}
        method = request.match_info["method"]
        self.calls.append((method, arguments))
        if request.match_info["token"] != TOKEN:
            return _error(401, "Unauthorized")
        handler = getattr(self, f"_{method}", None)
        if handler is None:
            return _error(404, f"Not Found: method {method} not found")
        return await handler(request, arguments)  # type: ignore[no-any-return]  # handlers are found by name

    async def _getMe(self, _request: web.Request, _given: dict[str, Any]) -> web.StreamResponse:  # noqa: N802
        return _result(BOT)

    async def _getUpdates(self, _request: web.Request, given: dict[str, Any]) -> web.StreamResponse:  # noqa: N802
        if self.conflict:
            return _error(409, "Conflict: terminated by other getUpdates request")
        if "offset" in given:
            self.confirmed = max(self.confirmed, int(given["offset"]) - 1)
        async with self._news:
            await self._news.wait_for(lambda: self.down or self._open())
            if self.down:
                self.down = False
                return _error(502, "Bad Gateway")
            return _result(self._open())

    def _open(self) -> list[dict[str, Any]]:
        return [update for update in self.updates if update["update_id"] > self.confirmed]

    async def _sendMessage(self, request: web.Request, given: dict[str, Any]) -> web.StreamResponse:  # noqa: N802
        fault = self.faults.popleft() if self.faults else ""
        if fault == "rate_limit":
            return _error(429, "Too Many Requests: retry after 4", {"retry_after": 4})
        if fault == "refuse":
            return _error(403, "Forbidden: bot was kicked from the group chat")
        problem = self._validate(given) or ("can't parse entities" if fault == "markup" else "")
        if problem:
            return _error(400, f"Bad Request: {problem}")
        message = self._store(given)
        if fault == "lost_answer":
            assert request.transport is not None
            request.transport.close()
        if fault == "server_error":
            return _error(502, "Bad Gateway")
        return _result(message)

    def _validate(self, given: dict[str, Any]) -> str:
        text, entities = given.get("text", ""), given.get("entities") or []
        if not str(text).strip():
            return "message text is empty"
        if units(text) > 4096:
            return "message is too long"
        if any(one["offset"] + one["length"] > units(text) or one["length"] < 1 for one in entities):
            return "can't parse entities: an entity is outside of the text"
        thread = given.get("message_thread_id")
        if thread is not None and (int(given["chat_id"]), int(thread)) not in self.topics:
            return "message thread not found"
        rows = (given.get("reply_markup") or {}).get("inline_keyboard", [])
        if any(not 1 <= len(button["callback_data"].encode()) <= 64 for row in rows for button in row):
            return "BUTTON_DATA_INVALID"
        return ""

    def _store(self, given: dict[str, Any]) -> dict[str, Any]:
        message = {
            "message_id": self.next_message_id(),
            "from": BOT,
            "date": int(time.time()),
            "chat": {
                "id": int(given["chat_id"]),
                "type": "private" if int(given["chat_id"]) > 0 else "group",
            },
            "text": given["text"],
        }
        self.sent.append({**given, "message_id": message["message_id"]})
        return message

    async def _sendChatAction(self, _request: web.Request, _given: dict[str, Any]) -> web.StreamResponse:  # noqa: N802
        return _result(True)

    async def _answerCallbackQuery(  # noqa: N802
        self, _request: web.Request, _given: dict[str, Any]
    ) -> web.StreamResponse:
        return _result(True)

    async def _setWebhook(self, _request: web.Request, given: dict[str, Any]) -> web.StreamResponse:  # noqa: N802
        self.webhook = given
        return _result(True)

    async def _deleteWebhook(self, _request: web.Request, _given: dict[str, Any]) -> web.StreamResponse:  # noqa: N802
        self.webhook = {}
        return _result(True)

    async def _getWebhookInfo(self, _request: web.Request, _given: dict[str, Any]) -> web.StreamResponse:  # noqa: N802
        return _result(
            {
                "url": self.webhook.get("url", ""),
                "has_custom_certificate": False,
                "pending_update_count": len(self._open()),
            }
        )


def _decode(value: str) -> Any:
    try:
        return json.loads(value) if value[:1] in "[{" else value
    except ValueError:
        return value


def _result(value: object) -> web.Response:
    return web.json_response({"ok": True, "result": value})


def _error(code: int, text: str, parameters: dict[str, Any] | None = None) -> web.Response:
    body = {"ok": False, "error_code": code, "description": text}
    return web.json_response({**body, "parameters": parameters} if parameters else body, status=code)
