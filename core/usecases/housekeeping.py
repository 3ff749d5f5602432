"""What a process with channels does now and then: heartbeats, drafts that nobody decided on in time."""

from __future__ import annotations

from collections.abc import Sequence

from core.channel_ports import Desk
from core.usecases import delivery
from core.usecases.conversation import working
from core.usecases.conversation.replies import staff_notices


def keep_house(desk: Desk, channels: Sequence[str], worker: str) -> None:
    """Note that this process lives, keep what it claimed, and dismiss drafts whose time is over. Sync."""
    for name in channels:
        desk.health.beat(name, worker)
    desk.inbox.renew(worker, working.LEASE_SECONDS)
    desk.outbox.renew(worker, delivery.LEASE_SECONDS)
    for review in desk.reviews.expire(desk.now()):
        text = f"A draft for {review.asker} expired without a decision."
        for outgoing in staff_notices(desk.settings, f"expired:{review.id}", text):
            desk.outbox.enqueue(outgoing)
