"""An inbox that keeps what a channel puts into it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from core.messages import IncomingAction, IncomingMessage, Place
from core.ports import Channel


class KeepingInbox:
    """says: what a person who acts is told. full: refuse everything, as a database that is down does."""

    def __init__(self, says: str = "") -> None:
        self.messages: list[IncomingMessage] = []
        self.actions: list[IncomingAction] = []
        self.says = says
        self.heard: list[tuple[Place, str]] = []
        self.broken = False
        self._news = asyncio.Condition()

    async def take_message(self, message: IncomingMessage) -> None:
        await self._keep(self.messages, message)

    async def take_action(self, action: IncomingAction) -> str:
        await self._keep(self.actions, action)
        return self.says

    async def last_heard(self, channel: str) -> Sequence[tuple[Place, str]]:
        return [one for one in self.heard if one[0].channel == channel]

    async def wait_for(self, messages: int = 0, actions: int = 0) -> None:
        """Until so many have come; a test that waits in vain ends after ten seconds."""
        async with self._news, asyncio.timeout(10):
            await self._news.wait_for(lambda: len(self.messages) >= messages and len(self.actions) >= actions)

    async def _keep(self, kept: list[Any], one: object) -> None:
        if self.broken:
            raise OSError("the database is gone")
        async with self._news:
            kept.append(one)
            self._news.notify_all()


@asynccontextmanager
async def running(channel: Channel, inbox: KeepingInbox) -> AsyncIterator[asyncio.Task[None]]:
    """The channel receives as long as the context lasts."""
    task = asyncio.create_task(channel.run(inbox))
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task
