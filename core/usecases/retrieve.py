"""From a question to the sources of its answer; used by replies, the retrieval lab and the benchmarks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.domain import PUBLIC, Candidate, ChunkId, DetectorName, Hit, Principal, Usage
from core.ports import AudienceId, Services, Turn
from core.rag.asked_words import content_terms
from core.rag.follow_ups import Context, cited_articles, last_question, measure_lean
from core.rag.prompting import cost_in_prompt, cost_of_frame
from core.rag.ranking import rank_candidates
from core.rag.retrieval import Query, detect
from core.rag.selection import Selection, SelectionSettings, select_within_budget
from core.text.language import detect_language
from core.usecases.anchor_retrieve import DOCUMENT_CANDIDATES, retrieve_anchors

NEXT_BEST = 10


@dataclass(frozen=True, slots=True)
class Retrieved:
    """query: as it was searched, after rewriting. rankings: hits by detector. candidates: best first.
    costs: tokens in the prompt by chunk. audiences: what the asker may read. usage: of models that were
    asked on the way. trace: how it came about, for `kiyo explain`. nothing_found: an exhaustive search found
    nothing, so that no model need be asked for an answer.
    """

    query: Query
    rankings: Mapping[DetectorName, Sequence[Hit]]
    candidates: tuple[Candidate, ...]
    selection: Selection
    costs: Mapping[ChunkId, int]
    audiences: tuple[AudienceId, ...]
    usage: Usage = field(default_factory=Usage)
    trace: Mapping[str, object] = field(default_factory=dict)
    nothing_found: bool = False


async def retrieve(
    services: Services, question: str, principal: Principal, history: Sequence[Turn] = ()
) -> Retrieved:
    """Search, rank and select within the budget, among what the principal may read, in the configured mode:
    chunks of the whole knowledge base, or places inside the documents that fit best."""
    settings = services.settings.rag
    if settings.mode == "hybrid" or not settings.enabled:
        return await retrieve_chunks(services, question, principal, history)
    audiences = await asyncio.to_thread(readable_audiences, services, principal)
    query = await read_query(services, question, history)
    rankings = await detect(query, audiences, services.keyword, services.vector, settings.fusion.candidates)
    limit = max(DOCUMENT_CANDIDATES, _kept(services))
    ranked = await rank_candidates(services, query, rankings, audiences, limit)
    found = await retrieve_anchors(services, query, ranked, _selection_settings(services))
    if found is None:
        return await _finish(services, query, rankings, ranked[: _kept(services)], audiences)
    return Retrieved(
        query=query,
        rankings=rankings,
        candidates=found.candidates,
        selection=found.selection,
        costs=found.costs,
        audiences=tuple(audiences),
        usage=found.usage,
        trace=found.audit,
        nothing_found=found.nothing_found,
    )


async def retrieve_chunks(
    services: Services, question: str, principal: Principal, history: Sequence[Turn] = ()
) -> Retrieved:
    """The same by chunks alone, whatever the mode."""
    settings = services.settings.rag
    audiences = await asyncio.to_thread(readable_audiences, services, principal)
    query = await read_query(services, question, history)
    if not settings.enabled:
        return Retrieved(query, {}, (), Selection((), ()), {}, tuple(audiences))
    rankings = await detect(query, audiences, services.keyword, services.vector, settings.fusion.candidates)
    candidates = await rank_candidates(services, query, rankings, audiences, _kept(services))
    return await _finish(services, query, rankings, candidates, audiences)


async def _finish(
    services: Services,
    query: Query,
    rankings: Mapping[DetectorName, Sequence[Hit]],
    candidates: list[Candidate],
    audiences: Sequence[AudienceId],
) -> Retrieved:
    settings = services.settings.rag
    candidates = await _rerank(services, query.text, candidates)
    costs = {c.chunk_id: cost_in_prompt(c) for c in candidates}
    vectors = {}
    if settings.selection_strategy == "mmr":
        ids = [c.chunk_id for c in candidates]
        vectors = dict(zip(ids, services.vector.vectors(ids), strict=True))
    selection = select_within_budget(candidates, _selection_settings(services), vectors, costs)
    trace = {"mode": "hybrid", "query": query.text} if services.rewriter is not None else {}
    return Retrieved(query, rankings, tuple(candidates), selection, costs, tuple(audiences), trace=trace)


async def read_query(services: Services, question: str, history: Sequence[Turn] = ()) -> Query:
    """The question as the detectors read it, rewritten by the model where that is configured; else with what
    earlier turns lend to it."""
    text = question
    if services.rewriter is not None and history:
        text = await services.rewriter.rewrite(question, history)
    vector = await services.embedder.embed_query(text)
    terms = tuple(dict.fromkeys(services.analyse(text)))
    context = None if services.rewriter is not None else await _read_context(services, question, history)
    return Query(text, detect_language(text), terms, vector, context)


async def _read_context(services: Services, question: str, history: Sequence[Turn]) -> Context | None:
    before = last_question(history)
    lean = measure_lean(question, services.analyse) if before else 0.0
    if not lean:
        return None
    vector = await services.embedder.embed_query(before)
    return Context(content_terms(before, services.analyse), vector, cited_articles(history), lean)


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
