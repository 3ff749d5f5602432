"""Statements that nothing exposed supports are looked up in everything that may be read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from core.domain import Candidate, Statement
from core.ports import AudienceId, Services, Vector
from core.rag.ranking import rank_candidates
from core.rag.retrieval import Query, detect
from core.text.language import detect_language

LOOKED_UP = 8
"""Most statements of one answer that are looked up; the rest stays unsupported."""
CHUNKS = 5
HITS = 30


async def look_up(
    services: Services,
    statements: Sequence[Statement],
    vectors: Mapping[int, Vector],
    audiences: Sequence[AudienceId],
) -> list[Candidate]:
    """The chunks that come nearest to each statement, each chunk once; all statements are searched at once.

    vectors: of the statements, by ordinal.
    """
    async with asyncio.TaskGroup() as group:
        searches = [
            group.create_task(_search(services, statement.text, vectors[statement.ordinal], audiences))
            for statement in statements[:LOOKED_UP]
        ]
    found = {candidate.chunk_id: candidate for search in searches for candidate in search.result()}
    return list(found.values())


async def _search(
    services: Services, text: str, vector: Vector, audiences: Sequence[AudienceId]
) -> list[Candidate]:
    terms = await asyncio.to_thread(services.analyse, text)
    query = Query(text, detect_language(text), tuple(dict.fromkeys(terms)), vector)
    rankings = await detect(query, audiences, services.keyword, services.vector, HITS)
    return await rank_candidates(services, query, rankings, audiences, CHUNKS)
