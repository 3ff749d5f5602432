"""Measure an answer: which article carried which statement, shown to the answerer or not.

The answerer's marks are the first witness, the support measure is the second. Statements that nothing
exposed supports are looked up in the whole knowledge base, within what the asker may read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.contribution.features import TermStats
from core.contribution.measure import Evidence, MeasureSettings, measure
from core.contribution.reading import terms_of
from core.contribution.statements import split_statements
from core.contribution.support import PairVectors, load_model
from core.domain import ArticleId, Candidate, Evaluation, LineRef, Statement
from core.ports import AudienceId, Services, Vector, Vectors
from core.rag.ranking import rank_candidates
from core.rag.retrieval import Query, detect
from core.rag.spans import LINES_FROM, unpack_rows
from core.text.language import detect_language

LOOKED_UP = 8
"""Most unsupported statements of one answer that are looked up; the rest stays unsupported."""
LOOKUP_CHUNKS = 5
LOOKUP_HITS = 30

LineVectors = Mapping[tuple[ArticleId, int], Vector]


@dataclass(frozen=True, slots=True)
class Shown:
    """What stood in a prompt. by_number: source number -> the candidates printed under it."""

    by_number: Mapping[int, Sequence[Candidate]]

    def candidates(self) -> list[Candidate]:
        return [candidate for group in self.by_number.values() for candidate in group]


async def evaluate_answer(
    services: Services,
    text: str,
    shown: Shown,
    audiences: Sequence[AudienceId],
    *,
    refused: bool = False,
) -> Evaluation:
    """Split the answer, check every statement against what was shown, then look up what is left over.

    text: the answer with checked marks. refused: the answerer says that nothing answers, so there is nothing
    to judge. Never raises for odd text: what cannot be judged is `not_judged`.
    """
    statements = await asyncio.to_thread(split_statements, text)
    if refused:
        statements = tuple(replace(s, judged=False, reason=s.reason or "refusal") for s in statements)
    settings = _measure_settings(services)
    candidates = shown.candidates()
    lines = list_lines(candidates)
    by_line = await asyncio.to_thread(_line_vectors, services, candidates)
    by_statement = await _statement_vectors(services, statements, lines, by_line)
    evidence = Evidence(
        lines=lines,
        cited={n: [c.article.id for c in group] for n, group in shown.by_number.items()},
        stats=await asyncio.to_thread(_term_stats, services, statements),
        vectors=_pair_vectors(services, by_statement, by_line, lines),
        exposed={c.article.id: c.article.version for c in candidates},
    )
    evaluation = await asyncio.to_thread(measure, statements, evidence, load_model(), settings)
    missing = [
        statement
        for statement, verdict in zip(statements, evaluation.verdicts, strict=True)
        if verdict in ("unsupported", "unverified")
    ]
    found = await _look_up(services, missing[:LOOKED_UP], by_statement, audiences)
    known = {(ref.article_id, ref.line.ordinal) for ref in lines}
    more = [ref for ref in list_lines(found) if (ref.article_id, ref.line.ordinal) not in known]
    if not more:
        return evaluation
    everything = [*lines, *more]
    by_line = {**await asyncio.to_thread(_line_vectors, services, found), **by_line}
    vectors = _pair_vectors(services, by_statement, by_line, everything)
    wider = replace(evidence, lines=everything, vectors=vectors)
    return await asyncio.to_thread(measure, statements, wider, load_model(), settings)


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
    by_statement: Mapping[int, Vector],
    audiences: Sequence[AudienceId],
) -> list[Candidate]:
    """The chunks that come nearest to each statement, from everything that may be read."""
    found: dict[int, Candidate] = {}
    for statement in statements:
        query = Query(
            statement.text,
            detect_language(statement.text),
            tuple(dict.fromkeys(services.analyse(statement.text))),
            by_statement[statement.ordinal],
        )
        rankings = await detect(query, audiences, services.keyword, services.vector, LOOKUP_HITS)
        ranked = await rank_candidates(services, query, rankings, audiences, LOOKUP_CHUNKS)
        found.update({candidate.chunk_id: candidate for candidate in ranked})
    return list(found.values())


async def _statement_vectors(
    services: Services,
    statements: Sequence[Statement],
    lines: Sequence[LineRef],
    by_line: LineVectors,
) -> dict[int, Vector]:
    """ordinal -> vector, for judged statements; one that repeats a line word for word takes the line's."""
    same = {ref.line.text.strip(): by_line.get((ref.article_id, ref.line.ordinal)) for ref in lines}
    vectors: dict[int, Vector] = {}
    for statement in statements:
        vector = same.get(statement.text.strip())
        if statement.judged and vector is not None:
            vectors[statement.ordinal] = vector
    new = [s for s in statements if s.judged and s.ordinal not in vectors]
    if new:
        made = await services.embedder.embed_passages([s.text for s in new])
        vectors.update({s.ordinal: vector for s, vector in zip(new, made, strict=True)})
    return vectors


def _pair_vectors(
    services: Services, by_statement: Mapping[int, Vector], by_line: LineVectors, lines: Sequence[LineRef]
) -> PairVectors:
    dimensions = services.embedder.dimensions
    empty: Vector = np.zeros(dimensions, dtype=np.float32)
    statements: Vectors = np.zeros((max(by_statement, default=-1) + 1, dimensions), dtype=np.float32)
    for ordinal, vector in by_statement.items():
        statements[ordinal] = vector
    rows = [by_line.get((ref.article_id, ref.line.ordinal), empty) for ref in lines]
    return PairVectors(statements, np.array(rows, dtype=np.float32).reshape(len(lines), dimensions))


def _line_vectors(services: Services, candidates: Sequence[Candidate]) -> dict[tuple[ArticleId, int], Vector]:
    """Vectors of the candidates' lines, where the embedding model made them."""
    packed = services.knowledge.span_vectors(services.embedder.id, [c.chunk_id for c in candidates])
    by_line: dict[tuple[ArticleId, int], Vector] = {}
    for candidate in candidates:
        block = packed.get(candidate.chunk_id)
        if block:
            rows = unpack_rows(block, services.embedder.dimensions)[LINES_FROM:]
            for line, row in zip(candidate.lines, rows, strict=False):
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
    )
