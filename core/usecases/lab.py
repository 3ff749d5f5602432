"""The retrieval lab: one question through every detector, or a set of questions with known articles."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from core.domain import ArticleId, Candidate, ChunkId, Hit
from core.errors import AskerError
from core.lab_requests import LabRequest, LabSettings, measure_ranks
from core.ports import Progress, Services, StoredChunk, no_progress
from core.usecases.refresh import refresh_indexes
from core.usecases.retrieve import Retrieved, retrieve

LISTED = 10
"""Hits of each detector, and candidates after them, that are told."""
EXCERPT = 160


async def run_lab(
    services: Services, request: LabRequest, progress: Progress = no_progress
) -> dict[str, Any]:
    """Search with the settings to try; plain values for JSON.

    One question in detail: `explain_search`. Else figures of the set (see `measure_ranks`), the median time,
    and for each question the rank at which an article that answers it came.
    """
    await refresh_indexes(services)
    tried = replace(services, settings=_try(services, request.settings))
    if request.detailed:
        return await explain_search(tried, request)
    rows: list[dict[str, Any]] = []
    ranks: list[int | None] = []
    times: list[float] = []
    for number, question in enumerate(request.questions, start=1):
        started = time.perf_counter()
        found = await retrieve(tried, question.text, request.principal)
        times.append((time.perf_counter() - started) * 1000)
        ranked = _articles(found)
        rank = next((n for n, one in enumerate(ranked, start=1) if one in question.articles), None)
        ranks.append(rank)
        rows.append({"text": question.text, "rank": rank, "first": ranked[:1]})
        progress(number, len(request.questions), "questions")
    figures = measure_ranks(ranks)
    return {"figures": {**figures, "milliseconds": round(median(times), 1)}, "questions": rows}


async def explain_search(services: Services, request: LabRequest) -> dict[str, Any]:
    """One question: hits of each detector, their common order, what was selected and what was cut and why.

    `anchors` tells the places inside documents; no model is asked for them unless that is the mode.
    """
    question = request.questions[0].text
    started = time.perf_counter()
    found = await retrieve(services, question, request.principal)
    spent = (time.perf_counter() - started) * 1000
    places = found if _is_anchors(found) else await _search_places(services, question, request)
    hits = {name: list(ranking[:LISTED]) for name, ranking in found.rankings.items()}
    ids = list(dict.fromkeys(hit.chunk_id for ranking in hits.values() for hit in ranking))
    chunks = await asyncio.to_thread(services.knowledge.load_chunks, ids, found.audiences)
    detectors = {name: _hits(ranking, chunks) for name, ranking in hits.items()}
    ranks = {name: _ranks(ranking) for name, ranking in found.rankings.items()}
    numbers = {one.candidate.chunk_id: one.number for one in found.selection.sources}
    reasons = {candidate.chunk_id: reason for candidate, reason in found.selection.cut}
    return {
        "question": question,
        "query": found.query.text,
        "terms": list(found.query.terms),
        "language": found.query.language,
        "mode": str(found.trace.get("mode", "hybrid")),
        "detectors": {**detectors, "anchors": [_candidate(one) for one in places.candidates[:LISTED]]},
        "fused": [
            {
                **_candidate(one),
                "ranks": {
                    name: found_at[one.chunk_id]
                    for name, found_at in ranks.items()
                    if one.chunk_id in found_at
                },
                "number": numbers.get(one.chunk_id),
                "cut_because": reasons.get(one.chunk_id, ""),
                "tokens": found.costs.get(one.chunk_id),
            }
            for one in found.candidates
        ],
        "trace": dict(places.trace),
        "milliseconds": round(spent, 1),
    }


def _try(services: Services, wanted: LabSettings) -> Any:
    """The configured settings with those to try in their place. Raises AskerError for what cannot be."""
    changed = wanted.changed
    method = changed.pop("fusion", None)
    rag = services.settings.rag
    values = rag.model_dump() | changed
    if method is not None:
        values["fusion"] = rag.fusion.model_dump() | {"method": method}
    try:
        return services.settings.model_copy(update={"rag": type(rag).model_validate(values)})
    except ValueError as error:
        raise AskerError(f"These settings cannot be tried: {error}") from error


async def _search_places(services: Services, question: str, request: LabRequest) -> Retrieved:
    """The same question by anchors, without asking a model."""
    rag = services.settings.rag
    quiet = rag.anchors.model_copy(update={"arbiter": False})
    settings = services.settings.model_copy(
        update={"rag": rag.model_copy(update={"mode": "anchors", "anchors": quiet})}
    )
    return await retrieve(replace(services, settings=settings), question, request.principal)


def _is_anchors(found: Retrieved) -> bool:
    return any(candidate.chunk_id < 0 for candidate in found.candidates)


def _articles(found: Retrieved) -> list[ArticleId]:
    """What would be shown first, then the next best; each once."""
    shown = [
        candidate.article.id
        for source in found.selection.sources
        for candidate in (source.candidate, *source.duplicates)
    ]
    return list(dict.fromkeys([*shown, *(candidate.article.id for candidate in found.candidates)]))


def _ranks(ranking: Sequence[Hit]) -> dict[ChunkId, int]:
    return {hit.chunk_id: rank for rank, hit in enumerate(ranking, start=1)}


def _hits(ranking: Sequence[Hit], chunks: Mapping[ChunkId, StoredChunk]) -> list[dict[str, Any]]:
    return [
        {
            "chunk": hit.chunk_id,
            "article_id": chunks[hit.chunk_id].article.id,
            "title": chunks[hit.chunk_id].article.title,
            "section": chunks[hit.chunk_id].section.breadcrumb,
            "text": _excerpt(chunks[hit.chunk_id].chunk.text),
            "score": round(float(hit.score), 4),
        }
        for hit in ranking
        if hit.chunk_id in chunks
    ]


def _candidate(one: Candidate) -> dict[str, Any]:
    return {
        "chunk": one.chunk_id,
        "article_id": one.article.id,
        "title": one.article.title,
        "section": one.section.breadcrumb,
        "text": _excerpt(one.chunk.text),
        "relevance": round(one.relevance, 4),
        "scores": {name: round(float(score), 4) for name, score in one.scores.items()},
    }


def _excerpt(text: str) -> str:
    short = " ".join(text.split())
    return short if len(short) <= EXCERPT else f"{short[: EXCERPT - 1]}…"
