"""Reranker by a cross-encoder of fastembed, which downloads its weights once and runs them here."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, cast

from core.providers.extras import import_extra
from core.providers.fastembed_loading import load_model

DEFAULT_RERANKER = "jinaai/jina-reranker-v2-base-multilingual"


class CrossEncoder(Protocol):
    """What is used of fastembed's rerankers."""

    def rerank(self, query: str, documents: list[str]) -> Iterable[float]: ...


def load_cross_encoder(model: str) -> CrossEncoder:
    """Load a reranker from the cache, else download it. Raises ExtraMissingError or ProviderError."""
    module = import_extra("fastembed.rerank.cross_encoder", "fastembed")
    return cast(CrossEncoder, load_model(module.TextCrossEncoder, model))


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
