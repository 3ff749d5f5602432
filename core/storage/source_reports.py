"""Sources as pages show them: where they are, who may read them, what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from core.domain import ArticleKind
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.access import readable
from core.storage.engine import Database
from core.storage.keys import from_ms

_a, _s = t.articles.c, t.sources.c


@dataclass(frozen=True, slots=True)
class SourceFigures:
    """articles, chunks: live ones that may be read. changed_at: of the latest content, None without any."""

    name: str
    location: str
    kind: ArticleKind
    articles: int
    chunks: int
    changed_at: datetime | None


class SourceReports:
    """Reads sources with their articles."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def figures(self, audiences: Sequence[AudienceId]) -> list[SourceFigures]:
        """Sources that may be read or hold an article that may, by name."""
        held = (
            select(
                _a.source,
                func.count().label("articles"),
                func.sum(_a.chunk_count).label("chunks"),
                func.max(_a.content_at).label("changed_at"),
            )
            .where(_a.removed_at.is_(None), readable(audiences))
            .group_by(_a.source)
            .subquery()
        )
        query = (
            select(_s.name, _s.location, _s.kind, held.c.articles, held.c.chunks, held.c.changed_at)
            .outerjoin(held, held.c.source == _s.name)
            .where(_s.audience.in_(list(audiences)) | held.c.articles.is_not(None))
            .order_by(_s.name)
        )
        with self._database.reading() as connection:
            return [
                SourceFigures(
                    *(row.name, row.location, row.kind, int(row.articles or 0), int(row.chunks or 0)),
                    None if row.changed_at is None else from_ms(row.changed_at),
                )
                for row in connection.execute(query)
            ]
