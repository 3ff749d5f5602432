"""Run all detectors at once for a question, inside the reader predicate. Merging is left to `fusion`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain import DetectorName, Hit, Language
from core.ports import AudienceId, KeywordIndex, Vector, VectorIndex
from core.rag.follow_ups import Context


@dataclass(frozen=True, slots=True)
class Query:
    """A question as the detectors read it. terms: in order, without repeats. vector: unit length.

    context: what earlier turns lend to it; None where it stands on its own.
    """

    text: str
    language: Language
    terms: tuple[str, ...]
    vector: Vector
    context: Context | None = None


async def detect(
    query: Query,
    audiences: Sequence[AudienceId],
    keyword: KeywordIndex,
    vector: VectorIndex,
    limit: int,
) -> dict[DetectorName, list[Hit]]:
    """Hits by detector: `keyword` on the scale of BM25, `vector` on that of the cosine; best first."""
    async with asyncio.TaskGroup() as group:
        by_words = group.create_task(asyncio.to_thread(keyword.search, query.terms, audiences, limit))
        by_meaning = group.create_task(asyncio.to_thread(vector.search, query.vector, audiences, limit))
    return {"keyword": by_words.result(), "vector": by_meaning.result()}
