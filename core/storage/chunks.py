"""How the chunks of one article are written: those that read as before keep their id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from core.domain import Chunk, ChunkId, indexed_text, vector_key
from core.ports import ArticleRecord
from core.storage import tables as t
from core.storage.keys import storable

_c = t.chunks.c


@dataclass(frozen=True, slots=True)
class WrittenChunk:
    """Where a chunk of the record went; vector_key: content key of its indexed text."""

    id: ChunkId
    vector_key: str


def write_chunks(
    connection: Connection, article: int, record: ArticleRecord, revision: int, now: int
) -> list[WrittenChunk]:
    """In the order of the record. A kept chunk stays in the indexes untouched, a new one joins them."""
    rows = [
        _row(storable(record.article.title), chunk) | {"article": article, "updated_at": now}
        for chunk in record.chunks
    ]
    spare = _present(connection, article)
    kept = {place: same.pop() for place, row in enumerate(rows) if (same := spare[str(row["vector_key"])])}
    gone = sorted(chunk for chunks in spare.values() for chunk in chunks)
    bury_chunks(connection, gone, revision, now)
    delete_chunks(connection, gone)
    if kept:
        connection.execute(_UPDATE, [rows[place] | {"of_id": chunk} for place, chunk in kept.items()])
    new = [row | {"revision": revision} for place, row in enumerate(rows) if place not in kept]
    made = iter(connection.scalars(_INSERT, new).all() if new else ())
    return [
        WrittenChunk(kept[place] if place in kept else next(made), str(row["vector_key"]))
        for place, row in enumerate(rows)
    ]


def bury_chunks(connection: Connection, chunks: Iterable[ChunkId], revision: int, now: int) -> None:
    """Tell every index to drop them."""
    rows = [{"chunk": chunk, "revision": revision, "updated_at": now} for chunk in chunks]
    if rows:
        connection.execute(insert(t.removed_chunks), rows)


def delete_chunks(connection: Connection, chunks: Sequence[ChunkId]) -> None:
    if chunks:
        connection.execute(_DELETE, [{"of_id": chunk} for chunk in chunks])


def _present(connection: Connection, article: int) -> dict[str, list[ChunkId]]:
    """Ids by content key, the first of the article last, so that `pop` gives them in order."""
    found: dict[str, list[ChunkId]] = defaultdict(list)
    query = select(_c.id, _c.vector_key).where(_c.article == article).order_by(_c.ordinal.desc())
    for chunk, content in connection.execute(query):
        found[content].append(chunk)
    return found


def _row(title: str, chunk: Chunk) -> dict[str, object]:
    return {
        "ordinal": chunk.ordinal,
        "section": chunk.section,
        "text": storable(chunk.text),
        "start_char": chunk.start,
        "end_char": chunk.end,
        "first_line": chunk.first_line,
        "last_line": chunk.last_line,
        "tokens": chunk.tokens,
        "breadcrumb": storable(chunk.breadcrumb),
        "vector_key": vector_key(storable(indexed_text(title, chunk))),
    }


_KEPT = ("ordinal", "section", "text", "start_char", "end_char", "first_line", "last_line", "tokens")
_UPDATE = (
    update(t.chunks)
    .where(_c.id == bindparam("of_id"))
    .values({name: bindparam(name) for name in (*_KEPT, "breadcrumb", "updated_at")})
)
_INSERT = insert(t.chunks).returning(_c.id, sort_by_parameter_order=True)
_DELETE = delete(t.chunks).where(_c.id == bindparam("of_id"))
