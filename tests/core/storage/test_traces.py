from __future__ import annotations

import pytest
from sqlalchemy import delete

from core.storage import tables as t
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.traces import SqlTraceStore
from tests.databases import Ticks
from tests.samples import SOURCE, Shown, answer_with, article_record

DAY = 86_400_000


@pytest.fixture
def clock() -> Ticks:
    return Ticks()


@pytest.fixture
def store(database: Database, clock: Ticks) -> SqlTraceStore:
    """Traces are kept for 30 days; two answers are recorded."""
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    record = article_record("a.md", ["One line."])
    knowledge.save_article(record)
    for name in ("x1", "x2"):
        shown = Shown("docs:a.md", {0: "One line."}, version=record.article.version)
        answers.record_answer(answer_with(name, [shown]))
    return SqlTraceStore(database, 30, clock)


def test_a_trace_is_read_as_it_was_kept(store: SqlTraceStore) -> None:
    store.save_trace("x1", {"mode": "anchors", "hits": [{"line": 3, "keywords": ["注意"]}]})
    assert store.get_trace("x1") == {"mode": "anchors", "hits": [{"line": 3, "keywords": ["注意"]}]}
    assert store.get_trace("x2") is None


def test_a_later_trace_takes_the_place_of_the_first(store: SqlTraceStore) -> None:
    store.save_trace("x1", {"mode": "hybrid"})
    store.save_trace("x1", {"mode": "anchors"})
    assert store.get_trace("x1") == {"mode": "anchors"}


def test_an_answer_that_is_not_recorded_has_no_trace(store: SqlTraceStore) -> None:
    store.save_trace("unknown", {"mode": "hybrid"})
    assert store.get_trace("unknown") is None


def test_characters_that_no_database_takes_are_replaced(store: SqlTraceStore) -> None:
    store.save_trace("x1", {"raw": "a\0b\ud800c", "list": [("\0",)]})
    assert store.get_trace("x1") == {"raw": "a\ufffdb\ufffdc", "list": [["\ufffd"]]}


def test_a_trace_is_not_shown_after_its_days(store: SqlTraceStore, clock: Ticks) -> None:
    store.save_trace("x1", {"mode": "hybrid"})
    clock.now += 30 * DAY - 1
    assert store.get_trace("x1") == {"mode": "hybrid"}
    clock.now += 1
    assert store.get_trace("x1") is None


def test_old_traces_are_deleted_when_a_new_one_comes(
    store: SqlTraceStore, clock: Ticks, database: Database
) -> None:
    store.save_trace("x1", {"mode": "hybrid"})
    clock.now += 31 * DAY
    store.save_trace("x2", {"mode": "hybrid"})
    forever = SqlTraceStore(database, 10_000, clock)
    assert forever.get_trace("x1") is None
    assert forever.get_trace("x2") is not None


def test_an_old_selection_is_not_found_and_deleted_when_a_new_one_comes(
    store: SqlTraceStore, clock: Ticks, database: Database
) -> None:
    store.save_selection("old", {"ids": ["4"]})
    clock.now += 30 * DAY
    assert store.get_selection("old") is None
    store.save_selection("new", {"ids": ["5"]})
    forever = SqlTraceStore(database, 10_000, clock)
    assert forever.get_selection("old") is None
    assert forever.get_selection("new") == {"ids": ["5"]}


def test_nothing_is_kept_for_zero_days(store: SqlTraceStore, database: Database, clock: Ticks) -> None:
    off = SqlTraceStore(database, 0, clock)
    off.save_trace("x1", {"mode": "hybrid"})
    off.save_selection("d", {"ids": []})
    assert store.get_trace("x1") is None
    assert store.get_selection("d") is None


def test_a_trace_goes_with_its_answer(store: SqlTraceStore, database: Database) -> None:
    store.save_trace("x1", {"mode": "hybrid"})
    with database.writing() as connection:
        connection.execute(delete(t.answers).where(t.answers.c.id == "x1"))
    assert store.get_trace("x1") is None


def test_a_selection_is_found_by_its_digest(store: SqlTraceStore) -> None:
    store.save_selection("d1", {"ids": ["4", "11"]})
    store.save_selection("d1", {"ids": ["4"]})
    assert store.get_selection("d1") == {"ids": ["4"]}
    assert store.get_selection("d2") is None
