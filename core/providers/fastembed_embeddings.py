"""Embedder by fastembed, which downloads a model's weights once and runs them here."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingsError
from core.ports import Vector, Vectors
from core.providers.embedding_models import find_dimensions, find_prefixes
from core.providers.embedding_rows import QueryCache, RowShape, embed_in_batches
from core.providers.extras import import_extra
from core.providers.fastembed_loading import load_model

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"

_BATCH = 32
_MOST_CHARACTERS = 20_000


class TextModel(Protocol):
    """What is used of fastembed's text models."""

    def embed(self, documents: list[str], batch_size: int) -> Iterable[NDArray[Any]]: ...


def load_text_model(model: str) -> TextModel:
    """Load a text model from the cache, else download it. Raises ExtraMissingError or ProviderError."""
    return cast(TextModel, load_model(import_extra("fastembed", "fastembed").TextEmbedding, model))


class FastembedEmbedder:
    """Any of fastembed's text models, with the prefixes that the model was trained with."""

    embeds_lines = False

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        dimensions: int | None = None,
        load: Callable[[str], TextModel] = load_text_model,
    ) -> None:
        """model: "" is the default one. dimensions: needed only where the model's name is not known here.

        Raises SettingsError when they are neither given nor known.
        """
        model = model or DEFAULT_MODEL
        known = dimensions or find_dimensions(model)
        if known is None:
            raise SettingsError(f"[memory.embeddings] dimensions must be set for the model {model}")
        self._model_name = model
        self._prefixes = find_prefixes(model)
        self._load = load
        self._loading = threading.Lock()
        self._loaded: TextModel | None = None
        self._queries = QueryCache()
        self.dimensions = known
        self.embeds_lines = False

    @property
    def id(self) -> str:
        return f"fastembed@{_package_version()}/{self._model_name}/{self.dimensions}"

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embed(texts, self._prefixes.passage)

    async def embed_query(self, text: str) -> Vector:
        return await self._queries.get(text, lambda: self._embed([text], self._prefixes.query))

    async def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        shape = RowShape(self.id, self.dimensions, _BATCH, _MOST_CHARACTERS)
        return await embed_in_batches(
            texts, shape, lambda batch: asyncio.to_thread(self._encode, prefix, batch)
        )

    def _encode(self, prefix: str, batch: list[str]) -> Vectors:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load(self._model_name)
            model = self._loaded
        rows = list(model.embed([prefix + text for text in batch], batch_size=len(batch)))
        return np.array(rows, dtype=np.float32)


def _package_version() -> str:
    try:
        return ".".join(version("fastembed").split(".")[:2])
    except PackageNotFoundError:
        return "0"
