from __future__ import annotations

import numpy as np
import pytest

from core.errors import ProviderError, ProviderOutputError, SettingsError
from core.providers.litellm_client import LitellmClient, ModelService
from core.providers.litellm_embeddings import LitellmEmbedder, embedding_service
from tests.emulators.openai_server import Embeds, Fails, OpenAiServer, Sends

DIMENSIONS = 8


async def no_pause(seconds: float) -> None:
    del seconds


def embedder_of(server: OpenAiServer, model: str = "openai/emulated") -> LitellmEmbedder:
    return LitellmEmbedder(LitellmClient(ModelService(model, server.url), no_pause), DIMENSIONS)


async def test_texts_are_sent_in_batches_shortest_first_and_come_back_in_order() -> None:
    texts = [f"text {'x' * (number % 7)}{number}" for number in range(100)]
    with OpenAiServer(dimensions=DIMENSIONS) as server:
        rows = await embedder_of(server).embed_passages(texts)
        expected = await server.embedder.embed_passages(texts)
    assert [len(request.body["input"]) for request in server.requests] == [64, 36]
    assert rows == pytest.approx(expected, abs=1e-6)


async def test_texts_without_content_are_not_sent() -> None:
    with OpenAiServer(dimensions=DIMENSIONS) as server:
        rows = await embedder_of(server).embed_passages(["", "receipt", " "])
    assert [request.body["input"] for request in server.requests] == [["receipt"]]
    assert [bool(row.any()) for row in rows] == [False, True, False]


@pytest.mark.parametrize(
    ("model", "question", "passage"),
    [
        ("openai/text-embedding-3-small", "q", "p"),
        ("openai/multilingual-e5-large", "query: q", "passage: p"),
        ("openai/nomic-embed-text", "search_query: q", "search_document: p"),
        ("openai/bge-m3", "q", "p"),
    ],
)
async def test_questions_and_passages_are_sent_with_the_prefix_of_the_model(
    model: str, question: str, passage: str
) -> None:
    with OpenAiServer(dimensions=DIMENSIONS) as server:
        embedder = embedder_of(server, model)
        await embedder.embed_query("q")
        await embedder.embed_passages(["p"])
    assert [request.body["input"] for request in server.requests] == [[question], [passage]]


async def test_dimensions_are_asked_only_of_models_that_offer_a_choice() -> None:
    with OpenAiServer(dimensions=DIMENSIONS) as server:
        await embedder_of(server, "openai/text-embedding-3-small").embed_query("q")
        await embedder_of(server, "openai/bge-m3").embed_query("q")
    assert [request.body.get("dimensions") for request in server.requests] == [DIMENSIONS, None]


async def test_ollama_is_asked_at_its_own_address() -> None:
    with OpenAiServer(dimensions=DIMENSIONS) as server:
        client = LitellmClient(ModelService("ollama/nomic-embed-text", server.origin), no_pause)
        row = await LitellmEmbedder(client, DIMENSIONS).embed_query("receipt")
    (request,) = server.requests
    assert request.path == "/api/embed"
    assert request.body["input"] == ["search_query: receipt"]
    assert np.linalg.norm(row) == pytest.approx(1)


async def test_a_question_asked_before_is_not_sent_again() -> None:
    with OpenAiServer(dimensions=DIMENSIONS) as server:
        embedder = embedder_of(server)
        first = await embedder.embed_query("同じ")
        assert await embedder.embed_query("同じ") is first
    assert len(server.requests) == 1


async def test_a_busy_service_is_asked_again_after_the_time_it_names() -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    with OpenAiServer(Fails(429, {"Retry-After": "7"}), dimensions=DIMENSIONS) as server:
        client = LitellmClient(ModelService("openai/emulated", server.url), pause)
        row = await LitellmEmbedder(client, DIMENSIONS).embed_query("receipt")
    assert row.any()
    assert pauses == [7.0]
    assert len(server.requests) == 2


async def test_vectors_of_other_dimensions_name_the_setting_to_check() -> None:
    with (
        OpenAiServer(Embeds(((1.0, 2.0, 3.0),))) as server,
        pytest.raises(ProviderOutputError, match=r"check `dimensions` in \[memory.embeddings\]"),
    ):
        await embedder_of(server).embed_query("q")


@pytest.mark.parametrize("row", [(0.0,) * DIMENSIONS, (float("nan"),) * DIMENSIONS])
async def test_vectors_that_mean_nothing_are_refused(row: tuple[float, ...]) -> None:
    with OpenAiServer(Embeds((row,))) as server, pytest.raises(ProviderOutputError, match="not a number"):
        await embedder_of(server).embed_query("q")


@pytest.mark.parametrize("rows", [(), ((1.0,) * DIMENSIONS,) * 3])
async def test_another_number_of_vectors_than_texts_is_refused(rows: tuple[tuple[float, ...], ...]) -> None:
    with (
        OpenAiServer(Embeds(rows)) as server,
        pytest.raises(ProviderOutputError, match="vectors for 2 texts"),
    ):
        await embedder_of(server).embed_passages(["a", "b"])


async def test_vectors_of_unequal_length_are_refused() -> None:
    with (
        OpenAiServer(Embeds(((1.0,), (1.0, 2.0)))) as server,
        pytest.raises(ProviderOutputError, match="unequal"),
    ):
        await embedder_of(server).embed_passages(["a", "b"])


async def test_malformed_output_is_an_error_of_the_provider() -> None:
    with OpenAiServer(*[Sends("{nope")] * 3) as server, pytest.raises(ProviderError):
        await embedder_of(server).embed_query("q")


def test_a_model_that_is_not_known_needs_its_dimensions_in_the_settings() -> None:
    with pytest.raises(SettingsError, match="dimensions must be set for the model openai/someone-new"):
        LitellmEmbedder(LitellmClient(ModelService("openai/someone-new")))
    known = LitellmEmbedder(LitellmClient(ModelService("openai/text-embedding-3-small")))
    assert (known.dimensions, known.id) == (1536, "openai/text-embedding-3-small/1536")


@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        ("openai", "text-embedding-3-large", "openai/text-embedding-3-large"),
        ("openai", "", "openai/text-embedding-3-small"),
        ("ollama", "bge-m3", "ollama/bge-m3"),
        ("ollama", "ollama/bge-m3", "ollama/bge-m3"),
        ("litellm", "voyage/voyage-3.5", "voyage/voyage-3.5"),
    ],
)
def test_a_provider_and_its_model_become_one_name(provider: str, model: str, expected: str) -> None:
    service = embedding_service(provider, model, "http://127.0.0.1", "key")
    assert (service.model, service.endpoint, service.api_key) == (expected, "http://127.0.0.1", "key")


def test_litellm_needs_the_name_of_a_model() -> None:
    with pytest.raises(SettingsError, match="model must be set"):
        embedding_service("litellm", "")
