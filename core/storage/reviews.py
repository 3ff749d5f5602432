"""ReviewStore: drafts that wait for a person, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, func, select, update

from core.channel_ports import NewReview, Outgoing, Review, ReviewState
from core.domain import AnswerId
from core.storage import tables as t
from core.storage.channel_tables import outbox, outbox_parts, reviews
from core.storage.engine import Database
from core.storage.keys import Clock, from_ms, now_ms, storable, to_ms
from core.storage.message_json import place_from_json
from core.storage.outbox_rows import queue_reply
from core.storage.review_rows import add_review

_r, _a = reviews.c, t.answers.c


class SqlReviewStore:
    """Implements ReviewStore."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def add(self, review: NewReview) -> bool:
        with self._database.writing() as connection:
            return add_review(connection, review, self._clock())

    def get(self, review_id: str) -> Review | None:
        return self._one(_query().where(_r.id == review_id))

    def find_by_answer(self, answer_id: AnswerId) -> Review | None:
        return self._one(_query().where(_a.id == answer_id))

    def list_reviews(self, states: Iterable[ReviewState], limit: int) -> list[Review]:
        query = _query().where(_r.state.in_(list(states))).order_by(_r.key).limit(limit)
        with self._database.reading() as connection:
            return [_review(row) for row in connection.execute(query)]

    def decide(
        self,
        review: Review,
        state: ReviewState,
        who: str,
        edited: str | None = None,
        send: Outgoing | None = None,
    ) -> bool:
        now = self._clock()
        values: dict[str, object] = {
            "state": state,
            "decided_by": storable(who),
            "decided_at": now,
            "version": review.version + 1,
            "error": "",
            "updated_at": now,
        }
        if edited is not None:
            values["edited"] = storable(edited)
        same = and_(_r.id == review.id, _r.version == review.version)
        with self._database.writing() as connection:
            if not connection.execute(update(reviews).where(same).values(values)).rowcount:
                return False
            if send is not None:
                queue_reply(connection, send, now)
        return True

    def sent_parts(self, review_id: str) -> int:
        query = (
            select(func.count())
            .select_from(outbox_parts.join(outbox, outbox_parts.c.outbox == outbox.c.key))
            .join(reviews, outbox.c.review == _r.key)
            .where(_r.id == review_id, outbox_parts.c.state != "waiting")
        )
        with self._database.reading() as connection:
            return int(connection.scalar(query) or 0)

    def expire(self, now: datetime) -> list[Review]:
        late = _query().where(_r.state.in_(("waiting", "taken", "edited")), _r.expires_at < to_ms(now))
        with self._database.reading() as connection:
            found = [_review(row) for row in connection.execute(late)]
        return [review for review in found if self.decide(review, "dismissed", "")]

    def _one(self, query: Select[Any]) -> Review | None:
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else _review(row)


def _query() -> Select[Any]:
    asked, written = t.messages.alias("asked"), t.messages.alias("written")
    return (
        select(
            reviews,
            _a.id.label("answer_id"),
            _a.language,
            asked.c.text.label("question"),
            written.c.text.label("draft"),
        )
        .join(t.answers, _a.key == _r.answer)
        .outerjoin(asked, asked.c.key == _a.question_message)
        .outerjoin(written, written.c.key == _a.answer_message)
    )


def _review(row: Any) -> Review:
    return Review(
        id=row.id,
        answer_id=row.answer_id,
        place=place_from_json(row.place),
        reply_to=row.reply_to,
        asker=row.asker,
        question=row.question or "",
        draft=row.draft or "" if row.edited is None else row.edited,
        edited=row.edited is not None,
        language=row.language,
        state=row.state,
        decided_by=row.decided_by,
        version=row.version,
        error=row.error,
        created_at=from_ms(row.created_at),
        decided_at=None if row.decided_at is None else from_ms(row.decided_at),
        expires_at=from_ms(row.expires_at),
    )
