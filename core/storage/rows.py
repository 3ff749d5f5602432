"""Rows of the knowledge tables back into values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.domain import Article, Chunk, Line, Section
from core.storage import tables as t
from core.storage.keys import from_ms

_a, _s, _l, _c = t.articles.c, t.sections.c, t.lines.c, t.chunks.c

ARTICLE = (
    *(_a.id, _a.source, _a.path, _a.uri, _a.title, _a.kind, _a.language, _a.version),
    *(_a.content_at, _a.origin, _a.audience),
)
SECTION = (
    *(_s.ordinal, _s.level, _s.title, _s.parent, _s.breadcrumb, _s.anchor),
    *(_s.page_start, _s.page_end),
)
LINE = (
    *(_l.ordinal, _l.section, _l.kind, _l.text, _l.start_char, _l.end_char),
    *(_l.page, _l.line_start, _l.line_end),
)
CHUNK = (
    *(_c.ordinal, _c.section, _c.text, _c.start_char, _c.end_char, _c.first_line, _c.last_line),
    *(_c.tokens, _c.breadcrumb),
)
"""Columns in the order of the fields of Line, Section and Chunk."""


def to_article(row: Sequence[Any], readers: Mapping[int, frozenset[str]]) -> Article:
    """row: the columns of ARTICLE. readers: by audience."""
    key, source, path, uri, title, kind, language, version, content_at, origin, audience = row
    return Article(
        id=key,
        source=source or "",
        path=path,
        uri=uri,
        title=title,
        kind=kind,
        language=language,
        version=version,
        readers=readers[audience],
        updated_at=from_ms(content_at),
        origin=origin,
    )


def to_section(row: Sequence[Any]) -> Section:
    return Section(*row)


def to_line(row: Sequence[Any]) -> Line:
    return Line(*row)


def to_chunk(row: Sequence[Any]) -> Chunk:
    return Chunk(*row)
