"""InboxStore: what came in, each message once, for all processes on one database."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from core.channel_ports import InboundItem, Intake, Settlement
from core.domain import AnswerId
from core.messages import IncomingMessage, Place
from core.ports import Turn
from core.storage import tables as t
from core.storage import threads
from core.storage.channel_tables import inbound, inbound_events
from core.storage.engine import Database, insert_new
from core.storage.keys import Clock, now_ms, storable
from core.storage.message_json import lane_of, message_from_json, message_to_json
from core.storage.outbox_rows import queue_reply
from core.storage.review_rows import add_review, dismiss_of_answer

KEEP_EVENTS_MS = 30 * 86_400_000
OPEN = ("waiting", "running")
_i = inbound.c


class SqlInboxStore:
    """Implements InboxStore."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def take(self, message: IncomingMessage, limit: int) -> Intake:
        now = self._clock()
        if message.change == "new" and not message.addressed:
            with self._database.reading() as connection:
                if threads.conversation_key(connection, message.place) is None:
                    return "not_ours"
        with self._database.writing() as connection:
            known = select(_i.key, _i.state, _i.outcome, _i.answer, _i.payload).where(_is_same(message))
            found = connection.execute(known).first()
            if found is None:
                intake = self._take_new(connection, message, limit, now)
                if intake is not None:
                    return intake
                found = connection.execute(known).one()
            if message.change == "new":
                return "duplicate"
            return _apply_change(connection, message, found, now)

    def _take_new(
        self, connection: Connection, message: IncomingMessage, limit: int, now: int
    ) -> Intake | None:
        """None if another process took it meanwhile."""
        if message.change == "deleted":
            return "duplicate"
        if message.change == "edited" and not message.addressed:
            return "not_ours"
        waiting = connection.scalar(select(func.count()).where(_i.state.in_(OPEN))) or 0
        full = waiting >= limit
        row = _key_of(message) | {
            "lane": storable(lane_of(message.place)),
            "state": "done" if full else "waiting",
            "outcome": "noticed" if full else "",
            "payload": None if full else message_to_json(message),
            "edits": 0,
            "answer": "",
            "attempts": 0,
            "created_at": now,
            "updated_at": now,
        }
        if not insert_new(connection, inbound, row):
            return None
        threads.add_message(connection, message, now)
        return "full" if full else "queued"

    def claim_event(self, channel: str, event_id: str) -> bool:
        if not event_id:
            return True
        now = self._clock()
        row = {"channel": channel, "event_id": storable(event_id), "created_at": now, "updated_at": now}
        old = inbound_events.c.created_at < now - KEEP_EVENTS_MS
        with self._database.writing() as connection:
            connection.execute(delete(inbound_events).where(old))
            return insert_new(connection, inbound_events, row)

    def release_event(self, channel: str, event_id: str) -> None:
        same = and_(inbound_events.c.channel == channel, inbound_events.c.event_id == storable(event_id))
        with self._database.writing() as connection:
            connection.execute(delete(inbound_events).where(same))

    def claim_next(self, worker: str, lease_seconds: float, channels: Collection[str]) -> InboundItem | None:
        now = self._clock()
        earlier = inbound.alias("earlier")
        blocked = exists().where(earlier.c.lane == _i.lane, earlier.c.state.in_(OPEN), earlier.c.key < _i.key)
        free = or_(_i.state == "waiting", and_(_i.state == "running", _i.lease_until < now))
        query = select(_i.key, _i.payload, _i.edits, _i.attempts).where(
            free, _i.channel.in_(sorted(channels)), ~blocked
        )
        with self._database.reading() as connection:
            if connection.execute(query.limit(1)).first() is None:
                return None
        with self._database.writing() as connection:
            found = connection.execute(
                query.order_by(_i.key).limit(1).with_for_update(skip_locked=True, of=inbound)
            ).first()
            if found is None or found.payload is None:
                return None
            lease = {
                "state": "running",
                "worker": worker,
                "lease_until": now + int(lease_seconds * 1000),
                "attempts": found.attempts + 1,
                "updated_at": now,
            }
            connection.execute(update(inbound).where(_i.key == found.key).values(lease))
        return InboundItem(
            found.key, message_from_json(found.payload), found.edits, worker, found.attempts + 1
        )

    def settle(self, item: InboundItem, settlement: Settlement) -> bool:
        now = self._clock()
        done = {
            "state": "done",
            "outcome": settlement.outcome,
            "answer": settlement.answer_id,
            "payload": None,
            "worker": None,
            "lease_until": None,
            "updated_at": now,
        }
        with self._database.writing() as connection:
            if not connection.execute(update(inbound).where(_is_mine(item)).values(done)).rowcount:
                threads.forget_turn(connection, settlement.answer_id, now)
                _free(connection, item, now)
                return False
            if settlement.answer_id:
                threads.attach_question(connection, settlement.answer_id, item.message, now)
            if settlement.review is not None:
                add_review(connection, settlement.review, now)
            for outgoing in settlement.replies:
                queue_reply(connection, outgoing, now)
        return True

    def give_back(self, item: InboundItem) -> None:
        with self._database.writing() as connection:
            _free(connection, item, self._clock())

    def renew(self, worker: str, lease_seconds: float) -> None:
        now = self._clock()
        lease = {"lease_until": now + int(lease_seconds * 1000), "updated_at": now}
        with self._database.writing() as connection:
            connection.execute(
                update(inbound).where(_i.state == "running", _i.worker == worker).values(lease)
            )

    def history(self, message: IncomingMessage, limit: int) -> tuple[Turn, ...]:
        with self._database.reading() as connection:
            return threads.read_history(connection, message, limit)

    def taken_by(self, place: Place) -> str:
        with self._database.reading() as connection:
            return threads.read_taken(connection, place)

    def set_taken(self, place: Place, who: str) -> None:
        with self._database.writing() as connection:
            threads.write_taken(connection, place, who, self._clock())

    def recent_replies(self, place: Place, seconds: float) -> int:
        with self._database.reading() as connection:
            return threads.count_replies(connection, place, self._clock() - int(seconds * 1000))

    def waiting(self) -> int:
        with self._database.reading() as connection:
            return int(connection.scalar(select(func.count()).where(_i.state.in_(OPEN))) or 0)

    def last_heard(self, channel: str, limit: int) -> list[tuple[Place, str]]:
        c, m = t.conversations.c, t.messages.c
        newest = (
            select(m.conversation, func.max(m.key).label("key"))
            .where(m.channel == channel, m.direction == "in")
            .group_by(m.conversation)
            .order_by(func.max(m.key).desc())
            .limit(limit)
            .subquery()
        )
        query = (
            select(c.workspace, c.conversation, c.thread, m.platform_id)
            .join(t.messages, m.conversation == c.key)
            .join(newest, newest.c.key == m.key)
            .order_by(m.key.desc())
        )
        with self._database.reading() as connection:
            found = connection.execute(query).all()
        return [(Place(channel, r.workspace, r.conversation, r.thread), str(r.platform_id)) for r in found]

    def find_answer_place(self, answer_id: AnswerId) -> tuple[Place, str] | None:
        c, m, a = t.conversations.c, t.messages.c, t.answers.c
        query = (
            select(c.channel, c.workspace, c.conversation, c.thread, m.platform_id)
            .join(t.messages, m.conversation == c.key)
            .join(t.answers, a.question_message == m.key)
            .where(a.id == answer_id)
        )
        with self._database.reading() as connection:
            found = connection.execute(query).first()
        if found is None:
            return None
        place = Place(found.channel, found.workspace, found.conversation, found.thread)
        return place, str(found.platform_id or "")


