"""FeedbackStore: one opinion of each person about each answer."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, delete, func, select

from core.channel_ports import FeedbackRow
from core.domain import AnswerId, ArticleId
from core.storage import tables as t
from core.storage.channel_tables import feedback
from core.storage.engine import Database, replacing
from core.storage.keys import Clock, from_ms, now_ms, storable, to_ms

_f, _a = feedback.c, t.answers.c


class SqlFeedbackStore:
    """Implements FeedbackStore."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def save(self, row: FeedbackRow) -> bool:
        with self._database.writing() as connection:
            answer = connection.scalar(select(_a.key).where(_a.id == row.answer_id))
            if answer is None:
                return False
            article = connection.scalar(select(t.articles.c.key).where(t.articles.c.id == row.article_id))
            values = {
                "answer": answer,
                "person": storable(row.person),
                "kind": row.kind,
                "article": article,
                "channel": row.channel,
                "created_at": to_ms(row.at),
                "updated_at": self._clock(),
            }
            connection.execute(replacing(connection.dialect.name, feedback), values)
        return True

    def remove(self, answer_id: AnswerId, person: str) -> bool:
        answer = select(_a.key).where(_a.id == answer_id).scalar_subquery()
        mine = and_(_f.answer == answer, _f.person == storable(person))
        with self._database.writing() as connection:
            return connection.execute(delete(feedback).where(mine)).rowcount > 0

    def list_feedback(self, answer_id: AnswerId) -> list[FeedbackRow]:
        query = (
            select(feedback, _a.id.label("answer_id"), t.articles.c.id.label("article_id"))
            .join(t.answers, _a.key == _f.answer)
            .outerjoin(t.articles, t.articles.c.key == _f.article)
            .where(_a.id == answer_id)
            .order_by(_f.created_at, _f.person)
        )
        with self._database.reading() as connection:
            return [_row(row) for row in connection.execute(query)]

    def count_by_article(self) -> dict[ArticleId, int]:
        query = (
            select(t.articles.c.id, func.count())
            .join(feedback, _f.article == t.articles.c.key)
            .group_by(t.articles.c.id)
        )
        with self._database.reading() as connection:
            return {article: int(count) for article, count in connection.execute(query)}


def _row(row: Any) -> FeedbackRow:
    return FeedbackRow(
        row.answer_id, row.person, row.kind, row.article_id, row.channel, from_ms(row.created_at)
    )
