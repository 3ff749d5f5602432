"""Reads for charts: figures of articles and of answers in a period, from the rollups.

No query here adds up answers, and every one that names articles applies the reader predicate. For the
formulas see `QuadrantRow`; thresholds and advice belong to `core.contribution`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Row, RowMapping, Select, and_, func, select, true

from core.contribution.advice import ArticleFigures
from core.domain import AnswerId, ArticleId
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.access import readable
from core.storage.engine import Database
from core.storage.keys import day_date, day_number, from_ms
from core.storage.rollup_tables import COUNTS, FIGURES, answer_days, article_days
from core.storage.rollups import last_day_until

ANSWERS_NAMED = 3
"""Latest answers that are named as examples of a miss."""


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days in UTC, both inclusive."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class QuadrantRow:
    """One article in a period.

    exposure: answers in whose prompt it stood. contribution: sum of its shares, stale ones left out.
    answers: those it was exposed in or contributed to and that could be judged, stale ones left out.
    rate: contribution / answers, None without answers. retrieved: answers it was found for, in the prompt
    or cut. missed: answers it carried without being exposed. stale: answers it carried with lines that
    are gone. Over the answers in whose prompt it stood, None without any: relevance, the mean of its best
    place; unsupported, the mean share of their statements that nothing carries; others, that which other
    articles carry.
    """

    article_id: ArticleId
    title: str
    removed: bool
    retrieved: int
    exposure: int
    answers: int
    carried: int
    missed: int
    stale: int
    contribution: float
    sole: float
    relevance: float | None = None
    unsupported: float | None = None
    others: float | None = None

    @property
    def rate(self) -> float | None:
        return self.contribution / self.answers if self.answers else None

    @property
    def figures(self) -> ArticleFigures:
        """What advice is derived from."""
        return ArticleFigures(
            retrieved=self.retrieved,
            exposure=self.exposure,
            answers=self.answers,
            missed=self.missed,
            stale=self.stale,
            contribution=self.contribution,
            sole=self.sole,
            relevance=self.relevance,
            unsupported=self.unsupported,
            others=self.others,
        )


@dataclass(frozen=True, slots=True)
class MissedArticle:
    """A retrieval miss. answers: the latest that said what the article says though it was not shown."""

    row: QuadrantRow
    answers: tuple[AnswerId, ...]


@dataclass(frozen=True, slots=True)
class DayFigures:
    """One day of one article; fields as in QuadrantRow."""

    day: date
    retrieved: int
    exposure: int
    answers: int
    carried: int
    missed: int
    stale: int
    contribution: float
    sole: float


@dataclass(frozen=True, slots=True)
class Overview:
    """Answers of a period. statements, judged, carried: statements of all answers together.

    cost_usd: of the answers whose price is known, None when there is none; unpriced: how many have none.
    """

    answers: int
    found: int
    sent: int
    handed_over: int
    statements: int
    judged: int
    carried: int
    input_tokens: int
    output_tokens: int
    unpriced: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """One answer in a list. question is "" once its message is gone."""

    id: AnswerId
    question: str
    channel: str
    language: str
    found: bool
    gate: str
    confidence: float | None
    statements: int
    judged: int
    carried: int
    example: bool
    created_at: datetime


class Reports:
    """Figures as rows; audiences are those that the person looking may read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def quadrant_rows(
        self, period: Period, audiences: Sequence[AudienceId], kinds: Sequence[str] = ()
    ) -> list[QuadrantRow]:
        """Every article that was retrieved or carried anything in the period, by title.

        kinds: of articles; none lets all pass.
        """
        figures = _Figures(period)
        query = figures.query().where(readable(audiences), figures.in_use, _of_kinds(kinds))
        return self._articles(query.order_by(t.articles.c.title, t.articles.c.key))

    def count_hidden(self, period: Period, audiences: Sequence[AudienceId], kinds: Sequence[str] = ()) -> int:
        """How many such articles are not among those that these audiences may read."""
        figures = _Figures(period)
        query = figures.query().where(~readable(audiences), figures.in_use, _of_kinds(kinds))
        with self._database.reading() as connection:
            return connection.scalar(select(func.count()).select_from(query.subquery())) or 0

    def top_articles(self, period: Period, audiences: Sequence[AudienceId], limit: int) -> list[QuadrantRow]:
        """Those with the highest contribution, best first; without contribution an article is not listed."""
        figures = _Figures(period)
        share = figures.of("share")
        query = figures.query().where(readable(audiences), figures.of("carried") > 0)
        return self._articles(query.order_by(share.desc(), t.articles.c.key).limit(limit))

    def unused_articles(self, period: Period, audiences: Sequence[AudienceId]) -> list[QuadrantRow]:
        """Articles that exist now and carried nothing in the period, the most exposed first.

        Their figures say why: never retrieved, retrieved but cut, or exposed and idle.
        """
        figures = _Figures(period)
        live = and_(readable(audiences), t.articles.c.removed_at.is_(None))
        query = figures.query().where(live, figures.of("carried") == 0)
        order = (figures.of("exposed").desc(), figures.of("retrieved").desc(), t.articles.c.title)
        return self._articles(query.order_by(*order))

    def missed_articles(
        self, period: Period, audiences: Sequence[AudienceId], limit: int
    ) -> list[MissedArticle]:
        """Articles that carried answers without being shown, the most missed first."""
        figures = _Figures(period)
        missed = figures.of("missed")
        query = figures.query().where(readable(audiences), missed > 0)
        rows = self._articles(query.order_by(missed.desc(), t.articles.c.key).limit(limit))
        with self._database.reading() as connection:
            return [
                MissedArticle(row, tuple(connection.scalars(_missed_answers(row.article_id, period))))
                for row in rows
            ]

    def article_series(
        self, article_id: ArticleId, period: Period, audiences: Sequence[AudienceId]
    ) -> list[DayFigures]:
        """Days on which the article was retrieved or carried something, oldest first."""
        d = article_days.c
        query = (
            select(d.day, *(d[name] for name in _OF_DAY))
            .join(t.articles, d.article == t.articles.c.key)
            .where(t.articles.c.id == article_id, readable(audiences))
            .where(d.day.between(day_number(period.first), day_number(period.last)))
            .order_by(d.day)
        )
        with self._database.reading() as connection:
            return [DayFigures(day_date(row[0]), *_counts(row[1:])) for row in connection.execute(query)]

    def overview(
        self, period: Period, channels: Sequence[str] = (), languages: Sequence[str] = ()
    ) -> Overview:
        """Counts over the answers of the period. channels, languages: none lets all pass."""
        d = answer_days.c
        query = select(*(func.coalesce(func.sum(d[name]), 0).label(name) for name in COUNTS)).where(
            d.day.between(day_number(period.first), day_number(period.last)),
            *(
                column.in_(chosen)
                for column, chosen in ((d.channel, channels), (d.language, languages))
                if chosen
            ),
        )
        with self._database.reading() as connection:
            return _overview(connection.execute(query).one()._mapping)

    def answer_heads(self, limit: int, offset: int = 0) -> list[AnswerHead]:
        """Latest first."""
        latest = _HEADS.order_by(t.answers.c.created_at.desc(), t.answers.c.key.desc())
        with self._database.reading() as connection:
            return [_head(row._mapping) for row in connection.execute(latest.limit(limit).offset(offset))]

    def _articles(self, query: Select[Any]) -> list[QuadrantRow]:
        with self._database.reading() as connection:
            return [
                QuadrantRow(row[0], row[1], row[2] is not None, *_counts(row[3:-3]), *_means(row))
                for row in connection.execute(query).all()
            ]


