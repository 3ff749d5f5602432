"""Whether an article that is new or changed supports an item of a gap."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.contribution.gap_items import QUESTION, ArticleChange, GapBatch, ItemSupport, nearest_chunks
from core.contribution.measure import Evidence, MeasureSettings, measure
from core.domain import ArticleId, Candidate, ChunkId, Hit, Principal, Statement
from core.ports import Services, Vector, Vectors
from core.rag.gate import GateThresholds
from core.rag.ranking import cosine_scale, rank_candidates
from core.rag.relevance import load_ranking_model
from core.rag.retrieval import Query
from core.rag.spans import LINES_FROM, unpack_rows
from core.text.language import detect_language
from core.usecases.coefficients import current_model
from core.usecases.cold_lines import embed_cold_lines
from core.usecases.evidence import line_vectors, list_lines, pair_vectors, term_stats
from core.usecases.retrieve import readable_audiences

NEAR = 0.25
"""Least cosine of an item with a line, or with a chunk where whole chunks are embedded, on the scale of the
default model: nothing further away is compared by words."""
CHUNKS_OF_ITEM = 8


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """An item beside the chunks that are near to it. statement: an ordinal, or QUESTION. groups: of whoever
    asked."""

    item: int
    statement: int
    text: str
    vector: Vector
    groups: frozenset[str]
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Ground:
    """Chunks of the changed articles with their vectors: those of lines where the model embeds them.

    revisions: of each chunk's article. starts: first row of each chunk in `rows`.
    """

    chunk_ids: tuple[ChunkId, ...]
    revisions: tuple[int, ...]
    rows: Vectors
    starts: tuple[int, ...]

    def near_chunks(self, batch: GapBatch, least: float) -> dict[int, tuple[Hit, ...]]:
        """Row of the batch -> its nearest chunks, of articles that changed after it was searched for.

        least: cosine below which nothing is near.
        """
        found = nearest_chunks(batch.vectors, self.rows, self.starts, least, CHUNKS_OF_ITEM)
        near: dict[int, tuple[Hit, ...]] = {}
        for row, chunks in enumerate(found):
            later = [(n, cosine) for n, cosine in chunks if self.revisions[n] > batch.revisions[row]]
            if later:
                near[row] = tuple(Hit(self.chunk_ids[n], round(cosine, 6)) for n, cosine in later)
        return near


def on_scale(services: Services, cosine: float, vector: Vector) -> float:
    """What a cosine of the default model is among the cosines of the configured one. vector: of any text."""
    own = load_ranking_model().scale
    scale = cosine_scale(services, Query("", "other", (), vector))
    return scale.mean + (cosine - own.mean) * scale.spread / max(own.spread, 1e-6)


def read_ground(services: Services, changes: Sequence[ArticleChange]) -> Ground:
    """The chunks that these articles have now."""
    ids: list[ChunkId] = []
    revisions: list[int] = []
    for change in changes:
        chunks = services.knowledge.article_chunks(change.article_id)
        ids += chunks
        revisions += [change.revision] * len(chunks)
    packed = services.knowledge.span_vectors(services.embedder.id, ids)
    whole = services.vector.vectors(ids)
    blocks: list[Vectors] = []
    for place, chunk_id in enumerate(ids):
        block = packed.get(chunk_id)
        rows = unpack_rows(block, services.embedder.dimensions)[LINES_FROM:] if block else None
        blocks.append(rows if rows is not None and len(rows) else whole[place : place + 1])
    starts = np.cumsum([0, *(len(block) for block in blocks[:-1])]).tolist() if blocks else []
    empty: Vectors = np.zeros((0, services.embedder.dimensions), dtype=np.float32)
    return Ground(tuple(ids), tuple(revisions), np.vstack(blocks) if blocks else empty, tuple(starts))


async def find_supports(services: Services, item: CheckedItem) -> list[tuple[ArticleId, ItemSupport]]:
    """The articles that support the item and that its asker may read.

    A statement by the support measure; a question by a relevance with which an answer would be sent.
    """
    audiences = await asyncio.to_thread(readable_audiences, services, Principal("gap", item.groups))
    terms = await asyncio.to_thread(services.analyse, item.text)
    query = Query(item.text, detect_language(item.text), tuple(dict.fromkeys(terms)), item.vector)
    rankings = {"vector": item.hits}
    candidates = await rank_candidates(services, query, rankings, audiences, CHUNKS_OF_ITEM)
    if item.statement == QUESTION:
        return _answering(item, candidates)
    return await _supporting(services, item, candidates)


def _answering(item: CheckedItem, candidates: Sequence[Candidate]) -> list[tuple[ArticleId, ItemSupport]]:
    best: dict[ArticleId, float] = {}
    for candidate in candidates:
        best[candidate.article.id] = max(candidate.relevance, best.get(candidate.article.id, 0.0))
    enough = GateThresholds().send_relevance
    return [
        (article_id, ItemSupport(item.item, relevance, None))
        for article_id, relevance in best.items()
        if relevance >= enough
    ]


async def _supporting(
    services: Services, item: CheckedItem, candidates: Sequence[Candidate]
) -> list[tuple[ArticleId, ItemSupport]]:
    statements = (Statement(0, item.text, 0, len(item.text), (), True),)
    lines = list_lines(candidates)
    stats = await asyncio.to_thread(term_stats, services, statements)
    warm = await asyncio.to_thread(line_vectors, services, candidates)
    by_line = await embed_cold_lines(services, statements, lines, warm, stats)
    vectors = pair_vectors(services.embedder.dimensions, {0: item.vector}, by_line, lines)
    evidence = Evidence(
        lines=lines, stats=stats, vectors=vectors, memory=services.pairs, encoder=services.embedder.id
    )
    settings = MeasureSettings(threshold=services.settings.evaluation.threshold)
    model = await current_model(services)
    evaluation = await asyncio.to_thread(measure, statements, evidence, model, settings)
    return [
        (support.article_id, ItemSupport(item.item, support.probability or 0.0, support.line))
        for support in evaluation.supports
        if support.verdict in ("supported", "uncited")
    ]
