"""What every AnswerStore does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import ANONYMOUS, Evaluation, Usage
from core.ports import AnswerStore
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from tests.samples import SOURCE, Shown, answer_with, article_record, days_later

RULES, PAY = "docs:rules.md", "docs:pay.md"


@pytest.fixture
def knowledge(database: Database) -> SqlKnowledgeStore:
    store = SqlKnowledgeStore(database)
    store.save_source(SOURCE)
    store.save_article(article_record("rules.md", ["Leave is ten days.", "Ask in chat."]))
    store.save_article(article_record("pay.md", ["Pay day is the 25th."], readers=["hr"]))
    return store


@pytest.fixture
def store(database: Database, knowledge: SqlKnowledgeStore) -> SqlAnswerStore:
    return SqlAnswerStore(database)


def test_it_is_an_answer_store(store: SqlAnswerStore) -> None:
    port: AnswerStore = store
    assert port.get_answer("none") is None
    assert port.recent_answers(10) == []


def test_an_answer_comes_back_as_it_was_recorded(store: SqlAnswerStore) -> None:
    carried = {0: "Leave is ten days.", 2: "有給休暇は10日です。"}
    missed = Shown("docs:missed.md", {1: "Pay day."}, exposed=False, retrieved=False)
    answer = answer_with("x1", [Shown(RULES, carried), Shown(PAY, exposed=False), missed])
    store.record_answer(answer)
    assert store.get_answer("x1") == answer


def test_an_answer_without_anything_comes_back(store: SqlAnswerStore) -> None:
    empty = replace(
        answer_with("x1", []),
        text="",
        found=False,
        evaluation=Evaluation((), (), (), (), ""),
        confidence=None,
        gate="hand_over",
        usage=Usage(0, 0, 0.0, 0),
        timings_ms={},
    )
    store.record_answer(empty)
    assert store.get_answer("x1") == empty


def test_an_unknown_price_is_not_a_price_of_zero(store: SqlAnswerStore) -> None:
    store.record_answer(replace(answer_with("free", []), usage=Usage(1, 1, 0.0, 1)))
    store.record_answer(replace(answer_with("unknown", []), usage=Usage(1, 1, None, 1)))
    free, unknown = store.get_answer("free"), store.get_answer("unknown")
    assert free is not None
    assert unknown is not None
    assert (free.usage.cost_usd, unknown.usage.cost_usd) == (0.0, None)


def test_recording_the_same_answer_again_changes_nothing(store: SqlAnswerStore) -> None:
    answer = answer_with("x1", [Shown(RULES, {0: "Leave is ten days."})])
    store.record_answer(answer)
    store.record_answer(replace(answer, text="Something else."))
    assert store.get_answer("x1") == answer
    assert len(store.recent_answers(10)) == 1


def test_an_answer_without_judged_statements_has_no_shares(store: SqlAnswerStore) -> None:
    answer = answer_with("x1", [Shown(RULES)], judged=False)
    store.record_answer(answer)
    found = store.get_answer("x1")
    assert found == answer
    assert found.evaluation.contributions[0].share is None


def test_two_articles_with_the_same_text_share_a_source_number(store: SqlAnswerStore) -> None:
    answer = answer_with("x1", [Shown(RULES, {0: "Same."}), Shown(PAY, {0: "Same."})])
    both = tuple(replace(citation, n=1) for citation in answer.citations)
    exposures = tuple(replace(exposure, source_number=1) for exposure in answer.exposures)
    answer = replace(answer, citations=both, exposures=exposures)
    store.record_answer(answer)
    assert store.get_answer("x1") == answer


def test_several_chunks_of_one_article_are_several_exposures(store: SqlAnswerStore) -> None:
    answer = answer_with("x1", [Shown(RULES, {0: "Leave is ten days."})])
    second = replace(answer.exposures[0], rank=2, chunk_id=None, first_line=4, last_line=9)
    answer = replace(answer, exposures=(*answer.exposures, second))
    store.record_answer(answer)
    assert store.get_answer("x1") == answer


def test_an_article_that_the_store_does_not_know_is_no_reason_to_lose_the_answer(
    store: SqlAnswerStore, knowledge: SqlKnowledgeStore
) -> None:
    answer = answer_with("x1", [Shown("docs:erased.md", {0: "It was so."}), Shown(RULES)])
    store.record_answer(answer)
    assert store.get_answer("x1") == answer
    assert knowledge.counts().articles == 2
    assert store.get_answer("x1", knowledge.readable_audiences(ANONYMOUS)) != answer
    knowledge.save_article(article_record("erased.md", ["It is back."]))
    assert store.get_answer("x1", knowledge.readable_audiences(ANONYMOUS)) == answer


def test_articles_that_the_reader_may_not_see_are_left_out(
    store: SqlAnswerStore, knowledge: SqlKnowledgeStore
) -> None:
    answer = answer_with("x1", [Shown(RULES, {0: "Leave is ten days."}), Shown(PAY, {1: "Pay day."})])
    store.record_answer(answer)
    (found,) = store.recent_answers(1, knowledge.readable_audiences(ANONYMOUS))
    assert {citation.article_id for citation in found.citations} == {RULES}
    assert {exposure.article_id for exposure in found.exposures} == {RULES}
    assert {support.article_id for support in found.evaluation.supports} == {RULES}
    assert {one.article_id for one in found.evaluation.contributions} == {RULES}
    assert found.evaluation.statements == answer.evaluation.statements


def test_recent_answers_are_the_latest_first(store: SqlAnswerStore) -> None:
    for name, day in (("b", 2), ("a", 5), ("c", 1)):
        store.record_answer(answer_with(name, [Shown(RULES, {0: name})], at=days_later(day)))
    assert [answer.id for answer in store.recent_answers(2)] == ["a", "b"]
    assert store.recent_answers(2)[1].evaluation.supports[0].line_text == "b"


def test_excerpts_are_cut_and_whole_statements_come_from_the_message(database: Database) -> None:
    store = SqlAnswerStore(database, excerpt_chars=10)
    answer = answer_with("a-long-name", [Shown("docs:gone.md", {0: "A line that is long."})])
    store.record_answer(answer)
    found = store.get_answer("a-long-name")
    assert found is not None
    assert found.evaluation.statements == answer.evaluation.statements
    assert found.evaluation.supports[0].line_text == "A line tha"
    assert found.citations[0].quote == "A line tha"


def test_what_no_database_holds_is_replaced_and_the_rest_is_kept(store: SqlAnswerStore) -> None:
    answer = answer_with("x1", [Shown(RULES, {0: "a\0b"})])
    odd = replace(
        answer,
        question="why\0?",
        timings_ms={"retrieval": float("nan"), "answering": 1.0},
        exposures=(replace(answer.exposures[0], scores={"keyword": float("inf"), "vector": 0.5}),),
    )
    store.record_answer(odd)
    found = store.get_answer("x1")
    assert found is not None
    assert found.question == "why\ufffd?"
    assert found.evaluation.supports[0].line_text == "a\ufffdb"
    assert found.timings_ms == {"answering": 1.0}
    assert found.exposures[0].scores == {"vector": 0.5}
