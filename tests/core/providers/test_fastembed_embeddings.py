from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import SettingsError
from core.providers.fastembed_embeddings import FastembedEmbedder


class RecordingModel:
    """Stands for fastembed's text model: the same call, vectors that grow with the text."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.texts: list[str] = []

    def embed(self, documents: list[str], batch_size: int) -> Iterator[NDArray[Any]]:
        self.texts += documents
        for text in documents:
            yield np.array([len(text)] + [1] * (self.dimensions - 1), dtype=np.float64)


async def test_questions_and_passages_get_the_prefixes_of_the_model() -> None:
    model = RecordingModel(1024)
    embedder = FastembedEmbedder("intfloat/multilingual-e5-large", load=lambda name: model)
    await embedder.embed_passages(["規則", ""])
    await embedder.embed_query("質問")
    assert model.texts == ["passage: 規則", "query: 質問"]


async def test_a_model_without_prefixes_sees_the_text_alone() -> None:
    model = RecordingModel(384)
    embedder = FastembedEmbedder(load=lambda name: model)
    await embedder.embed_query("質問")
    assert model.texts == ["質問"]


async def test_vectors_are_float32_and_of_unit_length() -> None:
    embedder = FastembedEmbedder(load=lambda name: RecordingModel(384))
    rows = await embedder.embed_passages(["a", "bb"])
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])


def test_a_model_that_is_not_known_needs_its_dimensions_in_the_settings() -> None:
    with pytest.raises(SettingsError, match="dimensions must be set for the model someone/new"):
        FastembedEmbedder("someone/new")
    assert FastembedEmbedder("someone/new", dimensions=5).dimensions == 5


def test_the_id_tells_models_and_dimensions_apart() -> None:
    ids = {
        FastembedEmbedder("BAAI/bge-m3").id,
        FastembedEmbedder("intfloat/multilingual-e5-large").id,
        FastembedEmbedder("BAAI/bge-m3", dimensions=5).id,
    }
    assert len(ids) == 3


def test_no_model_name_is_the_default_model() -> None:
    assert FastembedEmbedder("").id == FastembedEmbedder().id