class _Figures:
    """Figures of articles in one period, each the difference of two running totals."""

    def __init__(self, period: Period) -> None:
        self._end = article_days.alias("at_end")
        self._start = article_days.alias("before_start")
        self._last, self._before = day_number(period.last), day_number(period.first) - 1

    def of(self, name: str) -> ColumnElement[Any]:
        total = f"{name}_total"
        return func.coalesce(self._end.c[total], 0) - func.coalesce(self._start.c[total], 0)

    @property
    def in_use(self) -> ColumnElement[bool]:
        """Whether the article was retrieved or carried anything."""
        used: ColumnElement[bool] = self.of("retrieved") + self.of("carried") + self.of("stale") > 0
        return used

    def query(self) -> Select[Any]:
        a = t.articles.c
        joined: FromClause = t.articles
        for days, until in ((self._end, self._last), (self._start, self._before)):
            at = and_(days.c.article == a.key, days.c.day == last_day_until(a.key, until))
            joined = joined.outerjoin(days, at)
        figures = (self.of(name).label(name) for name in FIGURES)
        return select(a.id, a.title, a.removed_at, *figures).select_from(joined)


def _of_kinds(kinds: Sequence[str]) -> ColumnElement[bool]:
    return t.articles.c.kind.in_(kinds) if kinds else true()


def _missed_answers(article_id: ArticleId, period: Period) -> Select[tuple[AnswerId]]:
    c = t.contributions.c
    missed = and_(~c.exposed, ~c.stale, c.share > 0)
    return (
        select(t.answers.c.id)
        .join(t.contributions, c.answer == t.answers.c.key)
        .join(t.articles, t.articles.c.key == c.article)
        .where(t.articles.c.id == article_id, missed)
        .where(c.day.between(day_number(period.first), day_number(period.last)))
        .order_by(c.day.desc(), c.answer.desc())
        .limit(ANSWERS_NAMED)
    )


_OF_DAY = tuple(FIGURES)[:-3]
"""Counts and sums; the last three figures are told as means of a period."""


def _counts(row: Sequence[Any]) -> Sequence[Any]:
    """In the order of _OF_DAY, which is that of the fields. Sums lose the noise of their last digits."""
    return (*row[:-2], round(row[-2], 9), round(row[-1], 9))


def _means(row: Row[Any]) -> Iterator[float | None]:
    """Mean relevance over all answers it was shown in, the others over those that could be judged."""
    shown = (row.exposed, row.judged - row.missed, row.judged - row.missed)
    sums = (row.relevance, row.unsupported, row.others)
    return (round(one / count, 9) if count else None for one, count in zip(sums, shown, strict=True))


_a = t.answers.c
_HEADS = select(
    *(_a.id, t.messages.c.text, _a.channel, _a.language, _a.found, _a.gate, _a.confidence),
    *(_a.statements, _a.judged, _a.carried, _a.example, _a.created_at),
).outerjoin(t.messages, t.messages.c.key == _a.question_message)


def _head(row: RowMapping) -> AnswerHead:
    return AnswerHead(
        id=row.id,
        question=row.text or "",
        channel=row.channel,
        language=row.language,
        found=row.found,
        gate=row.gate,
        confidence=row.confidence,
        statements=row.statements,
        judged=row.judged,
        carried=row.carried,
        example=row.example,
        created_at=from_ms(row.created_at),
    )


def _overview(row: RowMapping) -> Overview:
    counts = {name: int(row[name]) for name in COUNTS if name != "cost_usd"}
    unknown = counts["unpriced"] == counts["answers"]
    return Overview(**counts, cost_usd=None if unknown else float(row["cost_usd"]))
