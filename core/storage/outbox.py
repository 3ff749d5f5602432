"""OutboxStore: what goes out, in order within a thread, with the state of each part."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Text, and_, cast, exists, func, insert, or_, select, update

from core.channel_ports import FailedReply, OutboxItem, OutboxPart, Outgoing
from core.domain import AnswerId
from core.messages import Part, Place, Receipt
from core.storage.channel_tables import outbox, outbox_parts, reviews
from core.storage.engine import Database
from core.storage.keys import Clock, from_ms, now_ms, storable
from core.storage.message_json import clean, place_from_json, reply_from_json
from core.storage.outbox_rows import queue_reply
from core.storage.threads import attach_answer

OPEN = ("waiting", "running")
_o, _p, _r = outbox.c, outbox_parts.c, reviews.c


class SqlOutboxStore:
    """Implements OutboxStore. What has arrived keeps its ids; body and text go."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def enqueue(self, outgoing: Outgoing) -> bool:
        with self._database.writing() as connection:
            return queue_reply(connection, outgoing, self._clock())

    def claim_next(self, worker: str, lease_seconds: float, channels: Collection[str]) -> OutboxItem | None:
        now = self._clock()
        earlier = outbox.alias("earlier")
        blocked = exists().where(earlier.c.lane == _o.lane, earlier.c.state.in_(OPEN), earlier.c.key < _o.key)
        due = or_(
            and_(_o.state == "waiting", _o.next_at <= now),
            and_(_o.state == "running", _o.lease_until < now),
        )
        query = (
            select(outbox).where(due, _o.channel.in_(sorted(channels)), ~blocked).order_by(_o.key).limit(1)
        )
        with self._database.reading() as connection:
            if connection.execute(query).first() is None:
                return None
        with self._database.writing() as connection:
            found = connection.execute(query.with_for_update(skip_locked=True, of=outbox)).first()
            if found is None:
                return None
            lease = {"state": "running", "worker": worker, "lease_until": now + int(lease_seconds * 1000)}
            connection.execute(update(outbox).where(_o.key == found.key).values(lease | {"updated_at": now}))
            if found.review is not None:
                sending = {"state": "sending", "version": _r.version + 1, "updated_at": now}
                approved = and_(_r.key == found.review, _r.state == "approved")
                connection.execute(update(reviews).where(approved).values(sending))
            return _item(connection, found, worker)

    def renew(self, worker: str, lease_seconds: float) -> None:
        now = self._clock()
        lease = {"lease_until": now + int(lease_seconds * 1000), "updated_at": now}
        with self._database.writing() as connection:
            connection.execute(update(outbox).where(_o.state == "running", _o.worker == worker).values(lease))

    def save_parts(self, item: OutboxItem, parts: Sequence[Part]) -> OutboxItem:
        rows = [
            {
                "outbox": item.key,
                "ordinal": ordinal,
                "body": clean(part.body),
                "text": storable(part.text),
                "state": "waiting",
                "attempts": 0,
                "receipt_ids": [],
                "updated_at": self._clock(),
            }
            for ordinal, part in enumerate(parts)
        ]
        with self._database.writing() as connection:
            if rows:
                connection.execute(insert(outbox_parts), rows)
        made = (OutboxPart(Part(clean(p.body), p.text), n, "waiting") for n, p in enumerate(parts))
        return replace(item, parts=tuple(made))

    def begin_part(self, item: OutboxItem, ordinal: int) -> bool:
        now = self._clock()
        values = {"state": "sending", "attempts": _p.attempts + 1, "updated_at": now}
        with self._database.writing() as connection:
            if connection.scalar(select(_o.key).where(_is_mine(item))) is None:
                return False
            connection.execute(update(outbox_parts).where(_is_part(item, ordinal)).values(values))
        return True

    def confirm_part(self, item: OutboxItem, ordinal: int, receipt: Receipt) -> None:
        now = self._clock()
        values = {
            "state": "sent",
            "receipt_ids": list(receipt.message_ids),
            "body": None,
            "text": None,
            "updated_at": now,
        }
        with self._database.writing() as connection:
            connection.execute(update(outbox_parts).where(_is_part(item, ordinal)).values(values))
            answer = item.reply.answer_id
            if ordinal == 0 and answer and item.reply.stage == "final" and receipt.message_ids:
                edited = select(_r.edited).where(_r.id == item.review_id)
                text = connection.scalar(edited) if item.review_id else None
                attach_answer(connection, answer, item.place, receipt.message_ids[0], now, text)

    def release_part(self, item: OutboxItem, ordinal: int) -> None:
        values = {"state": "waiting", "updated_at": self._clock()}
        with self._database.writing() as connection:
            connection.execute(update(outbox_parts).where(_is_part(item, ordinal)).values(values))

    def finish(self, item: OutboxItem) -> None:
        values = {"state": "sent", "reply": None, "sent_at": self._clock(), "error": ""}
        self._end(item, values, {"state": "sent", "error": ""})

    def retry(self, item: OutboxItem, after_seconds: float, error: str, *, counted: bool) -> None:
        now = self._clock()
        values = {
            "state": "waiting",
            "next_at": now + int(after_seconds * 1000),
            "attempts": item.attempts + counted,
            "error": storable(error),
        }
        self._end(item, values, None)

    def fail(self, item: OutboxItem, error: str, told: Sequence[Outgoing] = ()) -> None:
        values = {"state": "failed", "error": storable(error)}
        self._end(item, values, values, told)

    def _end(
        self,
        item: OutboxItem,
        values: dict[str, Any],
        review: dict[str, Any] | None,
        told: Sequence[Outgoing] = (),
    ) -> None:
        now = self._clock()
        free = {"worker": None, "lease_until": None, "updated_at": now}
        with self._database.writing() as connection:
            if not connection.execute(update(outbox).where(_is_mine(item)).values(values | free)).rowcount:
                return
            if review is not None and item.review_id:
                changed = review | {"version": _r.version + 1, "updated_at": now}
                connection.execute(update(reviews).where(_r.id == item.review_id).values(changed))
            for outgoing in told:
                queue_reply(connection, outgoing, now)

    def find_answer(self, place: Place, message_id: str) -> AnswerId:
        if not message_id:
            return ""
        likely = func.instr if self._database.dialect == "sqlite" else func.strpos
        quoted = json.dumps(message_id)
        query = (
            select(_o.answer, _o.place, _p.receipt_ids)
            .join(outbox_parts, _p.outbox == _o.key)
            .where(_o.channel == place.channel, _o.answer != "", _o.stage == "final")
            .where(likely(cast(_p.receipt_ids, Text), quoted) > 0)
            .order_by(_o.key.desc())
        )
        with self._database.reading() as connection:
            for row in connection.execute(query):
                there = place_from_json(row.place)
                same = (there.workspace, there.conversation) == (place.workspace, place.conversation)
                if same and message_id in row.receipt_ids:
                    return str(row.answer)
        return ""

    def failed(self, limit: int) -> list[FailedReply]:
        query = select(outbox).where(_o.state == "failed").order_by(_o.key.desc()).limit(limit)
        with self._database.reading() as connection:
            return [
                FailedReply(row.id, place_from_json(row.place), row.stage, row.error, from_ms(row.updated_at))
                for row in connection.execute(query)
            ]

    def waiting(self) -> int:
        with self._database.reading() as connection:
            return int(connection.scalar(select(func.count()).where(_o.state.in_(OPEN))) or 0)


def _item(connection: Connection, row: Any, worker: str) -> OutboxItem:
    parts = connection.execute(select(outbox_parts).where(_p.outbox == row.key).order_by(_p.ordinal)).all()
    review = None
    if row.review is not None:
        review = connection.scalar(select(_r.id).where(_r.key == row.review))
    return OutboxItem(
        key=row.key,
        id=row.id,
        place=place_from_json(row.place),
        reply=reply_from_json(row.reply),
        reply_to=row.reply_to,
        parts=tuple(
            OutboxPart(
                Part(part.body or {}, part.text or ""),
                part.ordinal,
                part.state,
                part.attempts,
                tuple(part.receipt_ids),
            )
            for part in parts
        ),
        attempts=row.attempts,
        worker=worker,
        review_id=str(review or ""),
    )


def _is_mine(item: OutboxItem) -> ColumnElement[bool]:
    return and_(_o.key == item.key, _o.state == "running", _o.worker == item.worker)


def _is_part(item: OutboxItem, ordinal: int) -> ColumnElement[bool]:
    return and_(_p.outbox == item.key, _p.ordinal == ordinal)
