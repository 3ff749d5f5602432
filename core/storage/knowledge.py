"""KnowledgeStore: sources, articles and what is derived from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, bindparam, func, or_, select, update

from core.domain import Article, ArticleId, Chunk, ChunkId, Line, Principal, Section
from core.ports import (
    ArticleRecord,
    AudienceId,
    FileState,
    IndexDelta,
    IndexEntry,
    KnowledgeCounts,
    SourceRecord,
    StoredChunk,
    Vector,
)
from core.storage import articles, rows, vectors
from core.storage import tables as t
from core.storage.access import ReaderSets, ensure_audience, readable, readable_audiences
from core.storage.engine import Database, insert_missing
from core.storage.keys import Clock, now_ms


class SqlKnowledgeStore:
    """Implements KnowledgeStore; every method is one transaction."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock
        self._readers = ReaderSets()

    # --- sources -----------------------------------------------------------------------------------

    def save_source(self, source: SourceRecord) -> SourceRecord:
        now = self._clock()
        with self._database.writing() as connection:
            values = {
                "location": source.location,
                "kind": source.kind,
                "audience": ensure_audience(connection, source.readers, now),
                "updated_at": now,
            }
            new = values | {"name": source.name, "created_at": now}
            insert_missing(connection, t.sources, [new])
            connection.execute(update(t.sources).where(t.sources.c.name == source.name).values(values))
        return source

    def sources(self) -> list[SourceRecord]:
        """By name."""
        columns = (t.sources.c.name, t.sources.c.location, t.sources.c.kind, t.sources.c.audience)
        with self._database.reading() as connection:
            found = connection.execute(select(*columns).order_by(t.sources.c.name)).all()
            readers = self._readers.of(connection, (row.audience for row in found))
            return [SourceRecord(name, place, kind, readers[who]) for name, place, kind, who in found]

    def file_states(self, source: str) -> dict[str, FileState]:
        """A path that was removed and written anew under another id tells of the new article."""
        a = t.articles.c
        columns = (
            *(a.path, a.id, a.content_hash, a.size, a.modified_ns, a.origin, a.settings_hash),
            a.removed_at,
        )
        query = select(*columns).where(a.source == source).order_by(a.removed_at.is_(None), a.key)
        with self._database.reading() as connection:
            return {
                path: FileState(key, path, content, size, modified, origin, settings, removed is not None)
                for path, key, content, size, modified, origin, settings, removed in connection.execute(query)
            }

    # --- articles ----------------------------------------------------------------------------------

    def save_article(self, record: ArticleRecord) -> int:
        with self._database.writing() as connection:
            return articles.write_article(connection, record, self._clock())

    def touch_article(self, article_id: ArticleId, *, size: int, modified_ns: int) -> None:
        with self._database.writing() as connection:
            key = articles.need_article(connection, article_id)["key"]
            values = {"size": size, "modified_ns": modified_ns, "updated_at": self._clock()}
            articles.change_article(connection, key, values)

    def move_article(self, article_id: ArticleId, path: str, uri: str) -> int:
        now = self._clock()
        with self._database.writing() as connection:
            revision = articles.next_revision(connection)
            key = articles.need_article(connection, article_id)["key"]
            articles.change_article(connection, key, {"path": path, "uri": uri, "updated_at": now})
            articles.note_revision(connection, revision, key, "moved", now)
            return revision

    def remove_article(self, article_id: ArticleId, at: datetime) -> int:
        with self._database.writing() as connection:
            return articles.retire_article(connection, article_id, at, self._clock())

    def set_readers(self, article_id: ArticleId, readers: Iterable[str]) -> int:
        """The only way to change who may read a known article; returns the revision."""
        with self._database.writing() as connection:
            return articles.change_readers(connection, article_id, readers, self._clock())

    def get_article(self, article_id: ArticleId) -> Article | None:
        """Removed articles too: their past still names them."""
        query = select(*rows.ARTICLE).where(t.articles.c.id == article_id)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
            return row and rows.to_article(row, self._readers.of(connection, [row.audience]))

    def article_text(self, article_id: ArticleId) -> str | None:
        """Of the latest version."""
        versions = t.article_versions.c
        query = (
            select(versions.text)
            .join(
                t.articles,
                and_(versions.article == t.articles.c.key, versions.version == t.articles.c.version),
            )
            .where(t.articles.c.id == article_id)
        )
        with self._database.reading() as connection:
            return connection.scalar(query)

    def article_sections(self, article_id: ArticleId) -> tuple[Section, ...]:
        query = _of_article(select(*rows.SECTION), t.sections, article_id)
        with self._database.reading() as connection:
            return tuple(rows.to_section(row) for row in connection.execute(query))

    def article_lines(self, article_id: ArticleId) -> tuple[Line, ...]:
        query = _of_article(select(*rows.LINE), t.lines, article_id)
        with self._database.reading() as connection:
            return tuple(rows.to_line(row) for row in connection.execute(query))

    # --- reading by search -------------------------------------------------------------------------

    def readable_audiences(self, principal: Principal) -> list[AudienceId]:
        with self._database.reading() as connection:
            return readable_audiences(connection, principal)

    def load_chunks(
        self, chunk_ids: Sequence[ChunkId], audiences: Sequence[AudienceId]
    ) -> dict[ChunkId, StoredChunk]:
        """In the order asked for."""
        with self._database.reading() as connection:
            wanted = {"ids": list(chunk_ids), "audiences": list(audiences)}
            heads = {row[0]: row for row in connection.execute(_HEADS, wanted).all()}
            bodies: dict[ChunkId, list[Line]] = {chunk_id: [] for chunk_id in heads}
            for row in connection.execute(_BODIES, {"ids": list(heads)}).all():
                bodies[row[0]].append(rows.to_line(row[1:]))
            readers = self._readers.of(connection, {row[_AUDIENCE] for row in heads.values()})
        return {
            chunk_id: StoredChunk(
                chunk_id=chunk_id,
                article=rows.to_article(head[1:_AFTER_ARTICLE], readers),
                chunk=rows.to_chunk(head[_AFTER_ARTICLE:_AFTER_CHUNK]),
                section=rows.to_section(head[_AFTER_CHUNK:]),
                lines=tuple(bodies[chunk_id]),
            )
            for chunk_id, head in ((one, heads[one]) for one in chunk_ids if one in heads)
        }

    # --- deriving indexes --------------------------------------------------------------------------

    def delta_since(self, revision: int, embedder_id: str, limit: int) -> IndexDelta:
        """Whole revisions only, at least one; delta.revision == revision means that nothing is left.

        A smaller delta.revision means that the database is not the one the index was built from.
        """
        with self._database.reading() as connection:
            current = articles.current_revision(connection)
            if current <= revision:
                return IndexDelta((), (), current)
            upto = _page_end(connection, revision, limit, current)
            embedder = vectors.find_embedder(connection, embedder_id)
            gone = (
                select(t.removed_chunks.c.chunk).where(_between(t.removed_chunks, revision, upto)).distinct()
            )
            removed = (
                () if revision == 0 else tuple(connection.scalars(gone.order_by(t.removed_chunks.c.chunk)))
            )
            entries = tuple(
                IndexEntry(
                    chunk_id=chunk_id,
                    audience=audience,
                    text=f"{breadcrumb or title}\n{text}",
                    vector=None if stored is None else vectors.unpack(stored),
                )
                for chunk_id, audience, breadcrumb, title, text, stored in connection.execute(
                    _entries(embedder).where(_between(t.chunks, revision, upto))
                )
            )
        return IndexDelta(removed, entries, upto)

    def counts(self, audiences: Sequence[AudienceId] | None = None) -> KnowledgeCounts:
        """audiences: count only what these may read; None counts all, for whoever runs Kiyo."""
        live: list[ColumnElement[bool]] = [t.articles.c.removed_at.is_(None)]
        if audiences is not None:
            live.append(readable(audiences))
        a = t.articles.c
        sums = (func.coalesce(func.sum(column), 0) for column in (a.chunk_count, a.line_count))
        with self._database.reading() as connection:
            heads, chunks, lines = connection.execute(select(func.count(), *sums).where(*live)).one()
            return KnowledgeCounts(heads, int(chunks), int(lines), articles.current_revision(connection))

    def revision(self) -> int:
        """The newest revision alone, at the price of one look-up."""
        with self._database.reading() as connection:
            return articles.current_revision(connection)

    # --- vectors -----------------------------------------------------------------------------------

    def known_vectors(self, embedder_id: str, keys: Sequence[str]) -> dict[str, Vector]:
        with self._database.reading() as connection:
            embedder = vectors.find_embedder(connection, embedder_id)
            return {} if embedder is None else vectors.read_vectors(connection, embedder, keys)

    def save_vectors(self, embedder_id: str, vectors_by_key: Mapping[str, Vector]) -> None:
        """Raises no revision: an index that took chunks up without a vector is built again from 0."""
        now = self._clock()
        with self._database.writing() as connection:
            embedder = vectors.ensure_embedder(connection, embedder_id, now)
            vectors.write_vectors(connection, embedder, vectors_by_key, now)

    def span_vectors(self, embedder_id: str, chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, bytes]:
        with self._database.reading() as connection:
            return vectors.read_spans(connection, embedder_id, chunk_ids)

    def save_span_vectors(self, embedder_id: str, packed: Mapping[ChunkId, bytes]) -> None:
        """Before `save_vectors` of the same chunks, since those without vectors are what is looked for.

        Chunks that are gone meanwhile are left out.
        """
        now = self._clock()
        with self._database.writing() as connection:
            embedder = vectors.ensure_embedder(connection, embedder_id, now)
            vectors.write_spans(connection, embedder, packed, now)

    def articles_without_vectors(self, embedder_id: str, *, spans: bool, limit: int) -> list[ArticleId]:
        """In the order of their ids."""
        with self._database.reading() as connection:
            embedder = vectors.find_embedder(connection, embedder_id)
            a, c, v, s = t.articles.c, t.chunks.c, t.vectors.c, t.span_vectors.c
            missing: ColumnElement[bool] = v.content.is_(None)
            query = (
                select(a.id)
                .join(t.chunks, c.article == a.key)
                .outerjoin(t.vectors, and_(v.embedder == embedder, v.content == c.vector_key))
            )
            if spans:
                query = query.outerjoin(t.span_vectors, and_(s.embedder == embedder, s.chunk == c.id))
                missing = or_(missing, s.chunk.is_(None))
            query = query.where(a.removed_at.is_(None), missing).distinct().order_by(a.id)
            return list(connection.scalars(query.limit(limit)))

    def article_chunks(self, article_id: ArticleId) -> dict[ChunkId, Chunk]:
        query = _of_article(select(t.chunks.c.id, *rows.CHUNK), t.chunks, article_id)
        with self._database.reading() as connection:
            return {row[0]: rows.to_chunk(row[1:]) for row in connection.execute(query)}


