from __future__ import annotations

import pytest

from core.errors import ProviderError, ProviderOutputError
from core.ports import GateReviewRequest
from core.providers.litellm_client import LitellmClient, ModelService
from core.providers.litellm_gate_reviewer import LitellmGateReviewer
from tests.emulators.openai_server import Fails, OpenAiServer, Says

# litellm reads two attributes of pydantic's models in a way that pydantic 2.11 calls deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
)
REQUEST = GateReviewRequest("How long is the leave?", "Ten days [1].", ())


def reviewer_of(server: OpenAiServer) -> LitellmGateReviewer:
    return LitellmGateReviewer(LitellmClient(ModelService("openai/emulated", server.url, max_retries=0)))


async def test_the_opinion_of_the_model_comes_with_what_it_cost() -> None:
    with OpenAiServer(Says(('{"verdict": "doubtful", "reason": "For whom?"}',))) as server:
        opinion = await reviewer_of(server).review(REQUEST)
    assert (opinion.verdict, opinion.reason, opinion.usage.calls) == ("doubtful", "For whom?", 1)
    assert "Ten days [1]." in server.requests[0].body["messages"][1]["content"]


async def test_no_verdict_is_a_failure() -> None:
    with OpenAiServer(Says(("I would send it.",))) as server, pytest.raises(ProviderOutputError):
        await reviewer_of(server).review(REQUEST)


async def test_a_service_that_fails_is_a_failure() -> None:
    with OpenAiServer(Fails(500)) as server, pytest.raises(ProviderError):
        await reviewer_of(server).review(REQUEST)
