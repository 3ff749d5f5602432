"""All channels of one process: started, started again when they fail, shown as up or down.

Whatever blocks runs in threads; the loop only waits. Its lag is measured: every platform has a deadline.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from bots.lag import LagMeter
from core.channel_ports import Desk, HealthState
from core.errors import ChannelDownError, KiyoError, OperatorError, StoreError
from core.ports import Channel, Inbox
from core.usecases.conversation.intake import ConversationInbox
from core.usecases.conversation.working import Ask, Conversations, work_once
from core.usecases.delivery import Deliveries, deliver_once
from core.usecases.housekeeping import keep_house

ANSWERING = 2
"""Questions worked on at once; the process that answers does one at a time anyway."""
DELIVERING = 8
"""Replies on their way at once; in one thread never more than one."""
LOOK_IN_SECONDS, LOOK_OUT_SECONDS = 2.0, 1.0
"""How often what another process left is looked for: a claim of one that ended, a reply that was approved."""
HEARTBEAT_SECONDS = 10.0
LEASE_SECONDS, LEASE_LOOK_SECONDS = 30.0, 10.0
OTHER_RECEIVES = "Another process receives for this channel."
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0

Pause = Callable[[float], Awaitable[None]]
"""Waits so many seconds; a test gives one that does not."""
Work = Callable[[], Awaitable[bool]]

_log = logging.getLogger(__name__)


class Bell:
    """Wakes one of those who wait, or the next who comes: whoever finds work rings for another.

    Waking all for each message would make every one of them look into the database.
    """

    def __init__(self) -> None:
        self._rung: asyncio.Queue[None] = asyncio.Queue(maxsize=1)

    def ring(self) -> None:
        with suppress(asyncio.QueueFull):
            self._rung.put_nowait(None)

    async def heard(self, seconds: float | None) -> None:
        """Until it rings, or so many seconds have passed."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._rung.get(), seconds)