_WANTED = t.chunks.c.id.in_(bindparam("ids", expanding=True))
_HEADS = (
    select(t.chunks.c.id, *rows.ARTICLE, *rows.CHUNK, *rows.SECTION)
    .join(t.articles, t.chunks.c.article == t.articles.c.key)
    .join(
        t.sections,
        and_(t.sections.c.article == t.chunks.c.article, t.sections.c.ordinal == t.chunks.c.section),
    )
    .where(_WANTED, readable(bindparam("audiences", expanding=True)))
)
_BODIES = (
    select(t.chunks.c.id, *rows.LINE)
    .join(
        t.lines,
        and_(
            t.lines.c.article == t.chunks.c.article,
            t.lines.c.ordinal.between(t.chunks.c.first_line, t.chunks.c.last_line),
        ),
    )
    .where(_WANTED)
    .order_by(t.chunks.c.id, t.lines.c.ordinal)
)
"""Built once, since they are read with every question."""

_AFTER_ARTICLE = 1 + len(rows.ARTICLE)
_AFTER_CHUNK = _AFTER_ARTICLE + len(rows.CHUNK)
_AUDIENCE = len(rows.ARTICLE)


def _of_article(query: Select[Any], table: Table, article_id: ArticleId) -> Select[Any]:
    joined = query.join(t.articles, table.c.article == t.articles.c.key)
    return joined.where(t.articles.c.id == article_id).order_by(table.c.ordinal)


def _entries(embedder: int | None) -> Select[Any]:
    """Live chunks with their vector of this model, if any."""
    c, a, v = t.chunks.c, t.articles.c, t.vectors.c
    return (
        select(c.id, a.audience, c.breadcrumb, a.title, c.text, v.vector)
        .join(t.articles, c.article == a.key)
        .outerjoin(t.vectors, and_(v.embedder == embedder, v.content == c.vector_key))
        .order_by(c.revision, c.id)
    )


def _between(table: Table, after: int, upto: int) -> ColumnElement[bool]:
    return and_(table.c.revision > after, table.c.revision <= upto)


def _page_end(connection: Connection, revision: int, limit: int, current: int) -> int:
    """The last revision of a page of about `limit` chunks; one revision is never torn apart."""
    column = t.chunks.c.revision
    ahead = select(column).where(column > revision).order_by(column)
    beyond = connection.scalar(ahead.offset(limit).limit(1))
    if beyond is None:
        return current
    first = connection.scalars(ahead.limit(1)).one()
    return int(max(first, beyond - 1))
