from __future__ import annotations

import json

import pytest

from core.errors import ProviderTimeoutError
from core.ports import ArbiterCandidate, ArbiterRequest, TocEntry
from core.providers.litellm_arbiter import LitellmArbiter, LitellmTocReader
from core.providers.litellm_client import LitellmClient, ModelService
from tests.emulators.openai_server import Hangs, OpenAiServer, Says

# litellm reads two attributes of pydantic's models in a way that pydantic 2.11 calls deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
)

TOC = (TocEntry("0", 1, "Introduction", "1"), TocEntry("1", 1, "Terms & <conditions>", "2-3"))
REQUEST = ArbiterRequest(
    "When may I leave?",
    "en",
    TOC,
    (ArbiterCandidate("1", "Contract > Terms", ("keyword_lines",), ("leave",), ((7, "Leave on May 1."),)),),
)
VERDICT = {
    "ranking": [
        {"id": "1", "role": "primary", "reason": "It says when.", "line_start": 7, "quote": "Leave on May 1."}
    ],
    "not_found": False,
    "confidence": 0.9,
    "caveats": ["Two dates differ."],
}


def client_of(server: OpenAiServer, timeout_seconds: float = 30.0) -> LitellmClient:
    return LitellmClient(
        ModelService("openai/emulated", server.url, timeout_seconds=timeout_seconds, max_retries=0)
    )


async def test_a_verdict_is_read_from_one_call() -> None:
    with OpenAiServer(Says((f"Here it is:\n{json.dumps(VERDICT)}",))) as server:
        verdict = await LitellmArbiter(client_of(server)).judge(REQUEST)
    assert len(server.requests) == 1
    assert [(r.id, r.role, r.line_start) for r in verdict.rankings] == [("1", "primary", 7)]
    assert (verdict.confidence, verdict.problem, verdict.caveats) == (0.9, "", ("Two dates differ.",))
    assert verdict.prompt == "arbiter/default@1"
    assert verdict.usage.calls == 1


async def test_the_model_sees_the_whole_table_and_every_place_with_its_lines() -> None:
    with OpenAiServer(Says((json.dumps(VERDICT),))) as server:
        await LitellmArbiter(client_of(server)).judge(REQUEST)
    asked = server.requests[0].body["messages"][1]["content"]
    assert "0: Introduction (p. 1)" in asked
    assert "1: Terms &amp; &lt;conditions&gt; (p. 2-3)" in asked
    assert "GLOBAL_LINE 7: Leave on May 1." in asked


async def test_an_answer_that_is_no_json_is_a_problem_and_kept_as_it_came() -> None:
    with OpenAiServer(Says(("I would look at section 1.",))) as server:
        verdict = await LitellmArbiter(client_of(server)).judge(REQUEST)
    assert len(server.requests) == 1
    assert verdict.problem == "no JSON object in the answer"
    assert verdict.raw == "I would look at section 1."


async def test_a_model_that_does_not_answer_in_time_is_not_asked_again() -> None:
    with OpenAiServer(Hangs()) as server:
        with pytest.raises(ProviderTimeoutError):
            await LitellmArbiter(client_of(server, 0.2)).judge(REQUEST)
        assert len(server.requests) == 1


async def test_sections_are_selected_by_the_table_of_contents_alone() -> None:
    said = '{"reasoning": "Terms say when.", "section_ids": ["1", "id=9"]}'
    with OpenAiServer(Says((said,))) as server:
        reader = LitellmTocReader(client_of(server))
        selection = await reader.select("When?", TOC)
    assert selection.ids == ("1", "id=9")
    assert selection.reasoning == "Terms say when."
    assert reader.id == "openai/emulated:toc/default@1"
    asked = server.requests[0].body["messages"][1]["content"]
    assert "Terms &amp; &lt;conditions&gt;" in asked
    assert "May 1" not in asked
