"""Reads for the page of one article: its lines with what they carried, its versions, the answers it carried.

An article that the person looking may not read is told apart by nothing from one that does not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, func, select

from core.domain import AnswerId, ArticleId
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.access import readable
from core.storage.engine import Database
from core.storage.keys import day_number, from_ms, text_hash
from core.storage.reports import Period
from core.storage.staleness import CARRYING

_a, _c, _e = t.articles.c, t.contributions.c, t.line_excerpts.c
_l, _s, _v = t.lines.c, t.supports.c, t.article_versions.c
HEAT_ANSWERS = 20_000
"""Latest answers whose statements are counted line by line; more would take seconds."""


@dataclass(frozen=True, slots=True)
class ArticleHead:
    """What an article is. changed_at: when its content last changed, as its source tells."""

    id: ArticleId
    title: str
    uri: str
    language: str
    version: str
    changed_at: datetime
    removed: bool
    line_count: int


@dataclass(frozen=True, slots=True)
class HeatedLine:
    """One line of the article as it is now.

    statements: how many statements of the period it carried; lines of the same text share them. line_start
    is counted from 1.
    """

    ordinal: int
    kind: str
    text: str
    page: int | None
    line_start: int
    statements: int


@dataclass(frozen=True, slots=True)
class LostLine:
    """A line that carried statements of the period and is no longer in the article."""

    excerpt: str
    statements: int
    gone_at: datetime


@dataclass(frozen=True, slots=True)
class Heat:
    """Some lines in their order, and those that are gone, the strongest first.

    most: the highest count of any line of the whole article; warm: how many of its lines carried something.
    """

    lines: tuple[HeatedLine, ...]
    lost: tuple[LostLine, ...]
    most: int
    warm: int


@dataclass(frozen=True, slots=True)
class ArticleVersion:
    """A version that was ingested or that an answer was measured against."""

    version: str
    seen_at: datetime
    current: bool


@dataclass(frozen=True, slots=True)
class CarriedAnswer:
    """An answer that the article carried. stale: with lines that are gone. exposed: it had been shown."""

    id: AnswerId
    share: float
    sole: float
    exposed: bool
    stale: bool


class ArticleReports:
    """One article at a time; audiences are those that the person looking may read."""

    def __init__(self, database: Database, heat_answers: int = HEAT_ANSWERS) -> None:
        self._database = database
        self._heat_answers = heat_answers

    def head(self, article_id: ArticleId, audiences: Sequence[AudienceId]) -> ArticleHead | None:
        """None if there is no such article that may be read."""
        columns = (_a.id, _a.title, _a.uri, _a.language, _a.version, _a.content_at, _a.removed_at)
        query = select(*columns, _a.line_count).where(_a.id == article_id, readable(audiences))
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        return None if row is None else _head(row)

    def heat(
        self,
        article_id: ArticleId,
        period: Period,
        audiences: Sequence[AudienceId],
        window: tuple[int, int],
    ) -> Heat:
        """window: how many lines to skip, and how many to read at most.

        The latest HEAT_ANSWERS answers that the article carried in the period are counted.
        """
        skip, limit = window
        with self._database.reading() as connection:
            article = _key(connection, article_id, audiences)
            if article is None:
                return Heat((), (), 0, 0)
            counts = _counts(connection, article, period, self._heat_answers)
            gone = _gone(connection, article)
            lines = connection.execute(
                select(_l.ordinal, _l.kind, _l.text, _l.page, _l.line_start)
                .where(_l.article == article)
                .order_by(_l.ordinal)
                .limit(limit)
                .offset(skip)
            ).all()
        kept = [count for key, count in counts.items() if key not in gone]
        lost = [
            LostLine(excerpt, counts[key], from_ms(gone_at))
            for key, (excerpt, gone_at) in gone.items()
            if key in counts
        ]
        return Heat(
            lines=tuple(HeatedLine(*row, counts.get(text_hash(row.text), 0)) for row in lines),
            lost=tuple(sorted(lost, key=lambda one: (-one.statements, one.excerpt))),
            most=max(kept, default=0),
            warm=len(kept),
        )

    def versions(
        self, article_id: ArticleId, audiences: Sequence[AudienceId], limit: int
    ) -> list[ArticleVersion]:
        """Latest first."""
        query = (
            select(_v.version, _v.created_at, (_v.version == _a.version).label("current"))
            .join(t.articles, _v.article == _a.key)
            .where(_a.id == article_id, readable(audiences))
            .order_by(_v.created_at.desc(), _v.key.desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            return [
                ArticleVersion(row.version, from_ms(row.created_at), bool(row.current))
                for row in connection.execute(query)
            ]

    def carried_answers(
        self, article_id: ArticleId, period: Period, audiences: Sequence[AudienceId], limit: int
    ) -> list[CarriedAnswer]:
        """Latest first."""
        query = (
            select(t.answers.c.id, _c.share, _c.sole_share, _c.exposed, _c.stale)
            .join(t.answers, t.answers.c.key == _c.answer)
            .join(t.articles, _a.key == _c.article)
            .where(_a.id == article_id, readable(audiences), _c.share > 0, _in_period(period))
            .order_by(_c.day.desc(), _c.answer.desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            return [
                CarriedAnswer(row.id, row.share, row.sole_share or 0.0, bool(row.exposed), bool(row.stale))
                for row in connection.execute(query)
            ]


def _key(connection: Connection, article_id: ArticleId, audiences: Sequence[AudienceId]) -> int | None:
    return connection.scalar(select(_a.key).where(_a.id == article_id, readable(audiences)))


def _counts(connection: Connection, article: int, period: Period, answers: int) -> dict[int, int]:
    """Hash of a line -> statements of the period that it carried."""
    latest = (
        select(_c.answer)
        .where(_c.article == article, _in_period(period), _c.share > 0)
        .order_by(_c.day.desc(), _c.answer.desc())
        .limit(answers)
        .subquery()
    )
    query = (
        select(_s.line_hash, func.count().label("statements"))
        .select_from(latest)
        .join(t.supports, and_(_s.answer == latest.c.answer, _s.article == article))
        .where(_s.verdict.in_(CARRYING), _s.line_hash.is_not(None))
        .group_by(_s.line_hash)
    )
    return {row.line_hash: row.statements for row in connection.execute(query)}


def _gone(connection: Connection, article: int) -> dict[int, tuple[str, int]]:
    """Hash of a line that the article lost -> its excerpt and when."""
    query = select(_e.line_hash, _e.excerpt, _e.gone_at).where(_e.article == article, _e.gone_at.is_not(None))
    return {row.line_hash: (row.excerpt, row.gone_at) for row in connection.execute(query)}


def _in_period(period: Period) -> ColumnElement[bool]:
    return _c.day.between(day_number(period.first), day_number(period.last))


def _head(row: RowMapping) -> ArticleHead:
    return ArticleHead(
        id=row["id"],
        title=row["title"],
        uri=row["uri"],
        language=row["language"],
        version=row["version"],
        changed_at=from_ms(row["content_at"]),
        removed=row["removed_at"] is not None,
        line_count=row["line_count"],
    )
