from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.errors import ProviderError, ProviderOutputError
from core.ports import Claim
from core.providers.litellm_client import LitellmClient, Messages, ModelService
from core.providers.litellm_judge import BATCH, LitellmJudge, LitellmVerifier
from tests.emulators.openai_server import Fails, OpenAiServer, Says

# litellm reads two attributes of pydantic's models in a way that pydantic 2.11 calls deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
)

TWO = [
    Claim("Leave is ten days.", "Ten days of leave."),
    Claim("半日休暇は取れない。", "半日単位でも取れます。"),
]


def client_of(server: OpenAiServer) -> LitellmClient:
    return LitellmClient(ModelService("openai/emulated", server.url, max_retries=0))


def listed(claims: Sequence[Claim]) -> Messages:
    return [{"role": "user", "content": f"{len(claims)} pairs, first: {claims[0].statement}"}]


def judge_of(server: OpenAiServer) -> LitellmJudge:
    return LitellmJudge(client_of(server), listed, "judge/default@1")


def verifier_of(server: OpenAiServer) -> LitellmVerifier:
    return LitellmVerifier(client_of(server), listed, "verify/default@1")


async def test_verdicts_come_in_the_order_of_the_pairs() -> None:
    with OpenAiServer(Says(("Verdicts: [true, false]",))) as server:
        assert await judge_of(server).judge(TWO) == [True, False]
    assert server.requests[0].body["messages"][0]["content"] == "2 pairs, first: Leave is ten days."


@pytest.mark.parametrize("value", ["null", "NaN", '"maybe"', "0.7", "1"])
async def test_what_is_neither_yes_nor_no_is_no_verdict(value: str) -> None:
    with OpenAiServer(Says((f"[true, {value}]",))) as server:
        assert await judge_of(server).judge(TWO) == [True, None]


@pytest.mark.parametrize("value", ["null", "NaN", "Infinity", "-0.1", "1.5", "true", '"0.5"'])
async def test_what_is_no_probability_is_none(value: str) -> None:
    with OpenAiServer(Says((f"[0.25, {value}]",))) as server:
        assert await verifier_of(server).verify(TWO) == [0.25, None]


@pytest.mark.parametrize("text", ["[true]", "[true, false, true]", "yes, no", "[true, "])
async def test_an_answer_that_does_not_fit_the_pairs_is_a_failure(text: str) -> None:
    with OpenAiServer(Says((text,))) as server, pytest.raises(ProviderOutputError, match="2 values"):
        await judge_of(server).judge(TWO)


async def test_a_service_that_fails_is_a_failure_and_no_verdict() -> None:
    with OpenAiServer(Fails(500)) as server, pytest.raises(ProviderError):
        await verifier_of(server).verify(TWO)


async def test_a_batch_that_fails_leaves_the_others() -> None:
    many = [Claim(f"Statement {n}.", "A passage.") for n in range(BATCH + 2)]
    with OpenAiServer(Says(("[true, true]",)), Says(("[true, true]",))) as server:
        verdicts = await judge_of(server).judge(many)
    assert verdicts == [None] * BATCH + [True, True]


async def test_no_pairs_need_no_call() -> None:
    with OpenAiServer() as server:
        assert await judge_of(server).judge([]) == []
    assert server.requests == []


async def test_the_id_names_the_model_and_the_wording() -> None:
    with OpenAiServer() as server:
        assert judge_of(server).id == "openai/emulated:judge/default@1"
        assert verifier_of(server).id == "openai/emulated:verify/default@1"
