"""A Slack workspace on loopback with a connected channel: what a test says and sees there."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any

from pydantic import SecretStr

from bots.channels.slack.channel import SlackChannel
from core.messages import ActionKind
from core.sections.slack import SlackSettings
from tests.bots.channels.posts import Post
from tests.emulators.slack import APP_TOKEN, BOT_TOKEN, BOT_USER, SIGNING_SECRET, TEAM, SlackEmulator

ROOM = "C1"


class SlackLab:
    """An async context manager; `channel` is not running until somebody runs it."""

    def __init__(self) -> None:
        self.emulator = SlackEmulator()
        self._events: dict[str, dict[str, Any]] = {}
        self._count = 0

    async def __aenter__(self) -> SlackLab:
        await self.emulator.__aenter__()
        self.channel = SlackChannel(self.settings(), watch=lambda: asyncio.sleep(0.01))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.emulator.__aexit__()

    def settings(self, **more: Any) -> SlackSettings:
        known = {
            "bot_token": SecretStr(BOT_TOKEN),
            "app_token": SecretStr(APP_TOKEN),
            "signing_secret": SecretStr(SIGNING_SECRET),
            "api_url": f"{self.emulator.address}/api/",
        }
        return SlackSettings(**{**known, **more})

    async def say(
        self,
        text: str,
        *,
        author: str = "U1",
        thread: str = "",
        message_id: str | None = None,
        dm: bool = False,
        mention: bool = True,
    ) -> str:
        stamp = message_id or self.emulator.stamp()
        event: dict[str, Any] = {
            "type": "message",
            "channel": f"D{author}" if dm else ROOM,
            "channel_type": "im" if dm else "channel",
            "user": author,
            "text": f"<@{BOT_USER}> {text}" if mention and not dm else text,
            "ts": stamp,
        }
        if thread:
            event["thread_ts"] = thread
        self._events[stamp] = event
        await self.event(event)
        return stamp

    async def event(self, event: dict[str, Any], event_id: str = "") -> str:
        self._count += 1
        known = event_id or f"Ev{self._count}"
        body = {
            "type": "event_callback",
            "team_id": TEAM,
            "api_app_id": "A1",
            "event_id": known,
            "event": event,
        }
        return await self.emulator.send("events_api", body)

    async def edit(self, message_id: str, text: str) -> None:
        before = self._events[message_id]
        message = {**before, "text": f"<@{BOT_USER}> {text}", "edited": {"user": before["user"], "ts": "1"}}
        await self.event(_change(before, "message_changed", message=message, previous_message=before))

    async def delete(self, message_id: str) -> None:
        before = self._events[message_id]
        await self.event(_change(before, "message_deleted", deleted_ts=message_id, previous_message=before))

    async def redeliver(self, message_id: str) -> None:
        await self.event(self._events[message_id])

    async def press(self, kind: ActionKind, target: str, *, author: str = "U1", value: str = "") -> str:
        self._count += 1
        body = {
            "type": "block_actions",
            "team": {"id": TEAM},
            "user": {"id": author, "username": author.lower()},
            "channel": {"id": ROOM},
            "message": {"ts": "1790000000.000001", "thread_ts": "1790000000.000001"},
            "trigger_id": f"trigger-{self._count}",
            "actions": [{"action_id": f"{kind}:0", "value": f"{target}|{value}", "action_ts": "1"}],
        }
        return await self.emulator.send("interactive", body)

    def posts(self) -> list[Post]:
        return [_post(message) for message in self.emulator.messages]

    def fail_next(self, kind: str) -> None:
        self.emulator.faults.append(kind)

    async def disconnect(self) -> None:
        await self.emulator.opened()
        await self.emulator.drop_sockets()


def _change(before: dict[str, Any], subtype: str, **more: Any) -> dict[str, Any]:
    known = {"channel": before["channel"], "channel_type": before["channel_type"], "ts": "1790000001.000001"}
    return {"type": "message", "subtype": subtype, "hidden": True, **known, **more}


def _post(message: dict[str, Any]) -> Post:
    blocks = message["blocks"]
    text = "\n\n".join(block["text"]["text"] for block in blocks if block["type"] == "section")
    labels = [e["text"]["text"] for block in blocks if block["type"] == "actions" for e in block["elements"]]
    return Post(text, str(message.get("thread_ts") or ""), (str(message["ts"]),), tuple(labels))
