from __future__ import annotations

import numpy as np
import pytest

from core.providers.remembering import LONGEST_BATCH, RememberingEmbedder
from tests.fake_models import FakeEmbedder


@pytest.fixture
def inner() -> FakeEmbedder:
    return FakeEmbedder()


async def test_a_sentence_that_comes_again_is_not_embedded_again(inner: FakeEmbedder) -> None:
    embedder = RememberingEmbedder(inner)
    first = await embedder.embed_passages(["one", "two", "one"])
    again = await embedder.embed_passages(["two", "three", "one"])
    assert inner.embedded == ["one", "two", "three"]
    assert np.array_equal(again[[2, 0, 2]], first)
    plain = await FakeEmbedder().embed_passages(["two", "three", "one"])
    assert np.array_equal(again, plain)


async def test_the_oldest_is_forgotten_first(inner: FakeEmbedder) -> None:
    embedder = RememberingEmbedder(inner, capacity=2)
    for text in ("one", "two", "one", "three", "one", "two"):
        await embedder.embed_passages([text])
    assert inner.embedded == ["one", "two", "three", "two"]


async def test_what_is_handed_out_can_be_changed_without_harm(inner: FakeEmbedder) -> None:
    embedder = RememberingEmbedder(inner)
    first = await embedder.embed_passages(["one"])
    first[:] = 0
    assert (await embedder.embed_passages(["one"])).any()


async def test_documents_pass_through(inner: FakeEmbedder) -> None:
    embedder = RememberingEmbedder(inner)
    many = [f"line {n}" for n in range(LONGEST_BATCH + 1)]
    await embedder.embed_passages(many)
    await embedder.embed_passages(many[:1])
    assert len(inner.embedded) == len(many) + 1
