"""Make vectors and indexes again: after a lost index without any embedding call, after a change of
the embedding model with one for every text that the new model has not seen."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from core.domain import ArticleId, indexed_text, vector_key
from core.ports import Progress, Services, no_progress
from core.usecases.embedding import embed_chunks
from core.usecases.refresh import refresh_indexes

BATCH = 256


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """embedded: chunks that were embedded now. chunks: how many the indexes hold now."""

    embedded: int
    chunks: int
    revision: int


async def rebuild_indexes(services: Services, progress: Progress = no_progress) -> ReindexReport:
    """Embed what lacks a vector, then bring both indexes up to date.

    Every article is kept at once, so an interrupted run goes on where it stopped. The indexes of the former
    model stay in place until this one is complete (each model and analyser has a folder of its own); then
    they are removed.
    """
    embedded = 0
    total = services.knowledge.counts().chunks
    while articles := await asyncio.to_thread(_missing, services):
        for article_id in articles:
            embedded += await _embed_article(services, article_id)
            progress(embedded, total, "embedding")
    await refresh_indexes(services, progress)
    await asyncio.to_thread(services.drop_old_indexes)
    counts = services.knowledge.counts()
    return ReindexReport(embedded, counts.chunks, counts.revision)


def _missing(services: Services) -> list[ArticleId]:
    embedder = services.embedder
    return services.knowledge.articles_without_vectors(embedder.id, spans=embedder.embeds_lines, limit=BATCH)


async def _embed_article(services: Services, article_id: ArticleId) -> int:
    """Embed all chunks of one article, since a chunk's block holds the centre of its article."""
    article = await asyncio.to_thread(services.knowledge.get_article, article_id)
    chunks = await asyncio.to_thread(services.knowledge.article_chunks, article_id)
    if article is None:
        return 0
    lines = await asyncio.to_thread(services.knowledge.article_lines, article_id)
    embedded = await embed_chunks(services, article.title, lines, list(chunks.values()))
    keys = [vector_key(indexed_text(article.title, chunk)) for chunk in chunks.values()]
    packed = dict(zip(chunks, embedded.spans, strict=False))
    rows = dict(zip(keys, embedded.vectors, strict=True))
    await asyncio.to_thread(services.knowledge.save_span_vectors, services.embedder.id, packed)
    await asyncio.to_thread(services.knowledge.save_vectors, services.embedder.id, rows)
    return len(chunks)
