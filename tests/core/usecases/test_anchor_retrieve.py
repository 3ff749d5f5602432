"""Whole questions in the mode `anchors`: documents, places, contexts, answer, record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from core.contribution.statements import split_statements
from core.domain import Answer, Draft
from core.ports import AnswerRequest, ArbiterRequest, Services
from core.rag.prompting import render_context, to_source
from core.storage.engine import open_database
from core.storage.traces import SqlTraceStore
from core.text.tokens import count_tokens
from core.usecases.evaluate_pending import evaluate_pending
from core.usecases.explain import explain_answer
from core.usecases.reply import AskRequest, answer_question
from core.usecases.retrieve import retrieve
from tests.core.rag.anchors.documents import FakeArbiter, verdict
from tests.core.usecases.workspace import MANAGER, Workspace

MANUAL = """# Watering manual

Water wisely.

## Setup

Screw the valve to the tap. Table 1 lists the cables.

## Winter

Drain the valve before the first frost.

### Frost damage

Frost damage is excluded from the guarantee.

## Cables

Table 1: Lengths of cables

| Size | Length |
|---|---|
| 0.75 mm² | 60 m |
| 1.25 mm² | 100 m |

## Guarantee

The guarantee lasts 24 months. It begins on the day of purchase.
"""
JAPANESE = """# 散水の手引き

## 設置

電磁弁を蛇口に取り付けます。

## 冬の準備

最初の霜の前に電磁弁の水を抜きます。

## 保証

保証期間は購入日から24か月です。

## 廃棄

