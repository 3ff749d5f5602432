"""Texts that go when their time is over or their person asks for it; what stays is figures."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from core.storage import tables as t
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.keys import to_ms
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.privacy import ERASED, SqlPrivacyStore
from core.storage.traces import SqlTraceStore
from tests.databases import Ticks
from tests.samples import SOURCE, Shown, answer_with, article_record

DAY = timedelta(days=1)


@pytest.fixture
def clock(database: Database) -> Ticks:
    """Two answers are recorded at the time that it tells, each with a trace."""
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    record = article_record("a.md", ["One line."])
    knowledge.save_article(record)
    made = []
    for name in ("x1", "x2"):
        shown = Shown("docs:a.md", {0: "One line."}, version=record.article.version)
        made.append(answer_with(name, [shown]))
        answers.record_answer(made[-1])
    ticks = Ticks(to_ms(made[0].created_at))
    for answer in made:
        SqlTraceStore(database, 30, ticks).save_trace(answer.id, {"mode": "hybrid"})
    return ticks


def texts(database: Database) -> int:
    with database.reading() as connection:
        kept = select(func.count()).select_from(t.messages).where(t.messages.c.text.is_not(None))
        return int(connection.scalar(kept) or 0)


def test_texts_are_kept_for_their_days_and_then_go(database: Database, clock: Ticks) -> None:
    store = SqlPrivacyStore(database, clock)
    before = texts(database)
    clock.now += int(DAY / timedelta(milliseconds=1)) * 29
    assert store.expire(30, 30).messages == 0
    clock.now += int(DAY / timedelta(milliseconds=1)) * 2
    removed = store.expire(30, 30)
    assert (removed.messages, removed.traces) == (before, 2)
    assert texts(database) == 0
    assert store.expire(30, 30).messages == 0


def test_figures_outlive_their_texts(database: Database, clock: Ticks) -> None:
    before = SqlAnswerStore(database).get_answer("x1")
    SqlPrivacyStore(database, clock).expire(0, 0)
    after = SqlAnswerStore(database).get_answer("x1")
    assert before is not None
    assert after is not None
    assert before.question
    assert not after.question
    assert after.evaluation.contributions == before.evaluation.contributions


def test_a_person_is_erased_with_what_they_asked_and_were_answered(database: Database, clock: Ticks) -> None:
    before = SqlAnswerStore(database).get_answer("x1")
    assert before is not None
    removed = SqlPrivacyStore(database, clock).erase_person(before.asked_by)
    assert removed.messages == 4
    assert texts(database) == 0
    with database.reading() as connection:
        assert set(connection.scalars(select(t.answers.c.asked_by))) == {ERASED}
        assert set(connection.scalars(select(t.statements.c.excerpt))) <= {""}
        assert before.asked_by not in set(connection.scalars(select(t.messages.c.author)))


def test_somebody_else_keeps_what_they_wrote(database: Database, clock: Ticks) -> None:
    before = texts(database)
    assert SqlPrivacyStore(database, clock).erase_person("nobody-we-know").messages == 0
    assert texts(database) == before
