"""Retrieval by anchors: documents, then places inside them, then what is shown around these places."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.domain import ArticleId, Candidate, Chunk, Usage
from core.ports import Services, Vector
from core.rag.anchors.audit import write_audit
from core.rag.anchors.detection import Meaning
from core.rag.anchors.expansion import Context, expand_anchors
from core.rag.anchors.finding import AnchorResult, RankedAnchor, find_anchors
from core.rag.anchors.parsing import parse_question
from core.rag.anchors.relevance import calibrate_anchors
from core.rag.anchors.tables import DocumentTables
from core.rag.prompting import cost_in_prompt
from core.rag.ranking import cosine_scale
from core.rag.relevance import CosineScale
from core.rag.retrieval import Query
from core.rag.selection import CutReason, Selection, SelectionSettings, select_within_budget
from core.text.tokens import count_tokens
from core.usecases.anchor_dictionary import load_dictionary
from core.usecases.anchor_documents import choose_documents
from core.usecases.anchor_tables import load_tables

BODY_SHARE = 0.85
"""Share of the budget for lines; the rest is for the markup around them."""
JUDGED = {"primary": 0.5, "supporting": 0.3}
"""Least relevance of a place that a model gave this role. Set by hand, not calibrated."""
DOCUMENT_CANDIDATES = 40
"""Chunks that say which documents are searched."""


@dataclass(frozen=True, slots=True)
class FoundAnchors:
    """candidates: contexts, best first, with negative numbers in place of chunk ids. audit: the record of
    how they were found. nothing_found: neither words nor meaning lead anywhere, so no model need be asked.
    """

    candidates: tuple[Candidate, ...]
    selection: Selection
    costs: dict[int, int]
    usage: Usage
    audit: dict[str, Any]
    nothing_found: bool


async def retrieve_anchors(
    services: Services, query: Query, ranked: Sequence[Candidate], limits: SelectionSettings
) -> FoundAnchors | None:
    """Search the best documents of `ranked` chunks for the places where the answer stands.

    Texts that are longer than they may be are cut by the budget of `limits`; no model is called more than
    once. None in the mode `auto` when the best document is not long and structured.
    """
    started = time.perf_counter()
    settings = services.settings.rag.anchors
    ids = choose_documents(query.text, ranked, settings.max_documents, settings.document_share)
    documents = await _load(services, ids)
    if documents is None:
        return None
    chosen = time.perf_counter()
    question = parse_question(query.text, load_dictionary(settings.dictionary))
    arbiter = services.arbiter if settings.arbiter else None
    result = await find_anchors(documents, question, query.language, _meaning(services, query), arbiter)
    found = time.perf_counter()
    contexts = await asyncio.to_thread(expand_anchors, result, int(BODY_SHARE * limits.budget_tokens))
    relevances = _relevances(result)
    make = _candidate_maker(services, result, query.vector)
    made = await asyncio.to_thread(
        lambda: [make(n, context, relevances) for n, context in enumerate(contexts, start=1)]
    )
    costs = {candidate.chunk_id: cost_in_prompt(candidate) for candidate in made}
    selection = _select(result, list(zip(contexts, made, strict=True)), limits, costs)
    timings = {
        "documents": _milliseconds(started, chosen),
        "places": _milliseconds(chosen, found),
        "contexts": _milliseconds(found, time.perf_counter()),
    }
    audit = write_audit(result, contexts, timings) | {"relevances": [round(r, 4) for r in relevances]}
    return FoundAnchors(
        tuple(made), selection, costs, result.arbitration.usage, audit, nothing_found=result.not_found
    )


async def _load(services: Services, ids: Sequence[ArticleId]) -> list[DocumentTables] | None:
    """Tables of the documents; None in the mode `auto` when the first one is short or without headings."""
    documents: list[DocumentTables] = []
    for article_id in ids:
        tables = await load_tables(services, article_id)
        decides = services.settings.rag.mode == "auto" and not documents
        if decides and (tables is None or not _is_long(services, tables)):
            return None
        if tables is not None:
            documents.append(tables)
    return documents if documents or services.settings.rag.mode == "anchors" else None


def _is_long(services: Services, tables: DocumentTables) -> bool:
    settings = services.settings.rag.anchors
    return len(tables.lines) >= settings.auto_lines and len(tables.toc) >= settings.auto_headings


def _meaning(services: Services, query: Query) -> Meaning | None:
    if not services.settings.rag.anchors.embeddings:
        return None

    async def embed() -> Vector:
        return query.vector

    async def scale(vector: Vector) -> CosineScale:
        return await asyncio.to_thread(cosine_scale, services, replace(query, vector=vector))

    return Meaning(embed, scale)


def _relevances(result: AnchorResult) -> list[float]:
    """Of the kept anchors: calibrated in the order of the scores, raised where a model judged."""
    by_score = sorted((anchor.candidate for anchor in result.anchors), key=lambda c: -c.score)
    clean = bool(result.detection.clean)
    calibrated = calibrate_anchors(by_score, result.detection.scale, clean=clean)
    by_place = {(c.document, c.unit): value for c, value in zip(by_score, calibrated, strict=True)}
    return [_raise(result, anchor, by_place) for anchor in result.kept]


def _raise(result: AnchorResult, anchor: RankedAnchor, by_place: dict[tuple[int, int], float]) -> float:
    value = by_place[anchor.candidate.document, anchor.candidate.unit]
    return max(value, JUDGED.get(anchor.role, 0.0)) if result.arbitration.order == "arbiter" else value


def _candidate_maker(
    services: Services, result: AnchorResult, vector: Vector
) -> Callable[[int, Context, Sequence[float]], Candidate]:
    """Contexts become what the rest of the pipeline knows: texts of articles with their lines."""
    texts = [services.knowledge.article_text(tables.article.id) or "" for tables in result.documents]

    def make(number: int, context: Context, relevances: Sequence[float]) -> Candidate:
        tables = result.documents[context.document]
        lines = tables.lines[context.first : context.last + 1]
        section = tables.sections[context.section]
        start, end = lines[0].start, max(line.end for line in lines)
        text = texts[context.document][start:end] or "\n".join(line.text for line in lines)
        chunk = Chunk(
            ordinal=number - 1,
            section=context.section,
            text=text,
            start=start,
            end=end,
            first_line=context.first,
            last_line=context.last,
            tokens=count_tokens(text),
            breadcrumb=section.breadcrumb,
        )
        anchor = result.kept[context.anchor].candidate
        cosines = _line_cosines(tables, context, vector)
        return Candidate(
            chunk_id=-number,
            article=tables.article,
            chunk=chunk,
            section=section,
            lines=lines,
            scores={"anchor": round(anchor.score, 4), "distinct": float(anchor.distinct)},
            relevance=round(relevances[context.anchor], 4),
            line_cosines=cosines,
        )

    return make


def _line_cosines(tables: DocumentTables, context: Context, vector: Vector) -> tuple[float, ...]:
    if tables.vectors is None or tables.vectors.lines is None:
        return ()
    rows = tables.vectors.lines[context.first : context.last + 1]
    return tuple((rows @ vector).astype(float).round(4).tolist())


def _select(
    result: AnchorResult,
    made: Sequence[tuple[Context, Candidate]],
    limits: SelectionSettings,
    costs: dict[int, int],
) -> Selection:
    """Where the best place is relevant enough, those that support it pass with it, whatever their own
    relevance; a place that the question names passes always. The budget counts for all."""
    kept = result.kept
    enough = max((c.relevance for _, c in made), default=0.0) >= limits.threshold
    passing: list[Candidate] = []
    cut: list[tuple[Candidate, CutReason]] = []
    for context, candidate in made:
        anchor = kept[context.anchor]
        supports = enough and anchor.role in ("primary", "supporting")
        if supports or anchor.candidate.named or candidate.relevance >= limits.threshold:
            passing.append(candidate)
        else:
            cut.append((candidate, "below the threshold"))
    selection = select_within_budget(passing, replace(limits, threshold=0.0, strategy="top_k"), {}, costs)
    return replace(selection, cut=(*selection.cut, *cut))


def _milliseconds(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)
