"""Lines without a vector are embedded when they are first compared, once each, and kept by their content.

Embedding models of passages index whole chunks, so their lines have no vectors until then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from core.contribution.features import TermStats
from core.contribution.matching import lines_to_embed
from core.domain import LineRef, Statement, vector_key
from core.ports import Services, Vector
from core.usecases.evidence import LineVectors


async def embed_cold_lines(
    services: Services,
    statements: Sequence[Statement],
    lines: Sequence[LineRef],
    by_line: LineVectors,
    stats: TermStats,
) -> LineVectors:
    """The vectors that are there, and those of the lines worth comparing with any judged statement."""
    cold = [
        ref for ref in lines if (ref.article_id, ref.line.ordinal) not in by_line and ref.line.text.strip()
    ]
    said = {statement.text for statement in statements if statement.judged}
    if not cold or not said:
        return by_line
    chosen = await asyncio.to_thread(lines_to_embed, said, cold, stats)
    wanted = [cold[index] for index in chosen]
    keys = [vector_key(ref.line.text) for ref in wanted]
    embedder, store = services.embedder, services.knowledge
    known = await asyncio.to_thread(store.known_vectors, embedder.id, keys)
    missing = {key: ref.line.text for key, ref in zip(keys, wanted, strict=True) if key not in known}
    if missing:
        rows = await embedder.embed_passages(list(missing.values()))
        made: dict[str, Vector] = dict(zip(missing, rows, strict=True))
        await asyncio.to_thread(store.save_vectors, embedder.id, made)
        known = {**known, **made}
    warm = {(ref.article_id, ref.line.ordinal): known[key] for key, ref in zip(keys, wanted, strict=True)}
    return {**by_line, **warm}
