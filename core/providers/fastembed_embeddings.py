"""Embedder and reranker by fastembed, which downloads a model's weights once and runs them here."""

from __future__ import annotations

import asyncio
import socket
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from core.errors import ProviderError, SettingsError
from core.ports import Vector, Vectors
from core.providers.embedding_models import find_dimensions, find_prefixes
from core.providers.embedding_rows import QueryCache, RowShape, embed_in_batches
from core.providers.extras import import_extra

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
DEFAULT_RERANKER = "jinaai/jina-reranker-v2-base-multilingual"

_BATCH = 32
_MOST_CHARACTERS = 20_000
_HUB_SECONDS = 3.0


class TextModel(Protocol):
    """What is used of fastembed's text models."""

    def embed(self, documents: list[str], batch_size: int) -> Iterable[NDArray[Any]]: ...


class CrossEncoder(Protocol):
    """What is used of fastembed's rerankers."""

    def rerank(self, query: str, documents: list[str]) -> Iterable[float]: ...


def load_text_model(model: str) -> TextModel:
    """Load a text model from the cache, else download it. Raises ExtraMissingError or ProviderError."""
    return cast(TextModel, _load(import_extra("fastembed", "fastembed").TextEmbedding, model))


def load_cross_encoder(model: str) -> CrossEncoder:
    """Load a reranker from the cache, else download it. Raises ExtraMissingError or ProviderError."""
    module = import_extra("fastembed.rerank.cross_encoder", "fastembed")
    return cast(CrossEncoder, _load(module.TextCrossEncoder, model))


class FastembedEmbedder:
    """Any of fastembed's text models, with the prefixes that the model was trained with."""

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        dimensions: int | None = None,
        load: Callable[[str], TextModel] = load_text_model,
    ) -> None:
        """dimensions: of the vectors; needed only where the model's name is not known here."""
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


class FastembedReranker:
    """A cross-encoder that reads question and passage together; scores are its logits."""

    def __init__(
        self, model: str = DEFAULT_RERANKER, load: Callable[[str], CrossEncoder] = load_cross_encoder
    ) -> None:
        self._model_name = model
        self._load = load
        self._loading = threading.Lock()
        self._loaded: CrossEncoder | None = None

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Score passages, in order; none are asked of the model when there are none."""
        if not passages:
            return []
        return await asyncio.to_thread(self._score, question, list(passages))

    def _score(self, question: str, passages: list[str]) -> list[float]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load(self._model_name)
            model = self._loaded
        return [float(score) for score in model.rerank(question, passages)]


def _load(model_class: Callable[..., object], model: str) -> object:
    """Look into the cache first: fastembed asks an absent hub for 40 seconds, and logs errors of its own."""
    import_extra("loguru", "fastembed").logger.disable("fastembed")
    try:
        return model_class(model, local_files_only=True)
    except (OSError, ValueError) as absent:
        if not _hub_answers():
            raise ProviderError(
                f"the model {model} is not in the cache and its hub cannot be reached; "
                "connect once to download it, or choose another provider"
            ) from absent
    try:
        return model_class(model)
    except (OSError, ValueError) as error:
        raise ProviderError(f"fastembed cannot load the model {model}: {error}") from error


def _hub_answers() -> bool:
    """Ask the hub's port, not the hub; behind a proxy assume that it can be reached."""
    if urllib.request.getproxies().get("https"):
        return True
    endpoint = import_extra("huggingface_hub.constants", "fastembed").ENDPOINT
    parts = urllib.parse.urlsplit(endpoint)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=_HUB_SECONDS):
            return True
    except OSError:
        return False


def _package_version() -> str:
    try:
        return ".".join(version("fastembed").split(".")[:2])
    except PackageNotFoundError:
        return "0"
