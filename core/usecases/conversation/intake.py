"""Take what arrives: claimed in the database before any work starts, so that the platform is told at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from weakref import WeakValueDictionary

from core.channel_ports import Desk, Outgoing
from core.messages import IncomingAction, IncomingMessage, Place
from core.text.language import detect_language
from core.usecases.conversation.actions import handle_action
from core.usecases.conversation.places import name_place
from core.usecases.conversation.replies import notice
from core.usecases.conversation.wording import say

KNOWN_PLACES = 200
"""In how many places a channel looks for what it missed."""


class ConversationInbox:
    """Implements Inbox. wake: told when there may be work."""

    def __init__(self, desk: Desk, wake: Callable[[], None]) -> None:
        self._desk = desk
        self._wake = wake
        self._lanes: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def take_message(self, message: IncomingMessage) -> None:
        """What Kiyo or another bot wrote is dropped here: bots do not talk to each other."""
        if message.author.is_self or message.author.is_bot:
            return
        lane = self._lanes.setdefault(f"{name_place(message.place)}:{message.place.thread}", asyncio.Lock())
        async with lane:  # in the order in which they came, whichever thread is faster
            await asyncio.to_thread(self._take, message)
        self._wake()

    async def take_action(self, action: IncomingAction) -> str:
        if action.author.is_self or action.author.is_bot:
            return ""
        said = await asyncio.to_thread(handle_action, self._desk, action)
        self._wake()
        return said

    async def last_heard(self, channel: str) -> Sequence[tuple[Place, str]]:
        return await asyncio.to_thread(self._desk.inbox.last_heard, channel, KNOWN_PLACES)

    def _take(self, message: IncomingMessage) -> None:
        desk = self._desk
        if desk.inbox.take(message, desk.settings.limits.waiting) != "full":
            return
        language = detect_language(message.text)
        key = f"crowded:{name_place(message.place)}:{message.message_id}"
        reply = notice(say("crowded", language), language)
        desk.outbox.enqueue(Outgoing(key, message.place, reply, message.message_id))
