"""Where lines that carried a statement stand in their file today: page and line as a person counts them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import and_, or_, select

from core.domain import ArticleId
from core.storage import tables as t
from core.storage.engine import Database

LineKey = tuple[ArticleId, str, int]
"""Article, its version, ordinal of the line."""


@dataclass(frozen=True, slots=True)
class LinePlace:
    """page: None where the format has none. line: of the file, or of the page."""

    page: int | None
    line: int


def find_places(database: Database, lines: Iterable[LineKey]) -> dict[LineKey, LinePlace]:
    """Those whose article still has this version; a line of an older one may stand elsewhere by now."""
    wanted: dict[tuple[ArticleId, str], set[int]] = {}
    for article_id, version, ordinal in lines:
        wanted.setdefault((article_id, version), set()).add(ordinal)
    if not wanted:
        return {}
    a, n = t.articles.c, t.lines.c
    these = or_(
        *(
            and_(a.id == article_id, a.version == version, n.ordinal.in_(sorted(ordinals)))
            for (article_id, version), ordinals in wanted.items()
        )
    )
    query = select(a.id, a.version, n.ordinal, n.page, n.line_start).join(t.lines, n.article == a.key)
    with database.reading() as connection:
        return {
            (row.id, row.version, row.ordinal): LinePlace(row.page, row.line_start)
            for row in connection.execute(query.where(these))
        }
