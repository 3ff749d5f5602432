"""Vectors of an article: by line where the model reads sentences, by chunk where it reads passages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.domain import Chunk, Line, indexed_text, vector_key
from core.ports import Services, Vector, Vectors
from core.rag.spans import centre_of, compose_chunk_vector, pack_rows


@dataclass(frozen=True, slots=True)
class EmbeddedChunks:
    """vectors: (n_chunks, dimensions). spans: a packed block a chunk, or none where chunks are embedded."""

    vectors: Vectors
    spans: tuple[bytes, ...]


async def embed_chunks(
    services: Services, title: str, lines: Sequence[Line], chunks: Sequence[Chunk]
) -> EmbeddedChunks:
    """Embed what is new; texts that this model has seen cost nothing."""
    if not services.embedder.embeds_lines:
        texts = [indexed_text(title, chunk) for chunk in chunks]
        return EmbeddedChunks(await embed_texts(services, texts), ())
    texts = [chunk.breadcrumb or title for chunk in chunks] + [line.text for line in lines]
    distinct = list(dict.fromkeys(texts))
    rows = await services.embedder.embed_passages(distinct)
    known = dict(zip(distinct, rows, strict=True))
    return await asyncio.to_thread(_compose, title, lines, chunks, known)


async def embed_texts(services: Services, texts: Sequence[str]) -> Vectors:
    """(n, dimensions) in order, from the store where this model has embedded the text before."""
    keys = [vector_key(text) for text in texts]
    known = await asyncio.to_thread(services.knowledge.known_vectors, services.embedder.id, keys)
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        made = await services.embedder.embed_passages(list(missing.values()))
        known = {**known, **dict(zip(missing, made, strict=True))}
    rows = np.array([known[key] for key in keys], dtype=np.float32)
    return rows.reshape(len(texts), services.embedder.dimensions)


def _compose(
    title: str, lines: Sequence[Line], chunks: Sequence[Chunk], known: Mapping[str, Vector]
) -> EmbeddedChunks:
    vectors: list[Vector] = []
    blocks: list[tuple[Vector, Vectors]] = []
    for chunk in chunks:
        inside = lines[chunk.first_line : chunk.last_line + 1]
        heading = known[chunk.breadcrumb or title]
        rows = np.array([known[line.text] for line in inside], dtype=np.float32).reshape(-1, len(heading))
        vectors.append(compose_chunk_vector(heading, rows, [len(line.text) for line in inside]))
        blocks.append((heading, rows))
    if not chunks:
        return EmbeddedChunks(np.zeros((0, 0), dtype=np.float32), ())
    matrix = np.array(vectors, dtype=np.float32)
    centre = centre_of(matrix)
    spans = tuple(
        pack_rows(np.vstack([heading, centre, own, rows]))
        for own, (heading, rows) in zip(matrix, blocks, strict=True)
    )
    return EmbeddedChunks(matrix, spans)
