"""Reads of gaps for people: named, counted per week, open or closed, within what the person may see.

An item is shown to whoever is in all the groups that the person asking was in: one who could have been given
the same answer. Names, counts and states are made of these items alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

import numpy as np
from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, exists, func, select

from core.contribution.gap_items import QUESTION
from core.contribution.gaps import CLOSED_SHARE, find_typical
from core.domain import PUBLIC, AnswerId, ArticleId, Principal
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.access import readable, readable_audiences
from core.storage.engine import Database
from core.storage.gap_tables import gap_items, gap_supports
from core.storage.gaps import TEXT, counts_still, with_texts
from core.storage.keys import day_date, day_number, from_ms
from core.storage.vectors import unpack

GapState = Literal["open", "reopened", "closed"]
NAMED_BY = 100
"""Latest items of a gap among which its name is chosen."""
DAYS_BEFORE_MONDAY = 3
"""1970 began on a Thursday: this many days after a Monday."""

_i, _s = gap_items.c, gap_supports.c


@dataclass(frozen=True, slots=True)
class Week:
    """monday: UTC. items: questions and statements of that week."""

    monday: date
    items: int


@dataclass(frozen=True, slots=True)
class GapHead:
    """A gap as a person may see it. name: its most typical text. items: all of them, in `answers` answers;
    questions: those that are unanswered questions. recent: items of the period; weeks: the same by week,
    oldest first. closed_at: when the last article arrived that closed it."""

    id: int
    name: str
    state: GapState
    items: int
    questions: int
    answers: int
    recent: int
    weeks: tuple[Week, ...]
    first_at: datetime
    last_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class GapSource:
    """An article that supports an item, as far as the person may read it."""

    article_id: ArticleId
    title: str
    probability: float


@dataclass(frozen=True, slots=True)
class GapEntry:
    """One text of a gap. kind: of what; supported: the articles that arrived later and support it."""

    text: str
    kind: Literal["question", "statement"]
    answer_id: AnswerId
    channel: str
    language: str
    example: bool
    at: datetime
    is_closed: bool
    supported: tuple[GapSource, ...]


@dataclass(frozen=True, slots=True)
class GapList:
    """gaps: open and reopened ones before closed ones, the most frequent of the period first. left_out: gaps
    of the period beyond the limit. not_shown: items of the period that the person may not see."""

    gaps: tuple[GapHead, ...]
    left_out: int
    not_shown: int


class GapReports:
    """What one person may see of the gaps."""

    def __init__(self, database: Database, principal: Principal) -> None:
        self._database = database
        self._principal = principal

    def gaps(self, until: date, weeks: int, limit: int = 100) -> GapList:
        """Those with an item in the `weeks` calendar weeks up to the one of `until`, Mondays in UTC."""
        first = until - timedelta(days=until.weekday() + 7 * (weeks - 1))
        since, end = day_number(first) * _DAY, (day_number(until) + 1) * _DAY
        with self._database.reading() as connection:
            mine = _i.audience.in_(self._visible(connection))
            period = and_(_i.created_at >= since, _i.created_at < end)
            counts = _weekly(connection, mine, period)
            hidden = connection.scalar(_counted(func.count()).where(period, ~mine)) or 0
            rows = _totals(connection, mine, list(counts))
            ordered = sorted(
                rows, key=lambda row: (_state(row) == "closed", -sum(counts[row.gap].values()), row.gap)
            )
            names = _names(connection, mine, [row.gap for row in ordered[:limit]])
        heads = [_head(row, names[row.gap], counts[row.gap]) for row in ordered if row.gap in names]
        return GapList(tuple(heads), max(0, len(ordered) - limit), hidden)

    def gap(self, number: int, until: date, weeks: int) -> GapHead | None:
        """One gap, also one without items in the period; None where the person may see nothing of it."""
        first = until - timedelta(days=until.weekday() + 7 * (weeks - 1))
        with self._database.reading() as connection:
            mine = _i.audience.in_(self._visible(connection))
            period = and_(_i.created_at >= day_number(first) * _DAY, _i.gap == number)
            counts = _weekly(connection, mine, period).get(number, {})
            rows = _totals(connection, mine, [number])
            names = _names(connection, mine, [number])
        return _head(rows[0], names[number], counts) if names else None

    def entries(self, number: int, limit: int = 200) -> list[GapEntry]:
        """Texts of a gap, latest first."""
        a = t.answers.c
        columns = (
            _i.key,
            _i.statement,
            _i.supported_at,
            a.id,
            a.channel,
            a.language,
            a.example,
            a.created_at,
        )
        with self._database.reading() as connection:
            mine = _i.audience.in_(self._visible(connection))
            query = with_texts(*columns, _i.created_at).where(
                _i.gap == number, mine, counts_still, TEXT.is_not(None)
            )
            rows = connection.execute(query.order_by(_i.created_at.desc(), _i.key.desc()).limit(limit)).all()
            audiences = readable_audiences(connection, self._principal)
            sources = _sources(connection, [row.key for row in rows], audiences)
        return [_entry(row, tuple(sources.get(row.key, ()))) for row in rows]

    def _visible(self, connection: Connection) -> list[AudienceId]:
        """Audiences of which the person is in every group."""
        g = t.audience_groups.c
        groups = sorted(self._principal.groups | {PUBLIC})
        member = exists().where(g.audience == t.audiences.c.key)
        outside = exists().where(g.audience == t.audiences.c.key, g.reader_group.not_in(groups))
        return list(connection.scalars(select(t.audiences.c.key).where(member, ~outside)))


_DAY = 86_400_000


def _counted(*columns: ColumnElement[Any]) -> Select[Any]:
    """Items that still are, with a text and in a gap."""
    return (
        with_texts(*columns)
        .with_only_columns(*columns)
        .where(_i.gap.is_not(None), counts_still, TEXT.is_not(None))
    )


def _weekly(
    connection: Connection, mine: ColumnElement[bool], period: ColumnElement[bool]
) -> dict[int, dict[date, int]]:
    """gap -> Monday -> items."""
    week = ((_i.created_at // _DAY + DAYS_BEFORE_MONDAY) // 7).label("week")
    query = _counted(_i.gap, week, func.count().label("items")).where(mine, period).group_by(_i.gap, week)
    counts: dict[int, dict[date, int]] = {}
    for row in connection.execute(query.order_by(_i.gap, week)):
        counts.setdefault(row.gap, {})[day_date(row.week * 7 - DAYS_BEFORE_MONDAY)] = row.items
    return counts


def _totals(connection: Connection, mine: ColumnElement[bool], numbers: Sequence[int]) -> list[Row[Any]]:
    columns = (
        _i.gap,
        func.count().label("items"),
        func.sum(case((_i.statement == QUESTION, 1), else_=0)).label("questions"),
        func.count(_i.answer.distinct()).label("answers"),
        func.count(_i.supported_at).label("supported"),
        func.max(_i.supported_at).label("closed_at"),
        func.max(_i.lost_at).label("lost_at"),
        func.min(_i.created_at).label("first_at"),
        func.max(_i.created_at).label("last_at"),
    )
    rows: list[Row[Any]] = []
    for start in range(0, len(numbers), 500):
        some = numbers[start : start + 500]
        rows += connection.execute(_counted(*columns).where(mine, _i.gap.in_(some)).group_by(_i.gap)).all()
    return rows


def _state(row: Row[Any]) -> GapState:
    if row.supported >= CLOSED_SHARE * row.items:
        return "closed"
    return "open" if row.lost_at is None else "reopened"


def _names(connection: Connection, mine: ColumnElement[bool], numbers: Sequence[int]) -> dict[int, str]:
    """The most typical text of each gap, among its latest ones."""
    place = func.row_number().over(partition_by=_i.gap, order_by=(_i.created_at.desc(), _i.key.desc()))
    latest = _counted(_i.key, place.label("place")).where(mine, _i.gap.in_(numbers)).subquery()
    query = with_texts(_i.gap, _i.vector, _i.embedder).join(latest, latest.c.key == _i.key)
    found: dict[int, list[Row[Any]]] = {}
    for row in connection.execute(query.where(latest.c.place <= NAMED_BY).order_by(_i.created_at, _i.key)):
        found.setdefault(row.gap, []).append(row)
    return {gap: _name(rows) for gap, rows in found.items()}


def _name(rows: Sequence[Row[Any]]) -> str:
    """Vectors of different models are not compared: those of the latest item's model choose."""
    same = [row for row in rows if row.embedder == rows[-1].embedder]
    vectors = np.array([unpack(row.vector) for row in same], dtype=np.float32)
    return str(same[find_typical(vectors)].text)


