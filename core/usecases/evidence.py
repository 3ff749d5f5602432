"""What statements are compared with: lines with their surroundings, vectors, rarity of terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.contribution.features import TermStats
from core.contribution.reading import terms_of
from core.contribution.support import PairVectors
from core.domain import ArticleId, Candidate, Chunk, LineRef, Statement
from core.ports import Services, Vector, Vectors
from core.rag.spans import LINES_FROM, unpack_rows

LineVectors = Mapping[tuple[ArticleId, int], Vector]
"""By article and ordinal of the line."""


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


def line_vectors(services: Services, candidates: Sequence[Candidate]) -> dict[tuple[ArticleId, int], Vector]:
    """Vectors of the candidates' lines, where the embedding model made them.

    Those of a context that was expanded stand with the stored chunks that it touches.
    """
    spans = [(c.article.id, c.chunk_id, c.chunk) for c in candidates if c.chunk_id >= 0]
    for article_id in {c.article.id for c in candidates if c.chunk_id < 0}:
        contexts = [c.chunk for c in candidates if c.chunk_id < 0 and c.article.id == article_id]
        stored = services.knowledge.article_chunks(article_id).items()
        spans += [(article_id, key, chunk) for key, chunk in stored if _touches(chunk, contexts)]
    packed = services.knowledge.span_vectors(services.embedder.id, [chunk_id for _, chunk_id, _ in spans])
    by_line: dict[tuple[ArticleId, int], Vector] = {}
    for article_id, chunk_id, chunk in spans:
        block = packed.get(chunk_id)
        if block:
            rows = unpack_rows(block, services.embedder.dimensions)[LINES_FROM:]
            for ordinal, row in zip(range(chunk.first_line, chunk.last_line + 1), rows, strict=False):
                by_line[(article_id, ordinal)] = row
    return by_line


def _touches(chunk: Chunk, others: Sequence[Chunk]) -> bool:
    return any(o.first_line <= chunk.last_line and o.last_line >= chunk.first_line for o in others)


def pair_vectors(
    dimensions: int, by_statement: Mapping[int, Vector], by_line: LineVectors, lines: Sequence[LineRef]
) -> PairVectors:
    """Statements by ordinal and lines in their order as matrices; zeros where there is no vector."""
    empty: Vector = np.zeros(dimensions, dtype=np.float32)
    statements: Vectors = np.zeros((max(by_statement, default=-1) + 1, dimensions), dtype=np.float32)
    for ordinal, vector in by_statement.items():
        statements[ordinal] = vector
    rows = [by_line.get((ref.article_id, ref.line.ordinal), empty) for ref in lines]
    return PairVectors(statements, np.array(rows, dtype=np.float32).reshape(len(lines), dimensions))


def term_stats(services: Services, statements: Sequence[Statement]) -> TermStats:
    """How rare the terms of the judged statements are among the chunks of the knowledge base."""
    terms = list(dict.fromkeys(t for s in statements if s.judged for t in terms_of(s.text)))
    total, frequencies = services.keyword.document_frequencies(terms)
    return TermStats(total, dict(zip(terms, frequencies, strict=True)))
