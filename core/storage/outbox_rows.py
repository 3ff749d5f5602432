"""How a reply is queued, inside a transaction that a store opens."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select, update

from core.channel_ports import Outgoing
from core.storage.channel_tables import outbox, outbox_parts, reviews
from core.storage.engine import insert_new
from core.storage.keys import storable
from core.storage.message_json import lane_of, place_to_json, reply_to_json

_o = outbox.c


def queue_reply(connection: Connection, outgoing: Outgoing, now: int) -> bool:
    """False if it is queued already; one that failed is queued again, and keeps the parts that arrived."""
    found = connection.execute(select(_o.key, _o.state).where(_o.id == outgoing.id)).first()
    if found is None:
        return insert_new(connection, outbox, _row(connection, outgoing, now))
    if found.state != "failed":
        return False
    again = {
        "state": "waiting",
        "attempts": 0,
        "next_at": now,
        "error": "",
        "reply": reply_to_json(outgoing.reply),
        "updated_at": now,
    }
    connection.execute(update(outbox).where(_o.key == found.key).values(again))
    of_it = outbox_parts.c.outbox == found.key
    started = select(outbox_parts.c.ordinal).where(of_it, outbox_parts.c.state != "waiting").limit(1)
    if connection.execute(started).first() is None:
        connection.execute(delete(outbox_parts).where(of_it))  # the text may be another one now
    return True


def _row(connection: Connection, outgoing: Outgoing, now: int) -> dict[str, object]:
    of_review = select(reviews.c.key).where(reviews.c.id == outgoing.review_id)
    return {
        "id": outgoing.id,
        "channel": outgoing.place.channel,
        "lane": storable(lane_of(outgoing.place)),
        "place": place_to_json(outgoing.place),
        "reply_to": storable(outgoing.reply_to),
        "reply": reply_to_json(outgoing.reply),
        "state": "waiting",
        "stage": outgoing.reply.stage,
        "answer": outgoing.reply.answer_id,
        "review": connection.scalar(of_review) if outgoing.review_id else None,
        "attempts": 0,
        "next_at": now,
        "error": "",
        "created_at": now,
        "updated_at": now,
    }
