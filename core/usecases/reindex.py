"""Make vectors and indexes again: after a lost index without any embedding call, after a change of
the embedding model with one for every text that the new model has not seen."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from core.domain import vector_key
from core.ports import Progress, Services, no_progress
from core.usecases.refresh import refresh_indexes

BATCH = 256


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """embedded: texts that needed an embedding call. chunks: how many the indexes hold now."""

    embedded: int
    chunks: int
    revision: int


async def rebuild_indexes(services: Services, progress: Progress = no_progress) -> ReindexReport:
    """Embed what lacks a vector, then bring both indexes up to date.

    Every batch is kept at once, so an interrupted run goes on where it stopped. The indexes of the former
    model stay in place until this one is complete (each model and analyser has a folder of its own).
    """
    embedded = 0
    total = services.knowledge.counts().chunks
    while True:
        missing = await asyncio.to_thread(
            services.knowledge.chunks_without_vectors, services.embedder.id, BATCH
        )
        if not missing:
            break
        texts = list(dict.fromkeys(text for _, text in missing))
        vectors = await services.embedder.embed_passages(texts)
        keyed = {vector_key(text): vector for text, vector in zip(texts, vectors, strict=True)}
        await asyncio.to_thread(services.knowledge.save_vectors, services.embedder.id, keyed)
        embedded += len(texts)
        progress(embedded, total, "embedding")
    await refresh_indexes(services, progress)
    counts = services.knowledge.counts()
    return ReindexReport(embedded, counts.chunks, counts.revision)
