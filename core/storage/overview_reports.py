"""Reads for the overview: opinions and times of answers, and what tells that something needs a person.

Audiences play no part: nothing here names an article or tells a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from sqlalchemy import ColumnElement, Integer, cast, exists, func, select

from core.storage import tables as t
from core.storage.channel_tables import feedback
from core.storage.engine import Database
from core.storage.keys import day_number, from_ms, sampling_step, to_ms
from core.storage.reports import Period
from core.storage.rollup_tables import answer_days

_a, _f, _j = t.answers.c, feedback.c, t.jobs.c
_DAY = 86_400_000


@dataclass(frozen=True, slots=True)
class AnswerScope:
    """Answers of a period; no channel or language lets all pass."""

    period: Period
    channels: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """Work that nobody has taken up. oldest: since when, None without any."""

    count: int
    oldest: datetime | None


class OverviewReports:
    """Figures that no rollup holds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def opinions(self, scope: AnswerScope) -> tuple[int, int]:
        """How many opinions on answers of the scope say that it helped, and how many there are."""
        helped = func.coalesce(func.sum(cast(_f.kind == "helpful", Integer)), 0)
        query = select(helped, func.count()).join(t.answers, _a.key == _f.answer).where(*_within(scope))
        with self._database.reading() as connection:
            yes, count = connection.execute(query).one()
        return int(yes), int(count)

    def median_seconds(self, scope: AnswerScope, limit: int = 500) -> float | None:
        """Of the time that an answer took, on about `limit` answers spread over the scope.

        None where no time is known; imported answers have none.
        """
        d = answer_days.c
        days = d.day.between(day_number(scope.period.first), day_number(scope.period.last))
        with self._database.reading() as connection:
            total = int(connection.scalar(select(func.sum(d.answers)).where(days)) or 0)
            each = _a.key % sampling_step(total, limit) == 0
            query = select(_a.timings_ms).where(*_within(scope), each)
            times = [sum(found.values()) for found in connection.scalars(query) if found]
        return median(times) / 1000 if times else None

    def waiting_work(self, before: datetime) -> WaitingWork:
        """Jobs that have waited since then."""
        waiting = (_j.state == "waiting", _j.created_at < to_ms(before))
        query = select(func.count(), func.min(_j.created_at)).where(*waiting)
        with self._database.reading() as connection:
            count, oldest = connection.execute(query).one()
        return WaitingWork(int(count), None if oldest is None else from_ms(oldest))

    def lacks_vectors(self) -> bool:
        """Whether a chunk has no vector of any model, so that it cannot be found by meaning."""
        c, v, s = t.chunks.c, t.vectors.c, t.span_vectors.c
        packed = exists().where(s.chunk == c.id)
        whole = exists().where(v.embedder == t.embedders.c.key, v.content == c.vector_key)
        query = select(c.id).where(~packed, ~whole.correlate(t.chunks)).limit(1)
        with self._database.reading() as connection:
            return connection.scalar(query) is not None


def _within(scope: AnswerScope) -> Sequence[ColumnElement[bool]]:
    first = day_number(scope.period.first) * _DAY
    after = (day_number(scope.period.last) + 1) * _DAY
    found: list[ColumnElement[bool]] = [_a.created_at >= first, _a.created_at < after]
    chosen = ((_a.channel, scope.channels), (_a.language, scope.languages))
    found.extend(column.in_(values) for column, values in chosen if values)
    return found
