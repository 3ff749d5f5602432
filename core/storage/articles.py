"""How the rows of one article are written, inside a transaction that the store opens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import Connection, RowMapping, Table, delete, func, insert, select, update

from core.domain import ArticleId, Line, Section
from core.errors import StoreError
from core.ports import ArticleRecord
from core.storage import tables as t
from core.storage.access import ensure_audience
from core.storage.chunks import bury_chunks, delete_chunks, write_chunks
from core.storage.engine import hold, insert_missing
from core.storage.keys import storable, to_ms
from core.storage.staleness import refresh_staleness
from core.storage.vectors import ensure_embedder, write_spans, write_vectors

_LOCK = 4_102


def write_article(connection: Connection, record: ArticleRecord, now: int) -> int:
    """Insert or replace one article and everything derived from it; returns the new revision."""
    count = len(record.chunks)
    if len(record.chunk_vectors) != count or len(record.span_vectors) not in (0, count):
        raise ValueError(f"{record.article.id} has {count} chunks and another number of vectors")
    revision = next_revision(connection)
    before = find_article(connection, record.article.id)
    article = _write_head(connection, record, before, now)
    _write_version(connection, article, record.article.version, storable(record.text), now)
    _replace(connection, t.sections, article, (_section_row(s) for s in record.sections), now)
    _replace(connection, t.lines, article, (_line_row(line) for line in record.lines), now)
    refresh_staleness(connection, article, (storable(line.text) for line in record.lines), now)
    if before is not None and before["settings_hash"] != record.settings_hash:
        _forget_spans(connection, article)
    chunks = write_chunks(connection, article, record, revision, now)
    embedder = ensure_embedder(connection, record.embedder_id, now)
    keys = (chunk.vector_key for chunk in chunks)
    write_vectors(connection, embedder, dict(zip(keys, record.chunk_vectors, strict=True)), now)
    if record.span_vectors:
        ids = (chunk.id for chunk in chunks)
        write_spans(connection, embedder, dict(zip(ids, record.span_vectors, strict=True)), now)
    note_revision(connection, revision, article, "saved", now)
    return revision


def next_revision(connection: Connection) -> int:
    """Taken by one writer at a time and to its end, so that revisions become visible in their order."""
    hold(connection, _LOCK)
    return current_revision(connection) + 1


def current_revision(connection: Connection) -> int:
    return connection.scalar(select(func.max(t.revisions.c.revision))) or 0


def note_revision(connection: Connection, revision: int, article: int, change: str, now: int) -> None:
    connection.execute(
        insert(t.revisions),
        {"revision": revision, "article": article, "change": change, "updated_at": now},
    )


def find_article(connection: Connection, article_id: ArticleId) -> RowMapping | None:
    query = select(t.articles).where(t.articles.c.id == article_id)
    return connection.execute(query).mappings().first()


def need_article(connection: Connection, article_id: ArticleId) -> RowMapping:
    found = find_article(connection, article_id)
    if found is None:
        raise StoreError(f"There is no article {article_id}; ingest it first.")
    return found


def retire_article(connection: Connection, article_id: ArticleId, at: datetime, now: int) -> int:
    """Take its chunks away; its text, lines and past stay. Without effect when it is removed already."""
    revision = next_revision(connection)
    row = need_article(connection, article_id)
    if row["removed_at"] is not None:
        return revision - 1
    gone = connection.scalars(select(t.chunks.c.id).where(t.chunks.c.article == row["key"])).all()
    bury_chunks(connection, gone, revision, now)
    delete_chunks(connection, gone)
    change_article(connection, row["key"], {"removed_at": to_ms(at), "updated_at": now})
    note_revision(connection, revision, row["key"], "removed", now)
    return revision


def change_readers(connection: Connection, article_id: ArticleId, readers: Iterable[str], now: int) -> int:
    """Every chunk leaves the indexes for its old audience and comes back for the new one."""
    revision = next_revision(connection)
    row = need_article(connection, article_id)
    audience = ensure_audience(connection, readers, now)
    if audience == row["audience"]:
        return revision - 1
    kept = connection.scalars(select(t.chunks.c.id).where(t.chunks.c.article == row["key"])).all()
    bury_chunks(connection, kept, revision, now)
    moved = {"revision": revision, "updated_at": now}
    connection.execute(update(t.chunks).where(t.chunks.c.article == row["key"]).values(moved))
    change_article(connection, row["key"], {"audience": audience, "updated_at": now})
    note_revision(connection, revision, row["key"], "readers", now)
    return revision


def change_article(connection: Connection, article: int, values: Mapping[str, object]) -> None:
    connection.execute(update(t.articles).where(t.articles.c.key == article).values(values))


def _write_head(connection: Connection, record: ArticleRecord, known: RowMapping | None, now: int) -> int:
    article = record.article
    values: dict[str, object] = {
        "source": article.source or None,
        "path": article.path,
        "uri": article.uri,
        "title": storable(article.title),
        "kind": article.kind,
        "language": article.language,
        "version": article.version,
        "content_hash": record.content_hash,
        "size": record.size,
        "modified_ns": record.modified_ns,
        "settings_hash": record.settings_hash,
        "origin": article.origin,
        "chunk_count": len(record.chunks),
        "line_count": len(record.lines),
        "content_at": to_ms(article.updated_at),
        "removed_at": None,
        "updated_at": now,
    }
    if known is not None and known["source"] is not None:
        change_article(connection, known["key"], values)
        return int(known["key"])
    values["audience"] = ensure_audience(connection, article.readers, now)
    if known is not None:
        change_article(connection, known["key"], values)
        return int(known["key"])
    values |= {"id": article.id, "created_at": now}
    return int(connection.scalars(insert(t.articles).values(values).returning(t.articles.c.key)).one())


def _write_version(connection: Connection, article: int, version: str, text: str, now: int) -> None:
    versions = t.article_versions
    old = update(versions).where(versions.c.article == article, versions.c.version != version)
    connection.execute(old.where(versions.c.text.is_not(None)).values(text=None, updated_at=now))
    ensure_version(connection, article, version, now)
    this = update(versions).where(versions.c.article == article, versions.c.version == version)
    connection.execute(this.values(text=text, updated_at=now))


def ensure_version(connection: Connection, article: int, version: str, now: int) -> None:
    row = {"article": article, "version": version, "text": None, "created_at": now, "updated_at": now}
    insert_missing(connection, t.article_versions, [row])


def _replace(
    connection: Connection, table: Table, article: int, rows: Iterable[dict[str, object]], now: int
) -> None:
    connection.execute(delete(table).where(table.c.article == article))
    complete = [row | {"article": article, "updated_at": now} for row in rows]
    if complete:
        connection.execute(insert(table), complete)


def _forget_spans(connection: Connection, article: int) -> None:
    """Lines may be cut otherwise now: what any model made of them no longer fits."""
    chunks = select(t.chunks.c.id).where(t.chunks.c.article == article)
    connection.execute(delete(t.span_vectors).where(t.span_vectors.c.chunk.in_(chunks)))


def _section_row(section: Section) -> dict[str, object]:
    return {
        "ordinal": section.ordinal,
        "level": section.level,
        "title": storable(section.title),
        "parent": section.parent,
        "breadcrumb": storable(section.breadcrumb),
        "anchor": section.anchor,
        "page_start": section.page_start,
        "page_end": section.page_end,
    }


def _line_row(line: Line) -> dict[str, object]:
    return {
        "ordinal": line.ordinal,
        "section": line.section,
        "kind": line.kind,
        "text": storable(line.text),
        "start_char": line.start,
        "end_char": line.end,
        "page": line.page,
        "line_start": line.line_start,
        "line_end": line.line_end,
    }
