"""Vectors by the content they stand for, in float16: half the size, and ranks do not move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, select

from core.domain import ChunkId
from core.ports import Vector
from core.storage import tables as t
from core.storage.engine import insert_missing, replacing

_STORED = np.dtype("<f2")
_KEYS_PER_QUERY = 500


def pack(vector: NDArray[np.floating[Any]]) -> bytes:
    return np.asarray(vector, dtype=_STORED).tobytes()


def unpack(stored: bytes) -> Vector:
    """(dimensions,) float32, unit length again after rounding; all zero stays all zero."""
    vector = np.frombuffer(stored, dtype=_STORED).astype(np.float32)
    length = float(np.sqrt(vector @ vector))
    return vector / length if length else vector


def ensure_embedder(connection: Connection, embedder_id: str, now: int) -> int:
    found = find_embedder(connection, embedder_id)
    if found is not None:
        return found
    insert_missing(connection, t.embedders, [{"id": embedder_id, "updated_at": now}])
    return int(connection.scalars(select(t.embedders.c.key).where(t.embedders.c.id == embedder_id)).one())


def find_embedder(connection: Connection, embedder_id: str) -> int | None:
    return connection.scalar(select(t.embedders.c.key).where(t.embedders.c.id == embedder_id))


def write_vectors(connection: Connection, embedder: int, vectors: Mapping[str, Vector], now: int) -> None:
    """Vectors that are stored already stay as they are: equal content has an equal vector."""
    rows = [
        {"embedder": embedder, "content": key, "vector": pack(vector), "updated_at": now}
        for key, vector in vectors.items()
    ]
    insert_missing(connection, t.vectors, rows)


def read_vectors(connection: Connection, embedder: int, keys: Iterable[str]) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    wanted = list(dict.fromkeys(keys))
    for start in range(0, len(wanted), _KEYS_PER_QUERY):
        some = wanted[start : start + _KEYS_PER_QUERY]
        query = select(t.vectors.c.content, t.vectors.c.vector).where(
            t.vectors.c.embedder == embedder, t.vectors.c.content.in_(some)
        )
        for key, stored in connection.execute(query):
            found[key] = unpack(stored)
    return found


def write_spans(connection: Connection, embedder: int, packed: Mapping[ChunkId, bytes], now: int) -> None:
    """In place of what is stored for these chunks; those that no longer exist are left out."""
    wanted = list(packed)
    for start in range(0, len(wanted), _KEYS_PER_QUERY):
        some = wanted[start : start + _KEYS_PER_QUERY]
        rows = [
            {"embedder": embedder, "chunk": chunk, "packed": packed[chunk], "updated_at": now}
            for chunk in connection.scalars(select(t.chunks.c.id).where(t.chunks.c.id.in_(some)))
        ]
        if rows:
            connection.execute(replacing(connection.dialect.name, t.span_vectors), rows)


def read_spans(connection: Connection, embedder_id: str, chunks: Sequence[ChunkId]) -> dict[ChunkId, bytes]:
    found: dict[ChunkId, bytes] = {}
    for start in range(0, len(chunks), _KEYS_PER_QUERY):
        some = chunks[start : start + _KEYS_PER_QUERY]
        rows = connection.execute(_SPANS, {"of_model": embedder_id, "of_chunks": some}).all()
        found.update((chunk, bytes(packed)) for chunk, packed in rows)
    return found


_SPANS = (
    select(t.span_vectors.c.chunk, t.span_vectors.c.packed)
    .join(t.embedders, t.span_vectors.c.embedder == t.embedders.c.key)
    .where(t.embedders.c.id == bindparam("of_model"))
    .where(t.span_vectors.c.chunk.in_(bindparam("of_chunks", expanding=True)))
)
"""Built once, since it is read with every question."""
