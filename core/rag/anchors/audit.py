"""The record of one search: what ran, what it found, how the order came about, what was shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from core.rag.anchors.expansion import Context
from core.rag.anchors.finding import AnchorResult, RankedAnchor
from core.rag.anchors.hits import AnchorHit
from core.rag.anchors.numbering import format_pages
from core.rag.anchors.tables import DocumentTables

MOST_HITS = 60
"""Hits that are listed, the best of every method; the number of all is kept beside them."""


def write_audit(
    result: AnchorResult, contexts: Sequence[Context], timings_ms: Mapping[str, float]
) -> dict[str, Any]:
    """Plain values for JSON. Texts of the document are left out but for titles and matched keywords; the
    model's raw answer is kept as it came, cut to 4,000 characters."""
    arbitration = asdict(result.arbitration)
    arbitration["usage"] = asdict(result.arbitration.usage)
    return {
        "mode": "anchors",
        "question": _question(result),
        "documents": [_document(tables) for tables in result.documents],
        "detectors": [asdict(run) for run in result.detection.runs],
        "hits_total": len(result.detection.hits),
        "hits": [_hit(result.documents, hit) for hit in _best_hits(result.detection.hits)],
        "candidates": [_candidate(result.documents, anchor) for anchor in result.anchors],
        "arbitration": arbitration,
        "not_found": result.not_found,
        "not_found_reason": result.not_found_reason,
        "methods_tried": [run.method for run in result.detection.runs if run.ran],
        "confidence": result.confidence,
        "caveats": list(result.caveats),
        "contexts": [_context(result.documents, context) for context in contexts],
        "timings_ms": dict(timings_ms),
    }


def _question(result: AnchorResult) -> dict[str, Any]:
    question = result.question
    return {
        "shape": question.shape,
        "keywords": [
            {"text": k.text, "source": k.source, "weight": k.weight, "forms": list(k.forms)}
            for k in question.keywords
        ],
        "wanted": sorted(question.wanted),
        "pages": sorted(question.pages),
        "sections": sorted(question.sections),
    }


def _document(tables: DocumentTables) -> dict[str, Any]:
    return {
        "article_id": tables.article.id,
        "title": tables.article.title,
        "version": tables.article.version,
        "lines": len(tables.lines),
        "sections": len(tables.toc),
        "gathered_by": tables.unit_kind,
    }


def _best_hits(hits: Sequence[AnchorHit]) -> list[AnchorHit]:
    """The first hits of every method, in turns, until MOST_HITS are listed."""
    by_method: dict[str, list[AnchorHit]] = {}
    for hit in hits:
        by_method.setdefault(hit.method, []).append(hit)
    share = max(MOST_HITS // max(len(by_method), 1), 1)
    return [hit for found in by_method.values() for hit in found[:share]]


def _hit(documents: Sequence[DocumentTables], hit: AnchorHit) -> dict[str, Any]:
    return {
        "article_id": documents[hit.document].article.id,
        "method": hit.method,
        "score": hit.score,
        "density": hit.density,
        "page": hit.page,
        "line": hit.line,
        "section": hit.section,
        "keywords": list(hit.keywords),
        "strong": hit.strong,
    }


def _candidate(documents: Sequence[DocumentTables], anchor: RankedAnchor) -> dict[str, Any]:
    candidate = anchor.candidate
    tables = documents[candidate.document]
    unit = tables.units[candidate.unit]
    section = tables.sections[tables.lines[unit.lines[0]].section]
    return {
        "article_id": tables.article.id,
        "number": anchor.number,
        "unit": unit.kind,
        "section": {
            "ordinal": section.ordinal,
            "title": section.title,
            "breadcrumb": section.breadcrumb,
        },
        "pages": str(unit.number) if unit.kind == "page" else format_pages(section),
        "methods": list(candidate.methods),
        "keywords": list(candidate.keywords),
        "distinct": candidate.distinct,
        "title_hit": candidate.title_hit,
        "cosine": round(candidate.cosine, 4),
        "score": round(candidate.score, 4),
        "named": candidate.named,
        "lines": list(candidate.lines),
        "role": anchor.role,
        "reason": anchor.reason,
        "quoted": list(anchor.quoted) if anchor.quoted else None,
    }


def _context(documents: Sequence[DocumentTables], context: Context) -> dict[str, Any]:
    tables = documents[context.document]
    return {
        "article_id": tables.article.id,
        "section": context.section,
        "title": tables.sections[context.section].title,
        "first_line": context.first,
        "last_line": context.last,
        "page": tables.lines[context.first].page,
        "why": context.why,
        "tokens": context.tokens,
    }
