"""A Discord on loopback with a connected channel: what a test says and sees there."""

from __future__ import annotations

import asyncio
import warnings
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any

from pydantic import SecretStr

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # discord.py imports audioop
    import discord  # noqa: F401 - for the whole process, before anything else does it

from bots.channels.discord.channel import DiscordChannel
from core.messages import ActionKind
from core.sections.discord import DiscordSettings
from tests.bots.channels.posts import Post
from tests.emulators.discord import ASKER, BOT, GUILD, ROOM, DiscordEmulator, message


class DiscordLab:
    """An async context manager; people can speak once the channel runs."""

    def __init__(self) -> None:
        self.emulator = DiscordEmulator()
        self._stack = AsyncExitStack()
        self._said: dict[str, dict[str, Any]] = {}
        self._count = 2000

    async def __aenter__(self) -> DiscordLab:
        await self._stack.enter_async_context(self.emulator.serving())
        self.channel = DiscordChannel(self.settings())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def settings(self, token: str = "good") -> DiscordSettings:
        return DiscordSettings(
            token=SecretStr(token),
            api_url=f"{self.emulator.address}/api/v10",
            gateway_url=self.emulator.address.replace("http", "ws", 1) + "/gateway",
        )

    async def say(
        self,
        text: str,
        *,
        author: str = "U1",
        thread: str = "",
        message_id: str | None = None,
        dm: bool = False,
        mention: bool = True,
        roles: tuple[str, ...] = (),
    ) -> str:
        self._count += 1
        number = message_id or str(self._count)
        said = f"<@{BOT['id']}> {text}" if mention and not dm else text
        channel = "77" if dm else (thread or ROOM)
        body = message(number, said, _user(author), channel)
        if not dm:
            body |= {"guild_id": GUILD["id"], "member": {"roles": list(roles), "joined_at": None, "flags": 0}}
        self._said[number] = body
        await self.ready()
        await self.emulator.dispatch("MESSAGE_CREATE", body)
        return number

    async def edit(self, message_id: str, text: str) -> None:
        edited = {"content": f"<@{BOT['id']}> {text}", "edited_timestamp": "2026-01-02T04:04:05+00:00"}
        await self.emulator.dispatch("MESSAGE_UPDATE", {**self._said[message_id], **edited})

    async def delete(self, message_id: str) -> None:
        known = self._said[message_id]
        body = {"id": message_id, "channel_id": known["channel_id"], "guild_id": known.get("guild_id")}
        await self.emulator.dispatch("MESSAGE_DELETE", body)

    async def redeliver(self, message_id: str) -> None:
        await self.emulator.dispatch("MESSAGE_CREATE", self._said[message_id])

    async def press(self, kind: ActionKind, target: str, *, author: str = "U1", value: str = "") -> None:
        data = {"custom_id": f"{kind}|{target}|{value}", "component_type": 2, "id": 1}
        await self._interact(3, data, author)

    async def _interact(self, kind: int, data: dict[str, Any], author: str) -> None:
        self._count += 1
        member: dict[str, Any] = {
            "user": _user(author),
            "roles": [],
            "joined_at": None,
            "permissions": "0",
            "flags": 0,
        }
        body = {
            "id": str(self._count),
            "application_id": "900",
            "type": kind,
            "token": "t",
            "version": 1,
            "guild_id": GUILD["id"],
            "channel_id": ROOM,
            "channel": {"id": ROOM, "type": 0, "name": "support", "permissions": "0", "position": 0},
            "member": member,
            "message": message("1001", "An answer.", BOT, ROOM),
            "data": data,
            "entitlements": [],
            "attachment_size_limit": 1,
            "authorizing_integration_owners": {},
        }
        await self.emulator.dispatch("INTERACTION_CREATE", body)

    async def react(self, message_id: str, sign: str, *, author: str = "U1", removed: bool = False) -> None:
        name = "MESSAGE_REACTION_REMOVE" if removed else "MESSAGE_REACTION_ADD"
        where = {"channel_id": ROOM, "guild_id": GUILD["id"], "message_id": message_id}
        emoji = {"id": None, "name": sign}
        body = {"user_id": _user(author)["id"], "emoji": emoji, "burst": False, "type": 0}
        await self.emulator.dispatch(name, {**where, **body})

    def posts(self) -> list[Post]:
        return [
            Post(
                str(sent["content"]),
                "" if sent["channel"] in (ROOM, "77") else str(sent["channel"]),
                (str(1001 + place),),
                tuple(one["label"] for row in sent.get("components", []) for one in row["components"]),
            )
            for place, sent in enumerate(self.emulator.sent)
        ]

    def fail_next(self, kind: str) -> None:
        self.emulator.faults.append(kind)

    async def disconnect(self) -> None:
        await self.ready()
        await self.emulator.disconnect()

    async def submit(self, target: str, text: str, *, author: str = "U1") -> None:
        """Send the window for a draft."""
        field = {"type": 4, "custom_id": "f", "value": text, "id": 2}
        data = {"custom_id": f"edit|{target}|", "components": [{"type": 1, "id": 1, "components": [field]}]}
        await self._interact(5, data, author)

    def emulator_message(self, message_id: str) -> dict[str, Any]:
        return self._said[message_id]

    async def ready(self) -> None:
        await asyncio.wait_for(self.emulator.identified.wait(), 10)


def _user(author: str) -> dict[str, Any]:
    number = 50 + sum(ord(character) for character in author)
    return {**ASKER, "id": str(number), "username": author}
