"""Embedder over the network: OpenAI, Ollama, and whatever else litellm can call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import ProviderOutputError, SettingsError
from core.ports import Vector, Vectors
from core.providers.embedding_models import find_dimensions, find_prefixes
from core.providers.embedding_rows import QueryCache, RowShape, embed_in_batches
from core.providers.litellm_client import LitellmClient, ModelService

_BATCH = 64
_MOST_CHARACTERS = 6000
"""Services refuse texts over their limit, which is 8,191 tokens at the commonest one."""
_USUAL_MODEL = {"openai": "text-embedding-3-small", "ollama": "nomic-embed-text"}
_CHOSEN_DIMENSIONS = ("text-embedding-3", "gemini-embedding", "voyage-3")
"""Models that make shorter vectors when asked to; the others refuse the question."""


def embedding_service(provider: str, model: str, endpoint: str = "", api_key: str = "") -> ModelService:
    """Name the service of [memory.embeddings].

    provider: `openai` or `ollama`, whose model has the vendor's own name ("" for its usual one), or
    `litellm`, whose model has litellm's name.
    Raises SettingsError when `litellm` is given no model.
    """
    name = model or _USUAL_MODEL.get(provider, "")
    if not name:
        raise SettingsError(f"[memory.embeddings] model must be set for the provider {provider}")
    if provider in _USUAL_MODEL and not name.startswith(f"{provider}/"):
        name = f"{provider}/{name}"
    return ModelService(name, endpoint, api_key)


class LitellmEmbedder:
    """The embedding model of `client`, with the prefixes that it was trained with."""

    embeds_lines = False

    def __init__(self, client: LitellmClient, dimensions: int | None = None) -> None:
        """dimensions: of the vectors; needed only where the model's name is not known here.

        Raises SettingsError when they are neither given nor known.
        """
        self._client = client
        model = client.service.model
        known = dimensions or find_dimensions(model)
        if known is None:
            raise SettingsError(f"[memory.embeddings] dimensions must be set for the model {model}")
        self._asked = dimensions if any(name in model for name in _CHOSEN_DIMENSIONS) else None
        self._prefixes = find_prefixes(model)
        self._queries = QueryCache()
        self.dimensions = known
        self.embeds_lines = False

    @property
    def id(self) -> str:
        return f"{self._client.service.model}/{self.dimensions}"

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embed(texts, self._prefixes.passage)

    async def embed_query(self, text: str) -> Vector:
        return await self._queries.get(text, lambda: self._embed([text], self._prefixes.query))

    async def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        shape = RowShape(self._client.service.model, self.dimensions, _BATCH, _MOST_CHARACTERS)
        return await embed_in_batches(texts, shape, lambda batch: self._encode(prefix, batch))

    async def _encode(self, prefix: str, batch: list[str]) -> Vectors:
        rows = await self._client.embed([prefix + text for text in batch], self._asked)
        try:
            return np.array(rows, dtype=np.float32)
        except (ValueError, TypeError) as error:
            raise ProviderOutputError(
                f"{self._client.service.model} gave vectors of unequal length, or no numbers"
            ) from error