@dataclass(slots=True)
class Supervisor:
    """What runs in this process. channels: by name; worker: names the process among all on one database."""

    desk: Desk
    ask: Ask
    channels: Mapping[str, Channel]
    worker: str
    pause: Pause = asyncio.sleep
    lag: LagMeter = field(default_factory=LagMeter)
    exclusive: Collection[str] = ()
    """Channels of which only one process at a time may receive."""
    is_gone: Callable[[str], bool] = lambda _worker: False
    """Whether a worker has certainly ended, so that nobody has to wait for its leases."""
    _open: dict[str, Channel] = field(default_factory=dict)
    """Channels that this process may send to."""
    _asked: Bell = field(default_factory=Bell)
    _queued: Bell = field(default_factory=Bell)

    @property
    def inbox(self) -> Inbox:
        """Where the channels put what arrives."""
        return ConversationInbox(self.desk, self.wake)

    def wake(self) -> None:
        """There may be work."""
        self._asked.ring()
        self._queued.ring()

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set: then receiving ends, and what is under way is given back or finished."""
        talk = Conversations(self.desk, self.ask, self.channels, self.worker)
        self._open.update((name, one) for name, one in self.channels.items() if name not in self.exclusive)
        post = Deliveries(self.desk, self._open, self.worker)
        async with asyncio.TaskGroup() as group:
            tasks = [
                *(group.create_task(self.keep_running(channel)) for channel in self.channels.values()),
                *(group.create_task(self._work_off(lambda: work_once(talk), n)) for n in range(ANSWERING)),
                *(
                    group.create_task(self._send_off(lambda: deliver_once(post), n))
                    for n in range(DELIVERING)
                ),
                group.create_task(self._keep_house()),
                group.create_task(self.lag.run(self.pause)),
            ]
            await stop.wait()
            for task in tasks:
                task.cancel()
        for name in self.channels:
            await self._report(name, "stopped", "")
            if name in self._open and name in self.exclusive:
                with suppress(StoreError):
                    await asyncio.to_thread(self.desk.leases.drop, name, self.worker)

    async def keep_running(self, channel: Channel) -> None:
        """Run a channel for ever: when it is lost it is started again after a pause that doubles each time,
        at once with the longest one when a person must act first. The others go on."""
        failures = 0
        while True:
            await self._become_receiver(channel)
            started = self.desk.now()
            await self._report(channel.name, "up", "")
            try:
                await self._receive(channel)
                error: Exception = ChannelDownError(f"{channel.name} ended by itself.")
            except Exception as failure:  # whatever it is, the other channels go on
                error = failure
            if (self.desk.now() - started).total_seconds() > LONGEST_PAUSE_SECONDS:
                failures = 0
            needs_person = isinstance(error, OperatorError) and not isinstance(error, ChannelDownError)
            wait = LONGEST_PAUSE_SECONDS if needs_person else FIRST_PAUSE_SECONDS * 2.0 ** min(failures, 20)
            failures += 1
            await self._report(channel.name, "down", describe(error))
            _log.warning("channel %s is down: %s", channel.name, describe(error))
            await self.pause(min(wait, LONGEST_PAUSE_SECONDS))

    async def _become_receiver(self, channel: Channel) -> None:
        """Wait until no other process receives for this channel."""
        if channel.name not in self.exclusive:
            return
        self._open.pop(channel.name, None)
        await self._clear_away()
        while not await self._holds(channel.name, unsure=False):
            await self._report(channel.name, "stopped", OTHER_RECEIVES)
            await self.pause(LEASE_LOOK_SECONDS)
        self._open[channel.name] = channel

    async def _clear_away(self) -> None:
        """Free what a process has left that ended without a word."""
        desk = self.desk
        with suppress(StoreError):
            for name, worker in (await asyncio.to_thread(desk.leases.holders)).items():
                if worker != self.worker and self.is_gone(worker):
                    _log.warning("worker %s is gone; what it had is free", worker)
                    await asyncio.to_thread(desk.leases.drop, name, worker)
                    await asyncio.to_thread(desk.inbox.renew, worker, -1.0)
                    await asyncio.to_thread(desk.outbox.renew, worker, -1.0)

    async def _receive(self, channel: Channel) -> None:
        """Run the channel for as long as this process is its receiver."""
        if channel.name not in self.exclusive:
            await channel.run(self.inbox)
            return
        running = asyncio.create_task(channel.run(self.inbox))
        guard = asyncio.create_task(self._keep_lease(channel.name))
        try:
            await asyncio.wait((running, guard), return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
            else:
                raise ChannelDownError(OTHER_RECEIVES)
        finally:
            for task in (running, guard):
                task.cancel()
            await asyncio.wait((running, guard))

    async def _keep_lease(self, name: str) -> None:
        """Until the lease is lost."""
        while await self._holds(name, unsure=True):
            await self.pause(LEASE_LOOK_SECONDS)

    async def _holds(self, name: str, *, unsure: bool) -> bool:
        """unsure: what is said while the database does not answer."""
        try:
            return await asyncio.to_thread(self.desk.leases.hold, name, self.worker, LEASE_SECONDS)
        except StoreError:
            return unsure

    async def _work_off(self, work: Work, number: int) -> None:
        """Messages, while there are any; each may leave replies."""
        while True:
            if await self._does(work):
                self.wake()
            else:
                await self._asked.heard(LOOK_IN_SECONDS if number == 0 else None)

    async def _send_off(self, work: Work, number: int) -> None:
        """Replies, while any is due."""
        while True:
            if await self._does(work):
                self._queued.ring()
            else:
                await self._queued.heard(LOOK_OUT_SECONDS if number == 0 else None)

    async def _does(self, work: Work) -> bool:
        try:
            return await work()
        except StoreError as error:
            _log.warning("the database: %s", error)
            return False

    async def _keep_house(self) -> None:
        while True:
            await self.pause(HEARTBEAT_SECONDS)
            with suppress(StoreError):
                await asyncio.to_thread(keep_house, self.desk, list(self.channels), self.worker)

    async def _report(self, name: str, state: HealthState, error: str) -> None:
        with suppress(StoreError):
            await asyncio.to_thread(self.desk.health.report, name, self.worker, state, error)


def describe(error: Exception) -> str:
    """Kiyo's own sentences as they are; of anything else only the kind, since its text may hold a secret."""
    return str(error) if isinstance(error, KiyoError) else f"unexpected {type(error).__name__}"
