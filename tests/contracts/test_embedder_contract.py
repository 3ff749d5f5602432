"""What every embedder does, the fake one and the real ones alike."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from core.ports import Embedder
from core.providers.local_embeddings import LocalEmbedder
from core.providers.remembering import RememberingEmbedder
from tests.fake_models import FakeEmbedder

EMBEDDERS: dict[str, Embedder] = {
    "fake": FakeEmbedder(),
    "local": LocalEmbedder(),
    "remembering": RememberingEmbedder(FakeEmbedder()),
}

TEXTS = [
    "How do I get my money back?",
    "出張の交通費は経費システムで精算します。",
    "a",
    "The warranty covers repairs for two years. " * 30,
    "領収書",
]
WITHOUT_CONTENT = ["", " ", "\n\t", "\x00", "\x00 \x00"]


@pytest.fixture(params=EMBEDDERS)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return EMBEDDERS[request.param]


async def test_vectors_have_unit_length_and_the_stated_dimensions(embedder: Embedder) -> None:
    vectors = await embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


async def test_a_text_without_content_becomes_a_row_of_zeros(embedder: Embedder) -> None:
    vectors = await embedder.embed_passages([*WITHOUT_CONTENT, "receipt"])
    assert not vectors[: len(WITHOUT_CONTENT)].any()
    assert vectors[-1].any()
    assert not (await embedder.embed_query("")).any()


async def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert (await embedder.embed_passages([])).shape == (0, embedder.dimensions)


async def test_vectors_come_back_in_the_order_of_the_texts(embedder: Embedder) -> None:
    together = await embedder.embed_passages(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        alone = (await embedder.embed_passages([text]))[0]
        assert alone == pytest.approx(row, abs=1e-4)


async def test_the_same_text_gives_the_same_vector_again(embedder: Embedder) -> None:
    first, second = await embedder.embed_query(TEXTS[1]), await embedder.embed_query(TEXTS[1])
    assert first.shape == (embedder.dimensions,)
    assert first.tolist() == second.tolist()


async def test_a_question_is_nearest_to_the_passage_that_shares_its_words(embedder: Embedder) -> None:
    passages = ["kitchen opening hours", "refund of travel costs", "parking places"]
    vectors = await embedder.embed_passages(passages)
    question = await embedder.embed_query("travel costs refund")
    assert int(np.argmax(vectors @ question)) == 1


async def test_odd_characters_are_embedded_without_error(embedder: Embedder) -> None:
    vectors = await embedder.embed_passages(["re\x00ceipt", "half \ud800 pair receipt", "\U0001f600 receipt"])
    assert np.all(np.linalg.norm(vectors, axis=1) > 0.99)


async def test_many_calls_at_once_give_what_one_call_gives(embedder: Embedder) -> None:
    alone = await embedder.embed_passages(TEXTS)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(embedder.embed_passages(TEXTS)) for _ in range(4)]
    for task in tasks:
        assert task.result() == pytest.approx(alone, abs=1e-5)


async def test_the_id_names_the_dimensions(embedder: Embedder) -> None:
    assert f"/{embedder.dimensions}" in embedder.id
