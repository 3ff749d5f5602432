"""The tables of articles, as detectors scan them: loaded once for each version of an article, and kept."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from core.domain import ArticleId, Chunk, ChunkId, Line, Section, vector_key
from core.ports import KnowledgeStore, Services, Vector, Vectors
from core.rag.anchors.tables import DocumentTables, TableVectors, Unit, build_tables
from core.rag.spans import LINES_FROM, compose_chunk_vector, unpack_rows

KEPT_LINES = 40_000
"""Lines of all tables that are kept: about 80 MB with vectors of 512 numbers."""

Key = tuple[ArticleId, str, str]
"""Article, version and embedding model, "" without vectors."""


class TableCache:
    """The tables used last, up to KEPT_LINES lines together; one document is always kept."""

    def __init__(self, limit: int = KEPT_LINES) -> None:
        self._limit = limit
        self._kept: OrderedDict[Key, DocumentTables] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> DocumentTables | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Key, tables: DocumentTables) -> None:
        """Keep it, and nothing of other versions of the same article."""
        with self._lock:
            for stale in [old for old in self._kept if old[0] == key[0] and old != key]:
                del self._kept[stale]
            self._kept[key] = tables
            while len(self._kept) > 1 and self._lines() > self._limit:
                self._kept.popitem(last=False)

    def _lines(self) -> int:
        return sum(len(tables.lines) for tables in self._kept.values())


_caches: WeakKeyDictionary[KnowledgeStore, TableCache] = WeakKeyDictionary()


async def load_tables(services: Services, article_id: ArticleId) -> DocumentTables | None:
    """Tables of the article as it is now; None when it is gone or has no lines."""
    article = await asyncio.to_thread(services.knowledge.get_article, article_id)
    if article is None:
        return None
    cache = _caches.setdefault(services.knowledge, TableCache())
    compared = services.settings.rag.anchors.embeddings
    key = (article.id, article.version, services.embedder.id if compared else "")
    tables = cache.get(key)
    if tables is not None:
        return replace(tables, article=article)
    knowledge = services.knowledge
    sections = await asyncio.to_thread(knowledge.article_sections, article_id)
    lines = await asyncio.to_thread(knowledge.article_lines, article_id)
    if not lines or not sections:
        return None
    chunks = await asyncio.to_thread(knowledge.article_chunks, article_id)
    ordered = sorted(chunks.values(), key=lambda chunk: chunk.ordinal)
    tables = await asyncio.to_thread(build_tables, article, sections, lines, ordered)
    if compared:
        tables = await _add_vectors(services, tables, chunks)
    cache.put(key, tables)
    return tables


async def keep_vectors_for_anchors(
    services: Services, sections: Sequence[Section], lines: Sequence[Line]
) -> None:
    """What anchors compare beside the vectors of chunks, made at ingest: of titles, and of lines where the
    settings ask for them and the model embeds whole chunks. Nothing where anchors compare no meaning."""
    settings = services.settings.rag
    if settings.mode == "hybrid" or not settings.anchors.embeddings:
        return
    await keep_vectors(services, [section.title for section in sections])
    if settings.anchors.line_vectors and not services.embedder.embeds_lines:
        await keep_vectors(services, [line.text for line in lines])


async def keep_vectors(services: Services, texts: Sequence[str]) -> Vectors:
    """(n, dimensions) of the texts; what this model has not seen is embedded and kept."""
    keys = [vector_key(text) for text in texts]
    embedder, store = services.embedder, services.knowledge
    known = await asyncio.to_thread(store.known_vectors, embedder.id, keys)
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        rows = await embedder.embed_passages(list(missing.values()))
        made = dict(zip(missing, rows, strict=True))
        await asyncio.to_thread(store.save_vectors, embedder.id, made)
        known = {**known, **made}
    return np.array([known[key] for key in keys], dtype=np.float32)


async def _add_vectors(
    services: Services, tables: DocumentTables, chunks: Mapping[ChunkId, Chunk]
) -> DocumentTables:
    """Vectors that were made at ingest: of titles; of lines where there are any, else of chunks."""
    titles = await keep_vectors(services, [section.title for section in tables.sections])
    if services.settings.rag.anchors.line_vectors and not services.embedder.embeds_lines:
        lines = await keep_vectors(services, [line.text for line in tables.lines])
        headings = {i: titles[tables.lines[u.lines[0]].section] for i, u in enumerate(tables.units)}
        units = await asyncio.to_thread(_compose_units, tables, lines, headings)
        return replace(tables, vectors=TableVectors(titles, lines, units))
    return await asyncio.to_thread(_add_stored, services, tables, chunks, titles)


def _add_stored(
    services: Services, tables: DocumentTables, chunks: Mapping[ChunkId, Chunk], titles: Vectors
) -> DocumentTables:
    packed = services.knowledge.span_vectors(services.embedder.id, list(chunks))
    dimensions = services.embedder.dimensions
    if chunks and all(packed.get(chunk_id) for chunk_id in chunks):
        blocks = [(chunk, unpack_rows(packed[chunk_id], dimensions)) for chunk_id, chunk in chunks.items()]
        lines, units = _from_blocks(tables, blocks)
        return replace(tables, vectors=TableVectors(titles, lines, units))
    rows = services.vector.vectors(list(chunks))
    by_chunk = list(zip(chunks.values(), rows, strict=True))
    units = np.array([_mean(by_chunk, unit, dimensions) for unit in tables.units], dtype=np.float32)
    return replace(tables, vectors=TableVectors(titles, None, units))


def _from_blocks(tables: DocumentTables, blocks: Sequence[tuple[Chunk, Vectors]]) -> tuple[Vectors, Vectors]:
    """Rows of all lines and of all units. A unit without a chunk of its own has no heading to lean on."""
    lines = np.zeros((len(tables.lines), blocks[0][1].shape[1]), dtype=np.float32)
    headings: dict[int, Vector] = {}
    for chunk, rows in blocks:
        lines[chunk.first_line : chunk.last_line + 1] = rows[LINES_FROM:]
        headings.setdefault(int(tables.unit_of[chunk.first_line]), rows[0])
    return lines, _compose_units(tables, lines, headings)


def _compose_units(tables: DocumentTables, lines: Vectors, headings: Mapping[int, Vector]) -> Vectors:
    """headings: by index of the unit."""
    none: Vector = np.zeros(lines.shape[1], dtype=np.float32)
    units = [
        compose_chunk_vector(
            headings.get(index, none),
            lines[list(unit.lines)],
            [len(tables.lines[line].text) for line in unit.lines],
        )
        for index, unit in enumerate(tables.units)
    ]
    return np.array(units, dtype=np.float32)


def _mean(by_chunk: Sequence[tuple[Chunk, Vectors]], unit: Unit, dimensions: int) -> Vectors:
    """Direction of the chunks that touch a unit; zeros where there is none."""
    first, last = unit.lines[0], unit.lines[-1]
    touching = [row for chunk, row in by_chunk if chunk.first_line <= last and chunk.last_line >= first]
    total = np.sum(touching, axis=0) if touching else np.zeros(dimensions)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length > 1e-9 else total, dtype=np.float32)
