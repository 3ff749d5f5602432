from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from core.domain import ANONYMOUS
from core.storage import tables as t
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.made_up import CHANNEL, name_article
from core.storage.reports import Period, Reports
from core.storage.scaling import Scale, fill
from tests.samples import Shown, answer_with

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
YEAR = Period((NOW - timedelta(days=366)).date(), NOW.date())


def test_a_fraction_says_how_much_is_made() -> None:
    full, least = Scale.of(1.0), Scale.of(0.0001)
    assert (full.answers, full.articles, full.exposures) == (1_000_000, 5_000, 10_000_000)
    assert (least.answers, least.articles) == (100, 20)
    assert least.bytes < full.bytes
    assert least.seconds < full.seconds


def test_made_up_answers_look_like_others_to_every_figure(database: Database) -> None:
    fill(database, Scale(1_250, 20), NOW)
    reports = Reports(database)
    audiences = SqlKnowledgeStore(database).readable_audiences(ANONYMOUS)
    overview = reports.overview(YEAR)
    assert overview.answers == 1_250
    assert 0 < overview.carried < overview.judged < overview.statements
    rows = reports.quadrant_rows(YEAR, audiences)
    assert sum(row.exposure for row in rows) == 12_500
    assert any(row.missed for row in rows)
    assert any(row.stale for row in rows)
    assert len(reports.article_series(name_article(0)[0], YEAR, audiences)) > 300
    with database.reading() as connection:
        copied = connection.scalar(select(func.count()).select_from(t.supports))
    assert copied is not None
    assert copied > 1_250
    kept = SqlAnswerStore(database).recent_answers(3)
    assert [answer.channel for answer in kept] == [CHANNEL] * 3
    assert all(answer.evaluation.supports for answer in kept if answer.found)


def test_answers_can_be_recorded_behind_made_up_ones(database: Database) -> None:
    fill(database, Scale(100, 20), NOW)
    store = SqlAnswerStore(database)
    store.record_answer(answer_with("real", [Shown("docs:a.md", {0: "A."})], at=NOW))
    assert store.recent_answers(1)[0].id == "real"
    assert Reports(database).overview(YEAR).answers == 101