def _key_of(message: IncomingMessage) -> dict[str, Any]:
    place = message.place
    return {
        "channel": place.channel,
        "workspace": storable(place.workspace),
        "conversation": storable(place.conversation),
        "message_id": storable(message.message_id),
    }


def _is_same(message: IncomingMessage) -> ColumnElement[bool]:
    return and_(*(inbound.c[name] == value for name, value in _key_of(message).items()))


def _apply_change(connection: Connection, message: IncomingMessage, found: Any, now: int) -> Intake:
    """Before the answer an edit replaces the question and a deletion takes it back; after it the stored text
    follows, and a draft of a deleted question is dismissed."""
    threads.change_message(connection, message, now)
    waiting = found.state in OPEN
    row = update(inbound).where(_i.key == found.key)
    if message.change == "deleted":
        gone = {"state": "done", "outcome": "removed", "payload": None, "updated_at": now}
        if waiting:
            connection.execute(row.values(gone | {"edits": _i.edits + 1}))
        elif found.answer:
            dismiss_of_answer(connection, found.answer, now)
            threads.forget_turn(connection, found.answer, now)
        return "removed"
    if not waiting and not (found.outcome == "ignored" and message.addressed):
        return "kept"
    payload = message_to_json(_in_its_thread(message, found.payload))
    values = {"payload": payload, "edits": _i.edits + 1, "updated_at": now}
    if not waiting:
        values |= {"state": "waiting", "outcome": "", "attempts": 0}
    connection.execute(row.values(values))
    return "updated"


def _in_its_thread(message: IncomingMessage, payload: Any) -> IncomingMessage:
    """An edit says where the message stood when it came; that stays."""
    if not payload:
        return message
    before = message_from_json(payload)
    return replace(message, place=before.place, addressed=message.addressed or before.addressed)


def _is_mine(item: InboundItem) -> ColumnElement[bool]:
    return and_(
        _i.key == item.key,
        _i.state == "running",
        _i.worker == item.worker,
        _i.attempts == item.attempt,
        _i.edits == item.edits,
    )


def _free(connection: Connection, item: InboundItem, now: int) -> None:
    """Wait again, unless somebody else has it by now; being edited is no failed attempt."""
    mine = and_(
        _i.key == item.key,
        _i.state == "running",
        _i.worker == item.worker,
        _i.attempts == item.attempt,
    )
    values = {
        "state": "waiting",
        "worker": None,
        "lease_until": None,
        "attempts": _i.attempts - 1,
        "updated_at": now,
    }
    connection.execute(update(inbound).where(mine).values(values))