電池を外してから廃棄します。
"""
FILES = {
    "manual.md": MANUAL,
    "tebiki.md": JAPANESE,
    "short.md": "# Opening hours\n\nOpen from nine to five.\n",
}


def anchors(**keys: Any) -> dict[str, Any]:
    return {"rag": {"mode": "anchors", "relevance_threshold": 0.0, "analyser": "dictionary_free", **keys}}


async def opened(workspace: Workspace, settings: Mapping[str, Any] | None = None) -> Services:
    workspace.write(FILES)
    services = workspace.open(settings or anchors())
    await workspace.ingest()
    return services


def shown_titles(answer: Answer) -> list[str]:
    return [citation.section.title for citation in answer.citations]


async def test_the_section_that_answers_is_shown_and_cited(workspace: Workspace) -> None:
    await opened(workspace)
    answer = await workspace.ask("How long does the guarantee last?")
    assert answer.found
    assert "24 months" in answer.text
    assert shown_titles(answer)[0] == "Guarantee"


async def test_contexts_are_exposures_without_a_chunk(workspace: Workspace) -> None:
    await opened(workspace)
    answer = await workspace.ask("How long does the guarantee last?")
    assert answer.exposures
    assert {exposure.chunk_id for exposure in answer.exposures} == {None}
    stored = workspace.services.answers.get_answer(answer.id)
    assert stored is not None
    assert stored.exposures == answer.exposures


async def test_what_carried_the_answer_is_measured_as_with_chunks(workspace: Workspace) -> None:
    await opened(workspace)
    answer = await workspace.ask("How long does the guarantee last?")
    best = answer.evaluation.contributions[0]
    assert (best.article_id, best.share, best.exposed) == ("docs/manual.md", 1.0, True)
    assert len(answer.evaluation.verdicts) == len(split_statements(answer.text))


async def test_an_answer_that_left_unmeasured_is_measured_like_one_measured_at_once(
    workspace: Workspace,
) -> None:
    services = await opened(workspace, anchors() | {"evaluation": {"mode": "background"}})
    sent = await workspace.ask("How long does the guarantee last?")
    assert (await evaluate_pending(services)).evaluated == 1
    late = services.answers.get_answer(sent.id)
    workspace.open(anchors())
    at_once = await workspace.ask("How long does the guarantee last?")
    assert late is not None
    assert late.evaluation == at_once.evaluation
    assert late.evaluation.supports


async def test_the_prompt_stays_within_the_budget(workspace: Workspace) -> None:
    await opened(workspace, anchors(max_context_tokens=120))
    found = await workspace.find("What does the manual say about the valve, the tap and the frost?")
    assert found.selection.sources
    shown = [to_source(s.number, s.candidate) for s in found.selection.sources]
    assert count_tokens(render_context(shown)) <= 120


async def test_a_mention_of_a_table_brings_it_along(workspace: Workspace) -> None:
    await opened(workspace)
    found = await workspace.find("How do I screw the valve to the tap?")
    texts = [source.candidate.chunk.text for source in found.selection.sources]
    assert any("1.25 mm²" in text for text in texts)


async def test_a_context_is_a_span_of_the_article(workspace: Workspace) -> None:
    services = await opened(workspace)
    for question in ("Drain the valve?", "保証期間はどのくらいですか"):
        for candidate in (await workspace.find(question)).candidates:
            text = services.knowledge.article_text(candidate.article.id)
            assert text is not None
            assert candidate.chunk.text == text[candidate.chunk.start : candidate.chunk.end]
            assert [line.ordinal for line in candidate.lines] == list(
                range(candidate.chunk.first_line, candidate.chunk.last_line + 1)
            )


async def test_words_that_stand_nowhere_need_no_model_at_all(workspace: Workspace) -> None:
    asked = Recording()
    workspace.answerer = asked
    arbiter = FakeArbiter(verdict(("0", "primary")))
    services = replace(await opened(workspace, anchors(anchors={"embeddings": False})), arbiter=arbiter)
    answer = await answer_question(services, AskRequest("Earthquake deductible revenue?"))
    assert (answer.found, answer.gate, answer.exposures) == (False, "hand_over", ())
    assert (arbiter.asked, asked.requests, answer.usage.calls) == ([], [], 0)
    assert answer.text


async def test_the_arbiter_is_asked_once_and_its_call_is_counted(workspace: Workspace) -> None:
    arbiter = PickTitle("Frost damage")
    services = replace(await opened(workspace), arbiter=arbiter)
    answer = await answer_question(services, AskRequest("Is the valve in winter covered by the guarantee?"))
    assert len(arbiter.asked) == 1
    assert answer.usage.calls == 1
    assert answer.exposures[0].first_line == _line_of(workspace, "Frost damage")


async def test_an_arbiter_that_is_switched_off_is_not_asked(workspace: Workspace) -> None:
    arbiter = FakeArbiter(verdict(("0", "primary")))
    services = replace(await opened(workspace, anchors(anchors={"arbiter": False})), arbiter=arbiter)
    await answer_question(services, AskRequest("How long does the guarantee last?"))
    assert arbiter.asked == []


async def test_a_document_that_the_question_names_is_searched_alone(workspace: Workspace) -> None:
    await opened(workspace)
    found = await workspace.find("What does tebiki.md say about valve and guarantee 保証?")
    assert {candidate.article.id for candidate in found.candidates} == {"docs/tebiki.md"}


async def test_a_named_section_is_shown_whatever_its_relevance(workspace: Workspace) -> None:
    await opened(workspace, anchors() | {"rag": anchors()["rag"] | {"relevance_threshold": 1.0}})
    workspace.write({"law.md": "".join(f"## 第{n}条\n\n本文その{n}です。\n\n" for n in range(1, 7))})
    await workspace.ingest()
    found = await workspace.find("law.md の第3条には何と書いてありますか")
    assert [s.candidate.section.title for s in found.selection.sources] == ["第3条"]


async def test_a_threshold_cuts_what_is_not_relevant(workspace: Workspace) -> None:
    await opened(workspace, {"rag": {"mode": "anchors", "relevance_threshold": 1.0}})
    found = await workspace.find("valve")
    assert found.selection.sources == ()
    assert {reason for _, reason in found.selection.cut} == {"below the threshold"}


async def test_auto_takes_chunks_where_the_best_document_is_short(workspace: Workspace) -> None:
    keys = {"mode": "auto", "anchors": {"auto_lines": 10, "auto_headings": 5}}
    await opened(workspace, anchors(**keys))
    long = await workspace.find("How long does the guarantee last?")
    short = await workspace.find("When is it open?")
    assert long.trace["mode"] == "anchors"
    assert short.trace == {}
    assert all(candidate.chunk_id > 0 for candidate in short.candidates)


async def test_what_may_not_be_read_is_no_place(workspace: Workspace) -> None:
    await opened(workspace)
    folder = workspace.base / "secret"
    workspace.write({"pay.md": "# Pay\n\n## Guarantee bonus\n\nThe guarantee bonus is 500.\n"}, folder)
    await workspace.ingest(folder, readers=("managers",))
    mine = await workspace.find("How much is the guarantee bonus?", MANAGER)
    others = await workspace.find("How much is the guarantee bonus?")
    assert "secret/pay.md" in {candidate.article.id for candidate in mine.candidates}
    assert "secret/pay.md" not in {candidate.article.id for candidate in others.candidates}
    assert "secret/pay.md" not in str(others.trace)


async def test_a_changed_document_is_searched_as_it_is_now(workspace: Workspace) -> None:
    await opened(workspace)
    await workspace.ask("How long does the guarantee last?")
    workspace.write({"manual.md": MANUAL.replace("24 months", "36 months and a day")})
    await workspace.ingest()
    assert "36 months" in (await workspace.ask("How long does the guarantee last?")).text


async def test_a_dictionary_leads_from_one_language_to_the_other(workspace: Workspace) -> None:
    path = workspace.base / "dictionary.toml"
    path.write_text('[[entry]]\nterms = ["guarantee", "無料修理"]\n', encoding="utf-8")
    workspace.write({"manual.md": MANUAL})
    settings = anchors(anchors={"dictionary": str(path), "embeddings": False})
    workspace.open(settings)
    await workspace.ingest()
    found = await workspace.find("manual.md の無料修理は何か月ですか")
    assert found.candidates[0].section.title == "Guarantee"


async def test_the_record_of_an_answer_names_detectors_places_and_contexts(workspace: Workspace) -> None:
    services = await opened(workspace)
    database = open_database(f"sqlite:///{workspace.store / 'kiyo.db'}")
    try:
        services = replace(services, traces=SqlTraceStore(database))
        answer = await answer_question(services, AskRequest("How long does the guarantee last?"))
        assert services.traces is not None
        found = explain_answer(services.answers, services.traces, answer.id)
    finally:
        database.close()
    trace = found["trace"]
    assert found["mode"] == "anchors"
    assert [run["method"] for run in trace["detectors"]][:3] == [
        "keyword_lines",
        "keyword_pages",
        "keyword_titles",
    ]
    assert trace["candidates"][0]["section"]["title"] == "Guarantee"
    assert trace["contexts"][0]["why"] == "section"
    assert set(trace["timings_ms"]) == {"documents", "places", "contexts"}
    assert found["timings_ms"].keys() >= {"retrieve", "answer", "evaluate"}


@pytest.mark.parametrize("mode", ["hybrid", "anchors", "auto"])
async def test_an_empty_selection_is_no_error_in_any_mode(workspace: Workspace, mode: str) -> None:
    workspace.write({"a.md": "# A\n\nText.\n"})
    services = workspace.open(anchors(mode=mode, enabled=False))
    await workspace.ingest()
    found = await retrieve(services, "What?", MANAGER)
    assert (found.candidates, found.selection.sources) == ((), ())


def _line_of(workspace: Workspace, text: str) -> int:
    lines = workspace.services.knowledge.article_lines("docs/manual.md")
    return next(line.ordinal for line in lines if line.text == text)


class Recording:
    """An answerer that keeps what it was asked and finds nothing."""

    name = "recording"

    def __init__(self) -> None:
        self.requests: list[AnswerRequest] = []

    async def answer(self, request: AnswerRequest, on_text: object = None) -> Draft:
        self.requests.append(request)
        return Draft("", False, self.name)


class PickTitle(FakeArbiter):
    """Calls the section with this title primary, and nothing else."""

    def __init__(self, title: str) -> None:
        super().__init__(verdict(not_found=True))
        self.title = title

    async def judge(self, request: ArbiterRequest) -> Any:
        self.asked.append(request)
        number = next(entry.id for entry in request.toc if entry.title == self.title)
        return verdict((number, "primary"))
