"""Figures per article and day with running totals, and counts per day, kept with every answer.

The figures of any period are the difference of two rows of an article, so that no chart has to add up
its answers. `tables.FIGURES` says what each figure means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Insert,
    ScalarSelect,
    Table,
    and_,
    bindparam,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from core.storage import tables as t
from core.storage.tables import COUNTS, FIGURES

_d = t.article_days.c


def figures_of(row: Mapping[str, Any]) -> dict[str, float]:
    """What one row of the mapping adds to the figures of its article."""
    share, sole, exposed, stale = row["share"], row["sole_share"], row["exposed"], row["stale"]
    current = share is not None and not stale
    carried = current and share > 0
    return {
        "retrieved": 1,
        "exposed": int(exposed),
        "judged": int(current and (exposed or carried)),
        "carried": int(carried),
        "missed": int(carried and not exposed),
        "stale": int(stale),
        "share": share if current else 0.0,
        "sole_share": sole if current and sole is not None else 0.0,
    }


def add_article_figures(
    connection: Connection, mapping: Sequence[Mapping[str, Any]], day: int, now: int
) -> None:
    """Add the mapping rows of one answer; totals of later days move along when it comes late."""
    added = {row["article"]: figures_of(row) for row in mapping}
    if not added:
        return
    totals = _totals(connection, list(added), day)
    rows = []
    for article, figures in added.items():
        before = totals.get(article, _NOTHING)
        sums = {f"{name}_total": before[name] + value for name, value in figures.items()}
        rows.append({"article": article, "day": day, "updated_at": now, **figures, **sums})
    connection.execute(_adding(connection.dialect.name, t.article_days, tuple(FIGURES)), rows)
    later = select(_d.article).where(_d.article.in_(added), _d.day > day).distinct()
    behind = [
        {"of_article": article, "of_day": day, "of_now": now}
        | {f"add_{name}": value for name, value in added[article].items()}
        for article in connection.scalars(later)
    ]
    if behind:
        connection.execute(_MOVE_TOTALS, behind)


def add_answer_figures(connection: Connection, counts: Mapping[str, object], now: int) -> None:
    """counts: day, channel, language and every name of `tables.COUNTS`."""
    statement = _adding(connection.dialect.name, t.answer_days, tuple(COUNTS))
    connection.execute(statement, [{**counts, "updated_at": now}])


def last_day_until(article: ColumnElement[int], day: int) -> ScalarSelect[int]:
    """The last day up to `day` on which the article has a row; its totals hold until the next one."""
    older = t.article_days.alias("older")
    found = select(func.max(older.c.day)).where(older.c.article == article, older.c.day <= day)
    return found.correlate_except(older).scalar_subquery()


_NOTHING = dict.fromkeys(FIGURES, 0)

_MOVE_TOTALS = (
    update(t.article_days)
    .where(_d.article == bindparam("of_article"), _d.day > bindparam("of_day"))
    .values(
        {f"{name}_total": _d[f"{name}_total"] + bindparam(f"add_{name}") for name in FIGURES}
        | {"updated_at": bindparam("of_now")}
    )
)


def _totals(connection: Connection, articles: list[int], day: int) -> dict[int, dict[str, float]]:
    a = t.articles.c.key
    query = (
        select(_d.article, *(_d[f"{name}_total"].label(name) for name in FIGURES))
        .select_from(t.articles)
        .join(t.article_days, and_(_d.article == a, _d.day == last_day_until(a, day)))
        .where(a.in_(articles))
    )
    return {row.article: {name: getattr(row, name) for name in FIGURES} for row in connection.execute(query)}


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
