"""From a question to the sources of its answer; used by replies, the retrieval lab and the benchmarks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain import PUBLIC, Candidate, ChunkId, DetectorName, Hit, Principal
from core.ports import AudienceId, Services, Turn
from core.rag.prompting import cost_in_prompt, cost_of_frame
from core.rag.ranking import rank_candidates
from core.rag.retrieval import Query, detect
from core.rag.selection import Selection, SelectionSettings, select_within_budget
from core.text.language import detect_language

NEXT_BEST = 10


@dataclass(frozen=True, slots=True)
class Retrieved:
    """query: as it was searched, after rewriting. rankings: hits by detector. candidates: best first.
    costs: tokens in the prompt by chunk. audiences: what the asker may read."""

    query: Query
    rankings: Mapping[DetectorName, Sequence[Hit]]
    candidates: tuple[Candidate, ...]
    selection: Selection
    costs: Mapping[ChunkId, int]
    audiences: tuple[AudienceId, ...]


async def retrieve(
    services: Services, question: str, principal: Principal, history: Sequence[Turn] = ()
) -> Retrieved:
    """Search, rank and select within the budget, among what the principal may read."""
    settings = services.settings.rag
    audiences = await asyncio.to_thread(readable_audiences, services, principal)
    query = await read_query(services, question, history)
    if not settings.enabled:
        return Retrieved(query, {}, (), Selection((), ()), {}, tuple(audiences))
    rankings = await detect(query, audiences, services.keyword, services.vector, settings.fusion.candidates)
    candidates = await rank_candidates(services, query, rankings, audiences, _kept(services))
    candidates = await _rerank(services, query.text, candidates)
    costs = {c.chunk_id: cost_in_prompt(c) for c in candidates}
    vectors = {}
    if settings.selection_strategy == "mmr":
        ids = [c.chunk_id for c in candidates]
        vectors = dict(zip(ids, services.vector.vectors(ids), strict=True))
    selection = select_within_budget(candidates, _selection_settings(services), vectors, costs)
    return Retrieved(query, rankings, tuple(candidates), selection, costs, tuple(audiences))


async def read_query(services: Services, question: str, history: Sequence[Turn] = ()) -> Query:
    """The question as the detectors read it, rewritten by the model where that is configured."""
    text = question
    if services.rewriter is not None and history:
        text = await services.rewriter.rewrite(question, history)
    vector = await services.embedder.embed_query(text)
    terms = tuple(dict.fromkeys(services.analyse(text)))
    return Query(text, detect_language(text), terms, vector)


def readable_audiences(services: Services, principal: Principal) -> list[AudienceId]:
    """What the principal may read; everything where the settings do not enforce readers."""
    if not services.settings.memory.acl_enabled:
        groups = {group for source in services.knowledge.sources() for group in source.readers}
        principal = Principal(principal.id, frozenset({PUBLIC, *groups}))
    return services.knowledge.readable_audiences(principal)


def _kept(services: Services) -> int:
    """More candidates than results: some to show as the next best, many where they are ordered anew."""
    settings = services.settings.rag
    ordered_anew = settings.selection_strategy == "mmr" or services.reranker is not None
    return 3 * settings.max_results if ordered_anew else settings.max_results + NEXT_BEST


def _selection_settings(services: Services) -> SelectionSettings:
    settings = services.settings.rag
    return SelectionSettings(
        max_results=settings.max_results,
        threshold=settings.relevance_threshold,
        budget_tokens=settings.max_context_tokens - cost_of_frame(),
        strategy=settings.selection_strategy,
        mmr_lambda=settings.mmr_lambda,
    )


async def _rerank(services: Services, question: str, candidates: list[Candidate]) -> list[Candidate]:
    """Let the reranker order the candidates; their calibrated relevance stays what it is."""
    if services.reranker is None or not candidates:
        return candidates
    scores = await services.reranker.score(question, [c.chunk.text for c in candidates])
    scored = [
        replace(candidate, scores={**candidate.scores, "reranker": score})
        for candidate, score in zip(candidates, scores, strict=True)
    ]
    return sorted(scored, key=lambda c: (-c.scores["reranker"], c.chunk_id))
