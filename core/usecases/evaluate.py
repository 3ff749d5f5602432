"""Measure an answer: which article carried which statement, shown to the answerer or not.

The answerer's marks are the first witness, the support measure is the second. Statements that nothing
exposed supports are looked up in the whole knowledge base, within what the asker may read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.contribution.features import TermStats, terms_of
from core.contribution.measure import Evidence, MeasureSettings, measure
from core.contribution.statements import split_statements
from core.contribution.support import PairVectors, load_model
from core.domain import ArticleId, Candidate, Evaluation, Line, LineRef, Statement
from core.ports import AudienceId, Services, Vectors
from core.rag.ranking import rank_candidates
from core.rag.retrieval import Query, detect
from core.rag.spans import unpack_rows
from core.text.language import detect_language

LOOKED_UP = 8
"""Most unsupported statements of one answer that are looked up; the rest stays unsupported."""
LOOKUP_CHUNKS = 5
LOOKUP_HITS = 30


@dataclass(frozen=True, slots=True)
class Shown:
    """What stood in a prompt. by_number: source number -> the candidates printed under it."""

    by_number: Mapping[int, Sequence[Candidate]]

    def candidates(self) -> list[Candidate]:
        return [candidate for group in self.by_number.values() for candidate in group]


async def evaluate_answer(
    services: Services, text: str, shown: Shown, audiences: Sequence[AudienceId]
) -> Evaluation:
    """Split the answer, check every statement against what was shown, then look up what is left over.

    text: the answer with checked marks. Never raises for odd text: what cannot be judged is `not_judged`.
    """
    statements = await asyncio.to_thread(split_statements, text)
    settings = _measure_settings(services)
    candidates = shown.candidates()
    lines = list_lines(candidates)
    vectors = await _statement_vectors(services, statements, lines)
    evidence = Evidence(
        lines=lines,
        cited={n: [c.article.id for c in group] for n, group in shown.by_number.items()},
        stats=await asyncio.to_thread(_term_stats, services, statements),
        vectors=await asyncio.to_thread(_pair_vectors, services, vectors, candidates, lines),
        exposed={c.article.id: c.article.version for c in candidates},
    )
    model = load_model()
    evaluation = await asyncio.to_thread(measure, statements, evidence, model, settings)
    missing = [
        statement
        for statement, verdict in zip(statements, evaluation.verdicts, strict=True)
        if verdict in ("unsupported", "unverified")
    ]
    found = await _look_up(services, missing[:LOOKED_UP], vectors, audiences)
    known = {(ref.article_id, ref.line.ordinal) for ref in lines}
    more = [ref for ref in list_lines(found) if (ref.article_id, ref.line.ordinal) not in known]
    if not more:
        return evaluation
    everything = [*lines, *more]
    pairs = await asyncio.to_thread(_pair_vectors, services, vectors, [*candidates, *found], everything)
    wider = replace(evidence, lines=everything, vectors=pairs)
    return await asyncio.to_thread(measure, statements, wider, model, settings)


def list_lines(candidates: Sequence[Candidate]) -> list[LineRef]:
    """Every line of the candidates once, with its neighbours inside the chunk and its breadcrumb."""
    refs: dict[tuple[ArticleId, int], LineRef] = {}
    for candidate in candidates:
        texts = [line.text for line in candidate.lines]
        for i, line in enumerate(candidate.lines):
            refs.setdefault(
                (candidate.article.id, line.ordinal),
                LineRef(
                    article_id=candidate.article.id,
                    version=candidate.article.version,
                    line=line,
                    before=texts[i - 1] if i > 0 else "",
                    after=texts[i + 1] if i + 1 < len(texts) else "",
                    heading=candidate.chunk.breadcrumb,
                ),
            )
    return list(refs.values())


async def _look_up(
    services: Services,
    statements: Sequence[Statement],
    vectors: Mapping[int, np.ndarray[tuple[int], np.dtype[np.float32]]],
    audiences: Sequence[AudienceId],
) -> list[Candidate]:
    """The chunks that come nearest to each statement, from everything that may be read."""
    found: dict[int, Candidate] = {}
    for statement in statements:
        query = Query(
            statement.text,
            detect_language(statement.text),
            tuple(dict.fromkeys(services.analyse(statement.text))),
            vectors[statement.ordinal],
        )
        rankings = await detect(query, audiences, services.keyword, services.vector, LOOKUP_HITS)
        ranked = await rank_candidates(services, query, rankings, audiences, LOOKUP_CHUNKS)
        found.update({candidate.chunk_id: candidate for candidate in ranked})
    return list(found.values())


async def _statement_vectors(
    services: Services, statements: Sequence[Statement], lines: Sequence[LineRef]
) -> dict[int, np.ndarray[tuple[int], np.dtype[np.float32]]]:
    """ordinal -> vector, for judged statements."""
    judged = [s for s in statements if s.judged]
    if not judged:
        return {}
    vectors = await services.embedder.embed_passages([s.text for s in judged])
    return {s.ordinal: vector for s, vector in zip(judged, vectors, strict=True)}


def _pair_vectors(
    services: Services,
    statements: Mapping[int, np.ndarray[tuple[int], np.dtype[np.float32]]],
    candidates: Sequence[Candidate],
    lines: Sequence[LineRef],
) -> PairVectors:
    dimensions = services.embedder.dimensions
    by_line = _line_vectors(services, candidates, dimensions)
    empty = np.zeros(dimensions, dtype=np.float32)
    rows = [by_line.get((ref.article_id, ref.line.ordinal), empty) for ref in lines]
    count = max(statements, default=-1) + 1
    matrix: Vectors = np.zeros((count, dimensions), dtype=np.float32)
    for ordinal, vector in statements.items():
        matrix[ordinal] = vector
    return PairVectors(matrix, np.array(rows, dtype=np.float32).reshape(len(lines), dimensions))


def _line_vectors(
    services: Services, candidates: Sequence[Candidate], dimensions: int
) -> dict[tuple[ArticleId, int], np.ndarray[tuple[int], np.dtype[np.float32]]]:
    packed = services.knowledge.span_vectors(services.embedder.id, [c.chunk_id for c in candidates])
    by_line: dict[tuple[ArticleId, int], np.ndarray[tuple[int], np.dtype[np.float32]]] = {}
    for candidate in candidates:
        block = packed.get(candidate.chunk_id)
        if not block:
            continue
        rows = unpack_rows(block, dimensions)[1:]
        embedded: list[Line] = list(candidate.lines)[: len(rows)]
        for line, row in zip(embedded, rows, strict=False):
            by_line[(candidate.article.id, line.ordinal)] = row
    return by_line


def _term_stats(services: Services, statements: Sequence[Statement]) -> TermStats:
    terms = list(dict.fromkeys(t for s in statements if s.judged for t in terms_of(s.text)))
    total, frequencies = services.keyword.document_frequencies(terms)
    return TermStats(total, dict(zip(terms, frequencies, strict=True)))


def _measure_settings(services: Services) -> MeasureSettings:
    settings = services.settings.evaluation
    return MeasureSettings(
        threshold=settings.threshold,
        counted=frozenset(settings.counting),
        excerpt_chars=settings.excerpt_chars,
    )
