from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from core.domain import Usage
from core.errors import ProviderError, ProviderOutputError, ProviderTimeoutError
from core.providers.litellm_client import LitellmClient, ModelService, load_litellm
from tests.emulators.openai_server import Breaks, Fails, Hangs, OpenAiServer, Says, Sends

# litellm reads two attributes of pydantic's models in a way that pydantic 2.11 calls deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
)

QUESTION = ({"role": "user", "content": "質問"},)
EMPTY_CHOICES = '{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'


def ignore(piece: str) -> None:
    """Takes a stream without looking at it."""


class Pauses:
    """Waits no time and writes down how long it would have."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def client_of(
    server: OpenAiServer, pauses: Pauses | None = None, timeout: float = 5.0, retries: int = 2
) -> LitellmClient:
    service = ModelService("openai/emulated", server.url, "secret-key", timeout, retries)
    return LitellmClient(service, pauses or Pauses())


async def test_a_whole_answer_comes_with_its_tokens_and_an_unknown_price() -> None:
    with OpenAiServer(Says(("Hello ", "world"))) as server:
        completion = await client_of(server).complete(QUESTION)
    assert completion.text == "Hello world"
    assert completion.usage == Usage(11, 7, None, 1)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body["messages"] == list(QUESTION)
    assert (request.body["temperature"], request.body["max_tokens"]) == (0.0, 1024)
    assert request.headers["authorization"] == "Bearer secret-key"


async def test_a_streamed_answer_comes_in_pieces_with_the_same_tokens() -> None:
    pieces: list[str] = []
    with OpenAiServer(Says(("経費は", "30日以内", "[1]"))) as server:
        completion = await client_of(server).complete(QUESTION, pieces.append)
    assert pieces == ["経費は", "30日以内", "[1]"]
    assert completion.text == "経費は30日以内[1]"
    assert completion.usage == Usage(11, 7, None, 1)


async def test_a_listed_model_has_a_price() -> None:
    with OpenAiServer(Says(usage=(1_000_000, 1_000_000))) as server:
        service = ModelService("openai/gpt-4o-mini", server.url, "k")
        completion = await LitellmClient(service).complete(QUESTION)
    assert completion.usage.cost_usd == pytest.approx(0.15 + 0.60)


async def test_missing_usage_is_no_price_of_zero() -> None:
    with OpenAiServer(Says(usage=None)) as server:
        completion = await LitellmClient(ModelService("openai/gpt-4o-mini", server.url)).complete(QUESTION)
    assert completion.text == "ok"
    assert completion.usage.cost_usd is None


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_busy_service_is_asked_again_after_the_time_it_names(streamed: bool) -> None:
    pauses = Pauses()
    with OpenAiServer(Fails(429, {"Retry-After": "7"}), Fails(500), Says()) as server:
        completion = await client_of(server, pauses).complete(QUESTION, ignore if streamed else None)
    assert completion.text == "ok"
    assert pauses.seconds == [7.0, 1.0]
    assert len(server.requests) == 3


async def test_retry_after_may_be_a_date() -> None:
    pauses = Pauses()
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    with OpenAiServer(Fails(503, {"Retry-After": date}), Says()) as server:
        await client_of(server, pauses).complete(QUESTION)
    assert 1 < pauses.seconds[0] <= 20


async def test_a_service_that_asks_for_a_long_wait_is_not_waited_for() -> None:
    pauses = Pauses()
    with (
        OpenAiServer(Fails(429, {"Retry-After": "3600"})) as server,
        pytest.raises(ProviderError, match="no more calls for now"),
    ):
        await client_of(server, pauses).complete(QUESTION)
    assert pauses.seconds == []


async def test_retries_end_and_the_pauses_double() -> None:
    pauses = Pauses()
    with OpenAiServer(*[Fails(500)] * 9) as server, pytest.raises(ProviderError, match="emulated failure"):
        await client_of(server, pauses, retries=3).complete(QUESTION)
    assert pauses.seconds == [0.5, 1.0, 2.0]
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "check `api_key`"),
        (403, "may not use this model"),
        (404, "check `model` and `endpoint`"),
        (400, "the call failed"),
    ],
)
async def test_what_another_try_cannot_mend_is_not_tried_again(status: int, advice: str) -> None:
    with OpenAiServer(Fails(status)) as server, pytest.raises(ProviderError, match=advice):
        await client_of(server).complete(QUESTION)
    assert len(server.requests) == 1


async def test_a_prompt_that_is_too_long_names_the_setting_to_lower() -> None:
    body = '{"error": {"message": "the request exceeds the available context size"}}'
    with (
        OpenAiServer(Fails(400, body=body)) as server,
        pytest.raises(ProviderError, match="max_context_tokens"),
    ):
        await client_of(server).complete(QUESTION)


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_service_that_hangs_is_given_up_after_the_time_limit(streamed: bool) -> None:
    with (
        OpenAiServer(Hangs(), Hangs()) as server,
        pytest.raises(ProviderTimeoutError, match=r"did not answer within 0\.2 seconds"),
    ):
        await client_of(server, timeout=0.2, retries=1).complete(QUESTION, ignore if streamed else None)
    assert len(server.requests) == 2


async def test_a_stream_that_stops_coming_is_given_up_and_not_started_again() -> None:
    pieces: list[str] = []
    with OpenAiServer(Hangs(("a", "b"))) as server, pytest.raises(ProviderTimeoutError):
        await client_of(server, timeout=0.2).complete(QUESTION, pieces.append)
    assert pieces == ["a", "b"]
    assert len(server.requests) == 1


async def test_a_stream_cut_in_the_middle_is_an_error_and_not_a_short_answer() -> None:
    pieces: list[str] = []
    with OpenAiServer(Breaks(("half an ",))) as server, pytest.raises(ProviderError):
        await client_of(server).complete(QUESTION, pieces.append)
    assert pieces == ["half an "]
    assert len(server.requests) == 1


async def test_a_stream_cut_before_its_first_word_is_an_answer_without_a_text() -> None:
    with OpenAiServer(Breaks(())) as server, pytest.raises(ProviderOutputError, match="without a text"):
        await client_of(server).complete(QUESTION, ignore)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("body", ["{not json", "<html>busy</html>", 'data: {"nope\n\n'])
async def test_malformed_output_is_named_as_such(body: str, streamed: bool) -> None:
    with OpenAiServer(Sends(body), Sends(body)) as server, pytest.raises(ProviderOutputError):
        await client_of(server, retries=1).complete(QUESTION, ignore if streamed else None)


@pytest.mark.parametrize("step", [Sends(EMPTY_CHOICES), Says(None), Says(()), Says((" \n",))])
async def test_an_answer_without_a_text_is_an_error(step: Sends | Says) -> None:
    with OpenAiServer(step) as server, pytest.raises(ProviderOutputError, match="without a text"):
        await client_of(server).complete(QUESTION)


async def test_a_server_that_is_not_there_is_an_error_after_retries() -> None:
    pauses = Pauses()
    with OpenAiServer() as server:
        gone = client_of(server, pauses, retries=1)
    with pytest.raises(ProviderError, match="the call failed"):
        await gone.complete(QUESTION)
    assert len(pauses.seconds) == 1


async def test_a_server_of_ones_own_needs_no_key() -> None:
    with OpenAiServer() as server:
        completion = await LitellmClient(ModelService("openai/emulated", server.url)).complete(QUESTION)
    assert completion.text == "ok"


async def test_a_vendor_that_is_unknown_is_an_error_in_a_sentence() -> None:
    with pytest.raises(ProviderError, match="no-such-vendor/model"):
        await LitellmClient(ModelService("no-such-vendor/model")).complete(QUESTION)


def test_the_key_is_not_in_the_text_of_the_service() -> None:
    assert "secret" not in repr(ModelService("m", api_key="secret"))


def test_litellm_fetches_no_price_list() -> None:
    assert load_litellm().telemetry is False
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
