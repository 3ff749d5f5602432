"""The outbox at work: parts in order, waiting as the platform asks, nothing twice, nothing lost in silence.

A part whose fate is unknown (the process ended, the answer of the platform got lost) is looked up before it
is sent again. Where a platform offers no look-up it is sent at most once, and staff is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.channel_ports import Desk, OutboxItem, OutboxPart, Outgoing
from core.errors import ChannelDownError, ChannelError, RateLimitedError, RefusedError
from core.messages import Parcel, Receipt
from core.ports import Channel
from core.usecases.conversation.places import name_place
from core.usecases.conversation.replies import staff_notices

LEASE_SECONDS = 45.0
"""Renewed by housekeeping, as that of a question."""
MAX_ATTEMPTS = 8
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Deliveries:
    """What delivering needs. channels: those of this process, by name; worker: names it among all."""

    desk: Desk
    channels: Mapping[str, Channel]
    worker: str


Step = Literal["next", "stop"]
UNKNOWN = "it is unknown whether a part arrived, and this platform offers no way to look"
_EXPECTED = (ChannelError, OSError, TimeoutError)
"""What a channel may raise. AmbiguousSendError, OSError and TimeoutError leave open what happened."""


async def deliver_once(deliveries: Deliveries) -> bool:
    """Take the oldest reply that is due and send what is missing of it; False when none is due."""
    outbox, channels = deliveries.desk.outbox, dict(deliveries.channels)  # another process may take one over
    item = await asyncio.to_thread(outbox.claim_next, deliveries.worker, LEASE_SECONDS, list(channels))
    if item is None:
        return False
    try:
        await _deliver(deliveries, item, channels[item.place.channel])
    except asyncio.CancelledError:
        await asyncio.to_thread(outbox.retry, item, 0.0, "stopped", counted=False)
        raise
    except Exception as error:
        _log.exception("reply %s could not be sent", item.id)
        await _fail(deliveries, item, f"Kiyo itself failed: {type(error).__name__}")
    return True


async def _deliver(deliveries: Deliveries, item: OutboxItem, channel: Channel) -> None:
    outbox = deliveries.desk.outbox
    if not item.parts:
        item = await asyncio.to_thread(outbox.save_parts, item, channel.render(item.reply, item.place))
    for part in item.parts:
        if part.state != "sent" and await _deliver_part(deliveries, item, channel, part) == "stop":
            return
    await asyncio.to_thread(outbox.finish, item)


def pause_seconds(attempts: int) -> float:
    """How long to wait after so many failures: doubled each time, up to five minutes."""
    return min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(attempts, 30))


async def _deliver_part(deliveries: Deliveries, item: OutboxItem, channel: Channel, part: OutboxPart) -> Step:
    parcel = Parcel(
        key=f"{item.id}:{part.ordinal}",
        place=item.place,
        reply_to=item.reply_to,
        part=part.part,
        ordinal=part.ordinal,
        attempt=part.attempts + 1,
    )
    receipt: Receipt | None = None
    if part.state == "sending":
        if not channel.capabilities.look_up:
            await _fail(deliveries, item, UNKNOWN)
            return "stop"
        try:
            receipt = await channel.find_delivered(parcel)
        except _EXPECTED as error:
            await _retry(deliveries, item, error)
            return "stop"
    if receipt is None and not await _send(deliveries, item, channel, parcel):
        return "stop"
    if receipt is not None:
        await asyncio.to_thread(deliveries.desk.outbox.confirm_part, item, part.ordinal, receipt)
    return "next"


async def _send(deliveries: Deliveries, item: OutboxItem, channel: Channel, parcel: Parcel) -> bool:
    """Whether it has arrived. An ambiguous failure leaves the part `sending`, to be looked up next time."""
    outbox = deliveries.desk.outbox
    if not await asyncio.to_thread(outbox.begin_part, item, parcel.ordinal):
        return False
    try:
        receipt = await channel.deliver(parcel)
    except (RateLimitedError, ChannelDownError) as error:
        await asyncio.to_thread(outbox.release_part, item, parcel.ordinal)
        await _retry(deliveries, item, error)
    except RefusedError as error:
        await asyncio.to_thread(outbox.release_part, item, parcel.ordinal)
        await _fail(deliveries, item, str(error))
    except _EXPECTED as error:
        await _retry(deliveries, item, error)
    else:
        await asyncio.to_thread(outbox.confirm_part, item, parcel.ordinal, receipt)
        return True
    return False


async def _retry(deliveries: Deliveries, item: OutboxItem, error: Exception) -> None:
    """Later: as the platform asks, else after a growing pause, and not for ever."""
    outbox, text = deliveries.desk.outbox, str(error) or type(error).__name__
    if isinstance(error, RateLimitedError):
        await asyncio.to_thread(outbox.retry, item, error.retry_after, text, counted=False)
    elif item.attempts + 1 >= MAX_ATTEMPTS:
        await _fail(deliveries, item, text)
    else:
        await asyncio.to_thread(outbox.retry, item, pause_seconds(item.attempts), text, counted=True)


async def _fail(deliveries: Deliveries, item: OutboxItem, error: str) -> None:
    """Give up, and tell staff each time, unless it was they who should have been told."""
    _log.error("reply %s to %s was not delivered: %s", item.id, name_place(item.place), error)
    desk = deliveries.desk
    told: tuple[Outgoing, ...] = ()
    if not item.id.startswith("staff:"):
        text = f"A reply to {item.place.name or name_place(item.place)} was not delivered: {error}"
        told = staff_notices(desk.settings, f"undelivered:{item.id}:{desk.now():%Y%m%dT%H%M%S.%f}", text)
    await asyncio.to_thread(desk.outbox.fail, item, error, told)
