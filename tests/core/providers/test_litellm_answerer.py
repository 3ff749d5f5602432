from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import Usage
from core.errors import ProviderOutputError
from core.ports import AnswerRequest, Turn
from core.providers.litellm_answerer import LitellmAnswerer, LitellmReranker, LitellmRewriter
from core.providers.litellm_client import LitellmClient, Messages, ModelService
from tests.emulators.openai_server import OpenAiServer, Says

# litellm reads two attributes of pydantic's models in a way that pydantic 2.11 calls deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
)

MARKER = "[[NOT_FOUND]]"
REQUEST = AnswerRequest("経費の締切は", "ja", ())


def client_of(server: OpenAiServer) -> LitellmClient:
    return LitellmClient(ModelService("openai/emulated", server.url))


def answerer_of(server: OpenAiServer) -> LitellmAnswerer:
    def build(request: AnswerRequest) -> Messages:
        return [{"role": "user", "content": request.question}]

    return LitellmAnswerer(client_of(server), build, MARKER)


async def test_an_answer_is_a_draft_with_the_name_of_its_model() -> None:
    with OpenAiServer(Says(("30日以内です[1]。",))) as server:
        draft = await answerer_of(server).answer(REQUEST)
    assert (draft.text, draft.found, draft.model) == ("30日以内です[1]。", True, "openai/emulated")
    assert draft.usage == Usage(11, 7, None, 1)
    assert server.requests[0].body["messages"] == [{"role": "user", "content": "経費の締切は"}]


async def test_the_marker_says_not_found_and_is_taken_out() -> None:
    with OpenAiServer(Says((f"{MARKER} 資料に書かれていません。",)), Says((MARKER,))) as server:
        answerer = answerer_of(server)
        drafts = [await answerer.answer(REQUEST), await answerer.answer(REQUEST)]
    assert [draft.text for draft in drafts] == ["資料に書かれていません。", ""]
    assert [draft.found for draft in drafts] == [False, False]


@given(cuts=st.lists(st.integers(0, 60), max_size=8), found=st.booleans())
@settings(max_examples=15, deadline=None)
async def test_a_stream_never_shows_the_marker_however_it_is_cut(cuts: list[int], found: bool) -> None:
    whole = "first [1] [[not]] " + ("" if found else MARKER) + "[[NOT_ last["
    edges = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    pieces = tuple(whole[start:end] for start, end in pairwise(edges))
    shown: list[str] = []
    with OpenAiServer(Says(pieces)) as server:
        draft = await answerer_of(server).answer(REQUEST, shown.append)
    assert "".join(shown) == whole.replace(MARKER, "")
    assert draft.found is found


def repeat_question(question: str, history: Sequence[Turn]) -> Messages:
    return [
        *({"role": turn.role, "content": turn.text} for turn in history),
        {"role": "user", "content": question},
    ]


async def test_a_follow_up_is_rewritten_with_the_thread() -> None:
    with OpenAiServer(Says(('"新幹線のグリーン車は使えますか"\n',))) as server:
        rewriter = LitellmRewriter(client_of(server), repeat_question)
        rewritten = await rewriter.rewrite("グリーン車は?", [Turn("user", "新幹線は使えますか")])
    assert rewritten == "新幹線のグリーン車は使えますか"
    assert [message["content"] for message in server.requests[0].body["messages"]] == [
        "新幹線は使えますか",
        "グリーン車は?",
    ]


async def test_a_first_question_is_not_sent_to_be_rewritten() -> None:
    with OpenAiServer() as server:
        assert await LitellmRewriter(client_of(server), repeat_question).rewrite("最初", []) == "最初"
    assert server.requests == []


async def test_an_essay_instead_of_a_question_is_not_used() -> None:
    with OpenAiServer(Says(("長い話 " * 400,))) as server:
        rewriter = LitellmRewriter(client_of(server), repeat_question)
        assert await rewriter.rewrite("質問", [Turn("user", "前")]) == "質問"


def number_passages(question: str, passages: Sequence[str]) -> Messages:
    return [{"role": "user", "content": "\n".join([question, *passages])}]


async def test_passages_are_scored_by_the_list_in_the_answer() -> None:
    with OpenAiServer(Says(("Scores [1]: here you are\n[3, 0.5]",))) as server:
        scores = await LitellmReranker(client_of(server), number_passages).score("q", ["a", "b"])
    assert scores == [3.0, 0.5]


@pytest.mark.parametrize("text", ["[1]", "[1, 2, 3]", "none", "[1, NaN]", '["a", "b"]', "[1, "])
async def test_scores_that_do_not_fit_the_passages_are_refused(text: str) -> None:
    with OpenAiServer(Says((text,))) as server, pytest.raises(ProviderOutputError, match="2 numbers"):
        await LitellmReranker(client_of(server), number_passages).score("q", ["a", "b"])


async def test_no_passages_need_no_call() -> None:
    with OpenAiServer() as server:
        assert await LitellmReranker(client_of(server), number_passages).score("q", []) == []
    assert server.requests == []
