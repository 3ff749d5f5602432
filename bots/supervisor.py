"""All channels of one process: started, started again when they fail, shown as up or down.

Whatever blocks runs in threads; the loop only waits. Its lag is measured: every platform has a deadline.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
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
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0

Pause = Callable[[float], Awaitable[None]]
"""Waits so many seconds; a test gives one that does not."""
Work = Callable[[], Awaitable[bool]]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Supervisor:
    """What runs in this process. channels: by name; worker: names the process among all on one database."""

    desk: Desk
    ask: Ask
    channels: Mapping[str, Channel]
    worker: str
    pause: Pause = asyncio.sleep
    lag: LagMeter = field(default_factory=LagMeter)
    _pulse: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def inbox(self) -> Inbox:
        """Where the channels put what arrives."""
        return ConversationInbox(self.desk, self.wake)

    def wake(self) -> None:
        """There may be work."""
        self._pulse.set()
        self._pulse.clear()

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set: then receiving ends, and what is under way is given back or finished."""
        talk = Conversations(self.desk, self.ask, self.channels, self.worker)
        post = Deliveries(self.desk, self.channels, self.worker)
        async with asyncio.TaskGroup() as group:
            tasks = [
                *(group.create_task(self.keep_running(channel)) for channel in self.channels.values()),
                *(
                    group.create_task(
                        self._work(lambda: work_once(talk), LOOK_IN_SECONDS if n == 0 else None)
                    )
                    for n in range(ANSWERING)
                ),
                *(
                    group.create_task(
                        self._work(lambda: deliver_once(post), LOOK_OUT_SECONDS if n == 0 else None)
                    )
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

    async def keep_running(self, channel: Channel) -> None:
        """Run a channel for ever: when it is lost it is started again after a pause that doubles each time,
        at once with the longest one when a person must act first. The others go on."""
        failures = 0
        while True:
            started = self.desk.now()
            await self._report(channel.name, "up", "")
            try:
                await channel.run(self.inbox)
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

    async def _work(self, work: Work, look_seconds: float | None) -> None:
        """Work while there is any. The first of a kind looks by itself, too; the others are only woken."""
        while True:
            try:
                busy = await work()
            except StoreError as error:
                _log.warning("the database: %s", error)
                busy = False
            if busy:
                self.wake()
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(self._pulse.wait(), look_seconds)

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
