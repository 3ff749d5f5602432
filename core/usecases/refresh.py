"""The indexes catch up with the database: they apply the revisions that they have not seen yet."""

from __future__ import annotations

import asyncio

from core.errors import IndexMismatchError
from core.ports import Progress, SearchIndex, Services, no_progress

BATCH = 2000


async def refresh_indexes(services: Services, progress: Progress = no_progress) -> None:
    """Bring the keyword and the vector index to the newest revision.

    Raises IndexMismatchError if a live chunk has no vector of the configured model, since searching
    without it would quietly find less.
    """
    await asyncio.to_thread(_catch_up, services, progress)


def _catch_up(services: Services, progress: Progress) -> None:
    newest = services.knowledge.revision()
    indexes: tuple[tuple[SearchIndex, bool], ...] = ((services.keyword, False), (services.vector, True))
    for index, needs_vectors in indexes:
        while index.revision < newest:
            delta = services.knowledge.delta_since(index.revision, services.embedder.id, BATCH)
            if needs_vectors and any(entry.vector is None for entry in delta.entries):
                raise IndexMismatchError(
                    "Some articles have no vectors of the configured embedding model "
                    f"({services.embedder.id}). Run `kiyo reindex` to make them; the old index stays until "
                    "then."
                )
            index.apply(delta)
            progress(delta.revision, newest, "indexing")
