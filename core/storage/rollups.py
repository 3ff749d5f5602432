"""Figures per article and day with running totals, and counts per day, kept with every answer.

The figures of any period are the difference of two rows of an article, so that no chart has to add up
its answers. `rollup_tables.FIGURES` says what each figure means.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Double,
    Insert,
    Integer,
    RowMapping,
    ScalarSelect,
    Table,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from core.storage import tables as t
from core.storage.rollup_tables import COUNTS, FIGURES, answer_days, article_days
from core.storage.schema import Big

_c, _d = t.contributions.c, article_days.c


Figures = Mapping[str, Any] | RowMapping
"""Of one article: every name of `rollup_tables.FIGURES`."""


def add_article_figures(connection: Connection, answer: int, day: int, now: int) -> None:
    """Add the mapping rows of one answer; totals of later days move along when it comes late."""
    added = {row.article: row._mapping for row in connection.execute(_ADDED, {"of_answer": answer})}
    _add(connection, day, added, now)


def article_figures(connection: Connection, first: int, last: int) -> dict[int, dict[int, Figures]]:
    """Day -> article -> what the mapping rows of the answers with these keys, both inclusive, add up to."""
    figures: dict[int, dict[int, Figures]] = {}
    for row in connection.execute(_OF_RANGE, {"first": first, "last": last}):
        figures.setdefault(row.day, {})[row.article] = row._mapping
    return figures


def move_article_figures(
    connection: Connection,
    before: Mapping[int, Mapping[int, Figures]],
    after: Mapping[int, Mapping[int, Figures]],
    now: int,
) -> None:
    """Take away what mapping rows added up to before they were changed, and add what they do now."""
    for day in sorted(before.keys() | after.keys()):
        old, new = before.get(day, {}), after.get(day, {})
        changes = {article: _difference(old.get(article), new.get(article)) for article in old.keys() | new}
        _add(connection, day, {article: one for article, one in changes.items() if any(one.values())}, now)


def _difference(old: Figures | None, new: Figures | None) -> dict[str, Any]:
    was, is_now = old if old is not None else _NOTHING, new if new is not None else _NOTHING
    return {name: is_now[name] - was[name] for name in FIGURES}


def _add(connection: Connection, day: int, added: Mapping[int, Figures], now: int) -> None:
    """added: article -> what its figures of the day grow by."""
    if not added:
        return
    which = {"articles": list(added), "until": day}
    totals = {row.article: row._mapping for row in connection.execute(_TOTALS, which)}
    rows = []
    for article, figures in added.items():
        before = totals.get(article, _NOTHING)
        sums = {f"{name}_total": before[name] + figures[name] for name in FIGURES}
        rows.append({**{name: figures[name] for name in FIGURES}, "article": article} | sums)
        rows[-1] |= {"day": day, "updated_at": now}
    connection.execute(_adding(connection.dialect.name, article_days, tuple(FIGURES)), rows)
    behind = [
        {"of_article": article, "of_day": day, "of_now": now}
        | {f"add_{name}": added[article][name] for name in FIGURES}
        for article in connection.scalars(_LATER, which)
    ]
    if behind:
        connection.execute(_MOVE_TOTALS, behind)


def rebuild_article_figures(connection: Connection, now: int, article: int | None = None) -> None:
    """Count the mapping again, of one article or of all."""
    one = true() if article is None else _c.article == article
    connection.execute(delete(article_days).where(true() if article is None else _d.article == article))
    days = select(_c.article, _c.day, *_FIGURES).where(one).group_by(_c.article, _c.day).subquery()
    article_key, day = days.c.article, days.c.day
    totals = (
        func.sum(days.c[name]).over(partition_by=article_key, order_by=day).label(f"{name}_total")
        for name in FIGURES
    )
    counted = select(days, *totals, literal(now).label("updated_at"))
    connection.execute(insert(article_days).from_select(counted.selected_columns.keys(), counted))


def add_answer_figures(connection: Connection, counts: Mapping[str, object], now: int) -> None:
    """counts: day, channel, language and every name of `rollup_tables.COUNTS`."""
    statement = _adding(connection.dialect.name, answer_days, tuple(COUNTS))
    connection.execute(statement, [{**counts, "updated_at": now}])


def last_day_until(article: ColumnElement[int], day: int | BindParameter[int]) -> ScalarSelect[int]:
    """The last day up to `day` on which the article has a row; its totals hold until the next one."""
    older = article_days.alias("older")
    found = select(func.max(older.c.day)).where(older.c.article == article, older.c.day <= day)
    return found.correlate_except(older).scalar_subquery()


_current = and_(_c.share.is_not(None), ~_c.stale)
_carried = and_(_current, _c.share > 0)


def _number_of(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return cast(func.sum(case((condition, 1), else_=0)), Big)


_x, _s = t.exposures.c, t.statements.c
_carried_share = (
    select(
        cast(func.sum(case((_s.verdict.in_(("supported", "uncited")), 1), else_=0)), Double) / func.count()
    )
    .where(_s.answer == _c.answer, _s.verdict != "not_judged")
    .correlate(t.contributions)
    .scalar_subquery()
)
"""Of the judged statements of an answer, those that any article carries; NULL without any."""
_relevance = (
    select(func.max(_x.relevance))
    .where(_x.answer == _c.answer, _x.article == _c.article, _x.in_prompt)
    .correlate(t.contributions)
    .scalar_subquery()
)
_shown = and_(_c.exposed, _current)


def _sum_of(column: ColumnElement[float]) -> ColumnElement[float]:
    return func.sum(case((_current, func.coalesce(column, 0.0)), else_=0.0))


_EXPRESSIONS: dict[str, ColumnElement[Any]] = {
    "retrieved": _number_of(_c.retrieved),
    "exposed": _number_of(_c.exposed),
    "judged": _number_of(and_(_current, or_(_c.exposed, _c.share > 0))),
    "carried": _number_of(_carried),
    "missed": _number_of(and_(_carried, ~_c.exposed)),
    "stale": _number_of(_c.stale),
    "share": _sum_of(_c.share),
    "sole_share": _sum_of(_c.sole_share),
    "relevance": func.sum(case((_c.exposed, func.coalesce(_relevance, 0.0)), else_=0.0)),
    "unsupported": func.sum(case((_shown, 1.0 - func.coalesce(_carried_share, 0.0)), else_=0.0)),
    "others": func.sum(
        case((_shown, func.coalesce(_carried_share, 0.0) - func.coalesce(_c.sole_share, 0.0)), else_=0.0)
    ),
}
"""What rows of the mapping add up to, grouped by article: `rollup_tables.FIGURES` in SQL."""

_FIGURES = tuple(_EXPRESSIONS[name].label(name) for name in FIGURES)

_NOTHING = dict.fromkeys(FIGURES, 0)

_MOVE_TOTALS = (
    update(article_days)
    .where(_d.article == bindparam("of_article"), _d.day > bindparam("of_day"))
    .values(
        {f"{name}_total": _d[f"{name}_total"] + bindparam(f"add_{name}") for name in FIGURES}
        | {"updated_at": bindparam("of_now")}
    )
)


_OF_RANGE = (
    select(_c.article, _c.day, *_FIGURES)
    .where(_c.answer.between(bindparam("first"), bindparam("last")))
    .group_by(_c.article, _c.day)
)
_ADDED = select(_c.article, *_FIGURES).where(_c.answer == bindparam("of_answer")).group_by(_c.article)
_THESE: BindParameter[int] = bindparam("articles", expanding=True)
_UNTIL = bindparam("until", type_=Integer)
_LATER = select(_d.article).where(_d.article.in_(_THESE), _d.day > _UNTIL).distinct()
_TOTALS = (
    select(_d.article, *(_d[f"{name}_total"].label(name) for name in FIGURES))
    .select_from(t.articles)
    .join(
        article_days, and_(_d.article == t.articles.c.key, _d.day == last_day_until(t.articles.c.key, _UNTIL))
    )
    .where(t.articles.c.key.in_(_THESE))
)
"""Built once, since they run with every answer."""


@cache
def _adding(dialect: str, table: Table, names: tuple[str, ...]) -> Insert:
    """Insert a row, or add its figures to the row of the same key; totals grow by the same figures."""
    new = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    sums = {name: table.c[name] + new.excluded[name] for name in names}
    sums |= {
        f"{name}_total": table.c[f"{name}_total"] + new.excluded[name]
        for name in names
        if f"{name}_total" in table.c
    }
    return new.on_conflict_do_update(
        index_elements=list(table.primary_key.columns), set_=sums | {"updated_at": new.excluded.updated_at}
    )
