"""What every vector index asks of the vectors it is given."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from core.domain import ChunkId
from core.errors import IndexMismatchError
from core.ports import AudienceId, IndexEntry, Vector


@dataclass(frozen=True, slots=True)
class EmbeddedChunk:
    """A chunk that can be found by its vector."""

    chunk_id: ChunkId
    audience: AudienceId
    vector: Vector


def embedded_chunks(entries: Iterable[IndexEntry]) -> Iterator[EmbeddedChunk]:
    """Leave out what no vector can find: no vector, a vector of zeros, one that is not a number.

    Of several entries of one chunk the last one counts.
    """
    for entry in {entry.chunk_id: entry for entry in entries}.values():
        if entry.vector is not None and has_direction(entry.vector):
            yield EmbeddedChunk(entry.chunk_id, entry.audience, entry.vector)


def has_direction(vector: Vector) -> bool:
    """Tell whether a vector can be compared with others: not all zero, nothing infinite or undefined."""
    return bool(0 < np.linalg.norm(vector) < np.inf)


def require_dimensions(vector: Vector | None, dimensions: int, embedder_id: str) -> None:
    """Raise IndexMismatchError for a vector that another model made; None passes."""
    if vector is not None and vector.shape != (dimensions,):
        raise IndexMismatchError(
            f"the vector index of {embedder_id} holds {dimensions} dimensions, but a vector has the shape "
            f"{vector.shape}; run `kiyo reindex`"
        )


def embedder_digest(embedder_id: str) -> str:
    """Name files and collections of one embedding model: 12 hexadecimal digits."""
    return hashlib.sha256(embedder_id.encode()).hexdigest()[:12]
