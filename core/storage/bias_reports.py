"""Reads for biases: answers of a period as a sample, with what should not matter to their contribution."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from core.contribution.biases import AnswerFigures
from core.contribution.statements import detect_format
from core.storage import tables as t
from core.storage.engine import Database
from core.storage.keys import day_number
from core.storage.reports import Period
from core.storage.rollup_tables import answer_days
from core.storage.staleness import CARRYING

_a, _s = t.answers.c, t.statements.c
_DAY = 86_400_000
NOT_KEPT = "not kept"
"""In place of the format of an answer whose text is gone."""


class BiasReports:
    """Samples spread evenly over the answers of a period; made-up examples are left out."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def answer_figures(self, period: Period, limit: int) -> list[AnswerFigures]:
        """At most about `limit` answers of which something could be judged."""
        last = select(func.max(_s.end_char)).where(_s.answer == _a.key).scalar_subquery()
        columns = (_a.carried, _a.judged, _a.statements, _a.model, t.messages.c.text, last.label("length"))
        with self._database.reading() as connection:
            keys = _sample(connection, period, limit)
            query = select(*columns).outerjoin(t.messages, t.messages.c.key == _a.answer_message)
            rows = [
                row
                for start in range(0, len(keys), 500)
                for row in connection.execute(query.where(_a.key.in_(keys[start : start + 500])))
            ]
        return [
            AnswerFigures(
                carried=row.carried / row.judged,
                characters=row.length or 0,
                sentences=row.statements,
                format=detect_format(row.text) if row.text else NOT_KEPT,
                model=row.model,
            )
            for row in rows
        ]

    def statements(self, period: Period, limit: int) -> list[list[tuple[str, bool]]]:
        """The judged statements of at most about `limit` answers, in order.

        Each is its text, or the beginning of it, and whether an article carries it.
        """
        found: dict[int, list[tuple[str, bool]]] = {}
        with self._database.reading() as connection:
            keys = _sample(connection, period, limit)
            for start in range(0, len(keys), 500):
                query = select(_s.answer, _s.excerpt, _s.verdict).where(
                    _s.answer.in_(keys[start : start + 500]), _s.verdict != "not_judged"
                )
                for row in connection.execute(query.order_by(_s.answer, _s.ordinal)):
                    found.setdefault(row.answer, []).append((row.excerpt, row.verdict in CARRYING))
        return list(found.values())


def _sample(connection: Connection, period: Period, limit: int) -> Sequence[int]:
    """Keys of answers, every so many-th of the period."""
    first, last = day_number(period.first), day_number(period.last)
    d = answer_days.c
    total = connection.scalar(select(func.sum(d.answers)).where(d.day.between(first, last))) or 0
    step = max(1, -(-int(total) // limit))
    query = select(_a.key).where(
        _a.created_at.between(first * _DAY, (last + 1) * _DAY - 1),
        _a.key % step == 0,
        _a.judged > 0,
        ~_a.example,
    )
    return connection.scalars(query).all()
