"""The hits of all detectors become candidates: measured, ordered, with a calibrated relevance."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.domain import Candidate, ChunkId, DetectorName, Hit
from core.ports import AudienceId, Services, StoredChunk
from core.rag.asked_words import content_terms
from core.rag.follow_ups import Context
from core.rag.fusion import fuse_rankings, fuse_scores
from core.rag.relevance import (
    FITTED_FROM,
    Column,
    CosineScale,
    boost,
    calibrate_relevance,
    load_ranking_model,
    score_features,
    small_bonus,
    stretch_of,
)
from core.rag.retrieval import Query
from core.rag.spans import ARTICLE, CHUNK, HEADING, compare_blocks

MEASURED = 50
"""Hits of each detector that are measured: from 30 to 100 the same articles come out on every set."""
SPARE = 6
"""Loaded beyond what is kept: some chunks are gone by now, some move up by their kind or date."""
EARLIER = 0.5
"""Weight of the last question's score where the new one leans on it fully."""
CITED = 1.0
"""Score for an article that was just cited."""
LENT = 0.9
BACKGROUND = 256
FEWEST_BACKGROUND = 20

Rankings = Mapping[DetectorName, Sequence[Hit]]


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """chunk_ids: (n,), those worth measuring. values: (n, len(FEATURES)). mass: idf mass of the question.
    line_cosines: of each chunk's lines, empty for a chunk without line vectors. chunks: of the knowledge
    base; the idf of a small one is stretched."""

    chunk_ids: tuple[ChunkId, ...]
    values: Column
    mass: float
    line_cosines: tuple[Column, ...] = ()
    chunks: int = FITTED_FROM


async def rank_candidates(
    services: Services,
    query: Query,
    rankings: Rankings,
    audiences: Sequence[AudienceId],
    limit: int,
) -> list[Candidate]:
    """At most `limit` candidates, best first, with the scores of each detector and the relevance."""
    return await asyncio.to_thread(_rank, services, query, rankings, audiences, limit)


def measure_features(services: Services, query: Query, rankings: Rankings) -> FeatureTable:
    """Measure the best hits. Chunks without line vectors have their own cosine in every place."""
    return measure_chunks(services, query, _best_hits(rankings))


def measure_chunks(services: Services, query: Query, ids: Sequence[ChunkId]) -> FeatureTable:
    """The features of given chunks, without repeats."""
    if not ids:
        return FeatureTable((), np.zeros((0, 7)), 0.0)
    terms = services.keyword.match(query.terms, ids)
    chunks = services.keyword.count()
    stretch = stretch_of(chunks)
    mass = terms.mass * stretch
    root = float(np.sqrt(max(mass, 1e-6)))
    near = _measure_cosines(services, query, ids)
    columns = [
        *(terms.bm25 * stretch / 10.0, terms.covered * stretch / root),
        *(near.chunk, near.line, near.heading, near.article - near.chunk),
        terms.pairs,
    ]
    return FeatureTable(tuple(ids), np.stack(columns, axis=1), mass, tuple(near.lines), chunks)


def cosine_scale(services: Services, query: Query) -> CosineScale:
    """How the configured model's cosines are to be read: for the model of the weights as measured then, for
    every other from the question's cosines with chunks from all over the knowledge base."""
    model = load_ranking_model()
    if services.embedder.id.startswith(model.embedder):
        return model.scale
    background = services.vector.sample(BACKGROUND) @ query.vector
    if len(background) < FEWEST_BACKGROUND:
        return model.scale
    return CosineScale(float(background.mean()), float(background.std()))


def _rank(
    services: Services,
    query: Query,
    rankings: Rankings,
    audiences: Sequence[AudienceId],
    limit: int,
) -> list[Candidate]:
    if query.context is not None:
        return _rank_follow_up(services, query, query.context, rankings, audiences)[:limit]
    table = measure_features(services, query, rankings)
    if not table.chunk_ids:
        return []
    order = _order(services, table, rankings)
    best = order[: limit + SPARE]
    stored = services.knowledge.load_chunks([table.chunk_ids[i] for i in best], audiences)
    found = [i for i in best if table.chunk_ids[i] in stored]
    now = services.now()
    boosts = np.array([_boost(stored[table.chunk_ids[i]], now.timestamp()) for i in found])
    odds = boosts + _small_bonus(services, query, table, found)
    relevance = calibrate_relevance(table.values[found], table.mass, load_ranking_model(), odds)
    candidates = [
        _candidate(stored[table.chunk_ids[i]], table, i, float(value))
        for i, value in zip(found, relevance, strict=True)
    ]
    if services.settings.rag.fusion.method == "learned":
        weighed = score_features(table.values[found], load_ranking_model()) + boosts
        candidates = [candidates[i] for i in np.argsort(-weighed, kind="stable")]
    return candidates[:limit]