def _sources(
    connection: Connection, items: Sequence[int], audiences: Sequence[AudienceId]
) -> dict[int, list[GapSource]]:
    a = t.articles.c
    query = (
        select(_s.item, a.id, a.title, _s.probability)
        .join(t.articles, a.key == _s.article)
        .where(_s.item.in_(items), readable(audiences))
        .order_by(_s.probability.desc(), a.key)
    )
    found: dict[int, list[GapSource]] = {}
    for row in connection.execute(query):
        found.setdefault(row.item, []).append(GapSource(row.id, row.title, row.probability))
    return found


def _head(row: Row[Any], name: str, counts: dict[date, int]) -> GapHead:
    state = _state(row)
    return GapHead(
        id=row.gap,
        name=name,
        state=state,
        items=row.items,
        questions=row.questions,
        answers=row.answers,
        recent=sum(counts.values()),
        weeks=tuple(Week(monday, items) for monday, items in counts.items()),
        first_at=from_ms(row.first_at),
        last_at=from_ms(row.last_at),
        closed_at=from_ms(row.closed_at) if state == "closed" else None,
    )


def _entry(row: Row[Any], supported: tuple[GapSource, ...]) -> GapEntry:
    return GapEntry(
        text=row.text,
        kind="question" if row.statement == QUESTION else "statement",
        answer_id=row.id,
        channel=row.channel,
        language=row.language,
        example=row.example,
        at=from_ms(row.created_at),
        is_closed=row.supported_at is not None,
        supported=supported,
    )
