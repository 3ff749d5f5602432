"""How the rows of one article are written, inside a transaction that the store opens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import Connection, RowMapping, Table, delete, func, insert, select, update

from core.domain import ArticleId, Chunk, Line, Section, indexed_text, vector_key
from core.errors import StoreError
from core.ports import ArticleRecord
from core.storage import tables as t
from core.storage.access import ensure_audience
from core.storage.engine import hold, insert_missing
from core.storage.keys import storable, to_ms
from core.storage.staleness import refresh_staleness
from core.storage.vectors import ensure_embedder, write_vectors

_LOCK = 4_102


def write_article(connection: Connection, record: ArticleRecord, now: int) -> int:
    """Insert or replace one article and everything derived from it; returns the new revision."""
    if len(record.chunk_vectors) != len(record.chunks):
        raise ValueError(f"{len(record.chunks)} chunks and {len(record.chunk_vectors)} vectors")
    revision = next_revision(connection)
    article = _write_head(connection, record, now)
    _write_version(connection, article, record.article.version, storable(record.text), now)
    _replace(connection, t.sections, article, (_section_row(s) for s in record.sections), now)
    _replace(connection, t.lines, article, (_line_row(line) for line in record.lines), now)
    refresh_staleness(connection, article, (storable(line.text) for line in record.lines), now)
    keys = _write_chunks(connection, article, record, revision, now)
    embedder = ensure_embedder(connection, record.embedder_id, now)
    write_vectors(connection, embedder, dict(zip(keys, record.chunk_vectors, strict=True)), now)
    if record.section_vectors is not None:
        titles = (vector_key(section_text(section)) for section in record.sections)
        write_vectors(connection, embedder, dict(zip(titles, record.section_vectors, strict=True)), now)
    note_revision(connection, revision, article, "saved", now)
    return revision


def section_text(section: Section) -> str:
    """What the vector of a section stands for."""
    return section.breadcrumb or section.title


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
    connection.execute(delete(t.chunks).where(t.chunks.c.article == row["key"]))
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


def bury_chunks(connection: Connection, chunks: Iterable[int], revision: int, now: int) -> None:
    rows = [{"chunk": chunk, "revision": revision, "updated_at": now} for chunk in chunks]
    if rows:
        connection.execute(insert(t.removed_chunks), rows)


def _write_head(connection: Connection, record: ArticleRecord, now: int) -> int:
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
        "content_at": to_ms(article.updated_at),
        "removed_at": None,
        "updated_at": now,
    }
    known = find_article(connection, article.id)
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


def _write_chunks(
    connection: Connection, article: int, record: ArticleRecord, revision: int, now: int
) -> list[str]:
    """Chunks that read as before keep their id and their place in the indexes; returns content keys."""
    chunks, title = t.chunks, storable(record.article.title)
    before: dict[str, list[tuple[int, int]]] = defaultdict(list)
    query = select(chunks.c.id, chunks.c.vector_key, chunks.c.revision).where(chunks.c.article == article)
    for key, content, since in connection.execute(query.order_by(chunks.c.ordinal.desc())):
        before[content].append((key, since))
    rows = [_chunk_row(title, chunk) for chunk in record.chunks]
    kept, new = [], []
    for row in rows:
        row |= {"article": article, "updated_at": now}
        same = before[str(row["vector_key"])]
        if same:
            row["id"], row["revision"] = same.pop()
            kept.append(row)
        else:
            row["revision"] = revision
            new.append(row)
    bury_chunks(connection, sorted(key for some in before.values() for key, _ in some), revision, now)
    connection.execute(delete(chunks).where(chunks.c.article == article))
    for some in (kept, new):
        if some:
            connection.execute(insert(chunks), some)
    return [str(row["vector_key"]) for row in rows]


def _chunk_row(title: str, chunk: Chunk) -> dict[str, object]:
    row: dict[str, object] = {
        "ordinal": chunk.ordinal,
        "section": chunk.section,
        "text": storable(chunk.text),
        "start_char": chunk.start,
        "end_char": chunk.end,
        "first_line": chunk.first_line,
        "last_line": chunk.last_line,
        "tokens": chunk.tokens,
        "breadcrumb": storable(chunk.breadcrumb),
    }
    return row | {"vector_key": vector_key(storable(indexed_text(title, chunk)))}


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
