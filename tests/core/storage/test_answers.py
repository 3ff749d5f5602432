from __future__ import annotations

import pytest
from sqlalchemy import event, select, update

from core.domain import Answer
from core.storage import tables as t
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.rollup_tables import article_days
from tests.samples import Shown, answer_with

LONG = "Leave is ten days. " * 40


@pytest.fixture
def store(database: Database) -> SqlAnswerStore:
    store = SqlAnswerStore(database, excerpt_chars=30)
    store.record_answer(answer_with("a-long-name-of-an-answer", [Shown("docs:a.md", {0: LONG})]))
    return store


def found(store: SqlAnswerStore) -> Answer:
    answer = store.get_answer("a-long-name-of-an-answer")
    assert answer is not None
    return answer


def test_texts_that_are_gone_are_empty_and_excerpts_stay(database: Database, store: SqlAnswerStore) -> None:
    whole = found(store).evaluation.statements[0].text
    with database.writing() as connection:
        connection.execute(update(t.messages).values(text=None))
    answer = found(store)
    assert (answer.question, answer.text) == ("", "")
    assert answer.evaluation.statements[0].text == whole[:30]
    assert answer.evaluation.contributions[0].share == 0.25


def test_outside_the_messages_no_text_is_longer_than_an_excerpt(
    database: Database, store: SqlAnswerStore
) -> None:
    kept = (t.statements.c.excerpt, t.line_excerpts.c.excerpt, t.citations.c.quote)
    with database.reading() as connection:
        for column in kept:
            texts = connection.scalars(select(column)).all()
            assert texts
            assert max(map(len, texts)) <= 30, column


def test_a_line_that_many_statements_met_is_kept_once(database: Database, store: SqlAnswerStore) -> None:
    for n in range(3):
        store.record_answer(answer_with(f"x{n}", [Shown("docs:a.md", {0: LONG, 1: LONG})]))
    with database.reading() as connection:
        assert len(connection.scalars(select(t.line_excerpts.c.excerpt)).all()) == 1
        assert len(connection.scalars(select(t.supports.c.answer)).all()) == 7


def test_recording_takes_as_many_statements_for_twenty_articles_as_for_two(
    database: Database, store: SqlAnswerStore
) -> None:
    """Rows go in by table, days in the same transaction; nothing is asked article by article."""
    runs: list[str] = []
    event.listen(database.engine, "after_cursor_execute", lambda *context: runs.append(context[2]))
    counts = []
    for name, many in (("x1", 2), ("x2", 20)):
        runs.clear()
        store.record_answer(
            answer_with(name, [Shown(f"docs:{n}.md", {0: f"Line {n}."}) for n in range(many)])
        )
        counts.append(len([sql for sql in runs if not sql.startswith("BEGIN")]))
    assert counts[0] == counts[1] <= 28
    with database.reading() as connection:
        assert len(connection.scalars(select(article_days.c.article)).all()) == 21
