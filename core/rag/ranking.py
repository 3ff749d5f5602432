"""Candidates from all detectors, ordered and with a calibrated relevance."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np

from core.domain import Candidate, DetectorName, Hit
from core.ports import AudienceId, Services
from core.rag.retrieval import Query
from core.rag.spans import unpack_rows

SHOWN = 30


async def rank_candidates(
    services: Services,
    query: Query,
    rankings: Mapping[DetectorName, Sequence[Hit]],
    audiences: Sequence[AudienceId],
    limit: int = SHOWN,
) -> list[Candidate]:
    """At most `limit` candidates, best first."""
    return await asyncio.to_thread(_rank, services, query, rankings, audiences, limit)


def _rank(
    services: Services,
    query: Query,
    rankings: Mapping[DetectorName, Sequence[Hit]],
    audiences: Sequence[AudienceId],
    limit: int,
) -> list[Candidate]:
    ids = sorted({hit.chunk_id for hits in rankings.values() for hit in hits})
    if not ids:
        return []
    bm25 = {hit.chunk_id: hit.score for hit in rankings.get("keyword", ())}
    chunk = services.vector.vectors(ids) @ query.vector
    packed = services.knowledge.span_vectors(services.embedder.id, ids)
    line = np.zeros(len(ids))
    title = np.zeros(len(ids))
    for i, chunk_id in enumerate(ids):
        if chunk_id in packed:
            cosines = unpack_rows(packed[chunk_id], len(query.vector)) @ query.vector
            title[i] = cosines[0]
            line[i] = cosines[1:].max(initial=0.0)
    words = np.array([bm25.get(i, 0.0) for i in ids])
    score = 1.887 * words / 10 + 9.915 * chunk + 7.068 * line + 2.87 * title
    relevance = 1 / (1 + np.exp(-(score - 7.0)))
    order = np.lexsort((np.array(ids), -score))[:limit]
    stored = services.knowledge.load_chunks([ids[i] for i in order], audiences)
    result = []
    for i in order:
        found = stored.get(ids[i])
        if found is None:
            continue
        scores = {"keyword": float(words[i]), "vector": float(chunk[i]), "line": float(line[i])}
        result.append(
            Candidate(
                found.chunk_id, found.article, found.chunk, found.section, found.lines, scores, float(relevance[i])
            )
        )
    return result
