"""Reads for biases: answers of a period as a sample, with what should not matter to their contribution."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, and_, bindparam, exists, func, select

from core.contribution.biases import AnswerFigures
from core.contribution.correctness import Opinion
from core.contribution.statements import detect_format
from core.storage import tables as t
from core.storage.channel_tables import feedback
from core.storage.engine import Database
from core.storage.keys import day_number, sampling_step
from core.storage.reports import Period
from core.storage.rollup_tables import answer_days
from core.storage.staleness import CARRYING

_a, _s, _c, _f = t.answers.c, t.statements.c, t.contributions.c, feedback.c
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

    def opinions(self, period: Period, limit: int) -> list[Opinion]:
        """What people said of at most `limit` answers of a period, the latest first."""
        first, last = day_number(period.first) * _DAY, (day_number(period.last) + 1) * _DAY - 1
        kinds: dict[int, list[str]] = {}
        wrong: dict[int, list[bool]] = {}
        with self._database.reading() as connection:
            answers = connection.execute(_WITH_OPINION, {"first": first, "last": last, "most": limit}).all()
            keys = [row.key for row in answers]
            for start in range(0, len(keys), 500):
                for row in connection.execute(_OPINIONS, {"of_answers": keys[start : start + 500]}):
                    kinds.setdefault(row.answer, []).append(row.kind)
                    if row.article is not None:
                        wrong.setdefault(row.answer, []).append((row.share or 0.0) > 0)
        return [
            Opinion(
                carried=row.carried / row.judged if row.judged else None,
                helpful=kinds[row.key].count("helpful"),
                not_helpful=len(kinds[row.key]) - kinds[row.key].count("helpful"),
                wrong_sources=tuple(wrong.get(row.key, ())),
            )
            for row in answers
        ]


_WITH_OPINION = (
    select(_a.key, _a.carried, _a.judged)
    .where(_a.created_at.between(bindparam("first"), bindparam("last")), ~_a.example)
    .where(exists().where(_f.answer == _a.key))
    .order_by(_a.created_at.desc())
    .limit(bindparam("most"))
)
_OPINIONS = (
    select(_f.answer, _f.kind, _f.article, _c.share)
    .outerjoin(t.contributions, and_(_c.answer == _f.answer, _c.article == _f.article))
    .where(_f.answer.in_(bindparam("of_answers", expanding=True)))
)


def _sample(connection: Connection, period: Period, limit: int) -> Sequence[int]:
    """Keys of answers, every so many-th of the period."""
    first, last = day_number(period.first), day_number(period.last)
    d = answer_days.c
    total = connection.scalar(select(func.sum(d.answers)).where(d.day.between(first, last))) or 0
    step = sampling_step(int(total), limit)
    query = select(_a.key).where(
        _a.created_at.between(first * _DAY, (last + 1) * _DAY - 1),
        _a.key % step == 0,
        _a.judged > 0,
        ~_a.example,
    )
    return connection.scalars(query).all()
