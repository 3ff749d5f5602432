"""Texts go when their time is over or their person asks for it; figures, ids and verdicts stay.

What still waits (for an evaluation, a person's decision or its delivery) keeps its texts until it is done.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, Select, and_, delete, or_, select, update

from core.ports import TextsRemoved
from core.storage import tables as t
from core.storage.channel_tables import feedback, inbound, outbox, outbox_parts, reviews
from core.storage.engine import Database
from core.storage.evaluation_tables import deferred_evaluations
from core.storage.keys import Clock, now_ms
from core.storage.label_tables import labels
from core.storage.people_tables import audit_log
from core.storage.trace_tables import toc_selections, traces

ERASED = "erased"
_DAY_MS = 86_400_000
_DONE_REVIEWS = ("sent", "dismissed")
_DONE_JOBS = ("done", "failed")
_m = t.messages.c


class SqlPrivacyStore:
    """Implements PrivacyStore."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def expire(self, keep_messages_days: int, keep_traces_days: int) -> TextsRemoved:
        """Remove texts that are older; 0 days: everything that no longer waits."""
        now = self._clock()
        with self._database.writing() as connection:
            old = now - keep_messages_days * _DAY_MS
            messages = _empty_messages(connection, and_(_m.created_at <= old, ~_is_pending()), now)
            drafts = _empty_drafts(connection, reviews.c.created_at <= old, now)
            jobs = connection.execute(
                update(t.jobs)
                .where(t.jobs.c.state.in_(_DONE_JOBS), t.jobs.c.finished_at <= old)
                .where(t.jobs.c.result.is_not(None))
                .values(payload={}, result=None, updated_at=now)
            ).rowcount
            stale = now - keep_traces_days * _DAY_MS
            gone = [
                connection.execute(delete(table).where(table.c.created_at <= stale)).rowcount
                for table in (traces, toc_selections)
            ]
        return TextsRemoved(messages, sum(gone), drafts, jobs)

    def erase_person(self, person: str, accounts: Collection[tuple[str, str]] = ()) -> TextsRemoved:
        """Remove what this person asked and was answered, their name and their opinions; verdicts of their
        labels and figures stay. accounts: (channel, id there) under which the person wrote."""
        now = self._clock()
        names = [person, *(f"{channel}:{account}" for channel, account in accounts)]
        with self._database.writing() as connection:
            asked = select(t.answers.c.key).where(t.answers.c.asked_by.in_(names))
            keys = list(connection.scalars(asked))
            messages = _erase_messages(connection, names, accounts, keys, now)
            drafts = _empty_drafts(connection, reviews.c.answer.in_(keys), now, waiting=True)
            gone = connection.execute(delete(traces).where(traces.c.answer.in_(keys))).rowcount
            _erase_excerpts(connection, keys, now)
            _erase_names(connection, names, now)
        return TextsRemoved(messages, gone, drafts)


def _is_pending() -> ColumnElement[bool]:
    """Of a message: an answer that it belongs to still waits for something, or it waits itself."""
    waiting = or_(
        t.answers.c.key.in_(
            select(deferred_evaluations.c.answer).where(
                deferred_evaluations.c.state.in_(("waiting", "running"))
            )
        ),
        t.answers.c.key.in_(select(reviews.c.answer).where(reviews.c.state.not_in(_DONE_REVIEWS))),
        t.answers.c.id.in_(select(outbox.c.answer).where(outbox.c.state.in_(("waiting", "running")))),
    )
    answers = [
        select(column).where(column.is_not(None), waiting)
        for column in (t.answers.c.question_message, t.answers.c.answer_message)
    ]
    unread = select(inbound.c.message_id).where(inbound.c.state.in_(("waiting", "running")))
    return or_(*(_m.key.in_(query) for query in answers), and_(_m.platform_id.in_(unread)))


def _empty_messages(connection: Connection, which: ColumnElement[bool], now: int) -> int:
    values = {"text": None, "deleted_at": now, "updated_at": now}
    return connection.execute(update(t.messages).where(which, _m.text.is_not(None)).values(values)).rowcount


def _empty_drafts(
    connection: Connection, which: ColumnElement[bool], now: int, *, waiting: bool = False
) -> int:
    """What people made of drafts, and replies on their way; those that wait only where told to."""
    chosen = [which] if waiting else [which, reviews.c.state.in_(_DONE_REVIEWS)]
    keys = list(connection.scalars(select(reviews.c.key).where(*chosen)))
    emptied = update(reviews).where(reviews.c.key.in_(keys), reviews.c.edited.is_not(None))
    count = connection.execute(emptied.values(edited=None, updated_at=now)).rowcount
    sent: Select[tuple[int]] = select(outbox.c.key).where(outbox.c.review.in_(keys))
    connection.execute(
        update(outbox)
        .where(outbox.c.key.in_(sent), outbox.c.reply.is_not(None))
        .values(reply=None, updated_at=now)
    )
    connection.execute(
        update(outbox_parts)
        .where(outbox_parts.c.outbox.in_(sent))
        .values(body=None, text=None, updated_at=now)
    )
    return count


def _erase_messages(
    connection: Connection,
    names: Collection[str],
    accounts: Collection[tuple[str, str]],
    answers: Collection[int],
    now: int,
) -> int:
    """Messages by this person and answers to them; whoever wrote is no longer named."""
    written = or_(
        _m.author.in_(names),
        *(and_(_m.channel == channel.split(":")[0], _m.author == account) for channel, account in accounts),
    )
    mine = t.answers.c.key.in_(answers)
    led = or_(
        *(
            _m.key.in_(select(column).where(mine, column.is_not(None)))
            for column in (t.answers.c.question_message, t.answers.c.answer_message)
        )
    )
    count = _empty_messages(connection, or_(written, led), now)
    connection.execute(
        update(t.messages).where(written, _m.direction == "in").values(author=ERASED, updated_at=now)
    )
    return count


def _erase_excerpts(connection: Connection, answers: Collection[int], now: int) -> None:
    statements = update(t.statements).where(t.statements.c.answer.in_(answers))
    connection.execute(statements.values(excerpt="", updated_at=now))
    connection.execute(
        update(outbox)
        .where(outbox.c.answer.in_(select(t.answers.c.id).where(t.answers.c.key.in_(answers))))
        .values(reply=None, updated_at=now)
    )


def _erase_names(connection: Connection, names: Collection[str], now: int) -> None:
    """A labeller keeps a number, so that two people stay two."""
    connection.execute(
        update(t.answers).where(t.answers.c.asked_by.in_(names)).values(asked_by=ERASED, updated_at=now)
    )
    connection.execute(delete(feedback).where(feedback.c.person.in_(names)))
    for column in (reviews.c.asker, reviews.c.decided_by):
        named = update(reviews).where(column.in_(names))
        connection.execute(named.values({column.name: ERASED, "updated_at": now}))
    for column in (audit_log.c.who, audit_log.c.object_id):
        named = update(audit_log).where(column.in_(names))
        connection.execute(named.values({column.name: ERASED, "updated_at": now}))
    rows = connection.scalars(select(labels.c.labeller).where(labels.c.labeller.in_(names)).distinct())
    for name in list(rows):
        first = connection.scalar(
            select(labels.c.key).where(labels.c.labeller == name).order_by(labels.c.key)
        )
        connection.execute(
            update(labels)
            .where(labels.c.labeller == name)
            .values(labeller=f"{ERASED}-{first}", updated_at=now)
        )