def _rank_follow_up(
    services: Services,
    query: Query,
    context: Context,
    rankings: Rankings,
    audiences: Sequence[AudienceId],
) -> list[Candidate]:
    """Order by the question's own score, the leaning share of the last one's, and what was just cited.

    Relevance is the question's own or, where that is more, what the leaning share of the last one gives.
    """
    before = Query("", query.language, context.terms, context.vector)
    earlier: Rankings = {
        "keyword": services.keyword.search(context.terms, audiences, MEASURED),
        "vector": services.vector.search(context.vector, audiences, MEASURED),
    }
    stored = services.knowledge.load_chunks(sorted({*_best_hits(rankings), *_best_hits(earlier)}), audiences)
    table = measure_chunks(services, query, list(stored))
    if not table.chunk_ids:
        return []
    behind = measure_chunks(services, before, table.chunk_ids)
    model = load_ranking_model()
    now = services.now().timestamp()
    boosts = np.array([_boost(chunk, now) for chunk in stored.values()])
    cited = np.array([chunk.article.id in context.cited for chunk in stored.values()], dtype=np.float64)
    scores = score_features(table.values, model) + boosts
    scores += context.lean * (EARLIER * score_features(behind.values, model) + CITED * cited)
    rows = range(len(table.chunk_ids))
    own = calibrate_relevance(
        table.values, table.mass, model, boosts + _small_bonus(services, query, table, rows)
    )
    lent = calibrate_relevance(behind.values, behind.mass, model, boosts + CITED * cited)
    relevance = np.maximum(own, context.lean * LENT * lent)
    order = np.lexsort((np.array(table.chunk_ids), -scores))
    return [_candidate(stored[table.chunk_ids[i]], table, i, float(relevance[i])) for i in order]


def _best_hits(rankings: Rankings) -> list[ChunkId]:
    return sorted({hit.chunk_id for hits in rankings.values() for hit in hits[:MEASURED]})


def _small_bonus(services: Services, query: Query, table: FeatureTable, rows: Sequence[int]) -> Column:
    """(n,) log odds for the words that the question and these rows share; see `small_bonus`."""
    if table.chunks >= FITTED_FROM:
        return np.zeros(len(rows))
    terms = content_terms(query.text, services.analyse)
    match = services.keyword.match(terms, [table.chunk_ids[row] for row in rows])
    return small_bonus(match.covered / max(match.mass, 1e-6), table.chunks)


def _order(services: Services, table: FeatureTable, rankings: Rankings) -> list[int]:
    """Rows of the table, best first, by the configured method; ties by chunk id."""
    fusion = services.settings.rag.fusion
    if fusion.method == "learned":
        scores = score_features(table.values, load_ranking_model())
        return [int(i) for i in np.lexsort((np.array(table.chunk_ids), -scores))]
    if fusion.method == "rrf":
        fused = fuse_rankings(rankings, fusion.rrf_k)
    else:
        weights = {"keyword": 1.0 - fusion.vector_weight, "vector": fusion.vector_weight}
        fused = fuse_scores(rankings, weights)
    rows = {chunk_id: i for i, chunk_id in enumerate(table.chunk_ids)}
    return [rows[hit.chunk_id] for hit in fused if hit.chunk_id in rows]


@dataclass(slots=True)
class _Cosines:
    """Of the question: (n,) with each chunk, its best line, its heading and its article; with all lines."""

    chunk: Column
    line: Column
    heading: Column
    article: Column
    lines: list[Column]


def _measure_cosines(services: Services, query: Query, ids: Sequence[ChunkId]) -> _Cosines:
    """Only the model whose scale the weights have embeds lines; the cosines of others are translated."""
    packed = services.knowledge.span_vectors(services.embedder.id, ids)
    own = np.zeros(len(ids))
    bare = [row for row, chunk_id in enumerate(ids) if not packed.get(chunk_id)]
    if bare:
        vectors = services.vector.vectors([ids[row] for row in bare])
        cosines = (vectors @ query.vector).astype(np.float64)
        own[bare] = cosine_scale(services, query).translate(cosines, load_ranking_model().scale)
    found = _Cosines(own, own.copy(), own.copy(), own.copy(), [np.zeros(0)] * len(ids))
    full = [row for row, chunk_id in enumerate(ids) if packed.get(chunk_id)]
    if full:
        rows = compare_blocks([packed[ids[row]] for row in full], query.vector)
        best = rows.best_lines()
        found.chunk[full] = rows.row(CHUNK)
        found.line[full] = np.where(np.isfinite(best), best, rows.row(CHUNK))
        found.heading[full] = rows.row(HEADING)
        found.article[full] = rows.row(ARTICLE)
        for row, lines in zip(full, rows.lines(), strict=True):
            found.lines[row] = lines
    return found


def _boost(stored: StoredChunk, now: float) -> float:
    age_days = (now - stored.article.updated_at.timestamp()) / 86_400
    return boost(stored.article.kind, age_days)


def _candidate(stored: StoredChunk, table: FeatureTable, row: int, relevance: float) -> Candidate:
    values = table.values[row]
    scores = {
        "keyword": round(float(values[0]) * 10 / stretch_of(table.chunks), 4),
        "vector": round(float(values[2]), 4),
        "line": round(float(values[3]), 4),
        "heading": round(float(values[4]), 4),
        "pairs": round(float(values[6]), 4),
    }
    return Candidate(
        chunk_id=stored.chunk_id,
        article=stored.article,
        chunk=stored.chunk,
        section=stored.section,
        lines=stored.lines,
        scores=scores,
        relevance=round(relevance, 4),
        line_cosines=tuple(table.line_cosines[row].round(4).tolist()),
    )
