"""Answers as a file, from the page and from the job."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.storage.answer_reports import AnswerFilter, AnswerReports, answer_rows, filter_values
from core.storage.engine import Database
from core.storage.jobs import SqlJobStore
from core.usecases.exporting import write_export
from dashboard.runtime import Viewer, choose_period
from tests.dashboard.test_answers import open_with
from tests.dashboard.test_pages import shown

EVERYTHING = AnswerFilter(choose_period("all"))


def export_page() -> None:
    """Two answers are already many."""
    from core.storage.answer_reports import AnswerFilter
    from dashboard.runtime import choose_period, open_viewer
    from dashboard.text import Words
    from dashboard.views.answer_export import show_export
    from dashboard.words.answers import WORDS
    from dashboard.words.lookup import PageWords

    words = PageWords(Words("ja"), WORDS)
    show_export(open_viewer(), AnswerFilter(choose_period("all")), words, at_once=2)


def open_export() -> AppTest:
    app = AppTest.from_function(export_page, default_timeout=30).run()
    assert not app.exception
    return app


def prepare(app: AppTest) -> None:
    app.button(key="export_prepare").click().run()
    assert not app.exception


def test_a_filter_comes_back_from_its_values(database: Database, manager: Viewer) -> None:
    wanted = AnswerFilter(choose_period("all"), "", ("slack",), (), ("send",), 0.5, 1.0)
    found = list(answer_rows(database, filter_values(wanted), manager.audiences()))
    assert [row["id"] for row in found] == ["pay"]
    assert found[0]["question"] == "What about pay?"


def test_questions_that_may_not_be_read_are_left_out(database: Database, visitor: Viewer) -> None:
    rows = {row.id: row for row in AnswerReports(database).all_rows(EVERYTHING, visitor.audiences())}
    assert list(rows) == ["x0", "x1", "x2", "recorded-1", "pay"]
    assert rows["x1"].question == "What about x1?"
    assert rows["pay"].question == ""
    assert rows["x1"].share == 1.0


def test_blocks_follow_each_other(database: Database, visitor: Viewer) -> None:
    reports = AnswerReports(database, block=2)
    assert len(list(reports.all_rows(EVERYTHING, visitor.audiences()))) == 5
    assert reports.count(EVERYTHING, visitor.audiences(), 3) == 3


def test_few_answers_are_offered_at_once(configured: Path) -> None:
    app = open_with(q="x1")
    prepare(app)
    (button,) = app.get("download_button")
    assert "1 件を保存" in button.proto.label


def test_other_filters_ask_for_another_file(configured: Path) -> None:
    app = open_with(q="x1")
    prepare(app)
    app.text_input[0].set_value("x2").run()
    assert not app.get("download_button")


def test_many_answers_are_written_by_a_job(configured: Path, database: Database, visitor: Viewer) -> None:
    app = open_export()
    prepare(app)
    assert "索引を持つプロセスが処理しています" in shown(app)
    jobs = SqlJobStore(database)
    job = jobs.claim("worker", 60, ("export",))
    assert job is not None
    assert job.payload["answers"] == filter_values(EVERYTHING)
    rows = answer_rows(database, filter_values(EVERYTHING), visitor.audiences())
    jobs.finish(job.id, write_export(configured.parent, "kiyo-answers", rows))
    app.run()
    assert not app.exception
    (button,) = app.get("download_button")
    assert "5 件を保存" in button.proto.label


def test_a_file_that_is_gone_is_said_to_be(configured: Path, database: Database) -> None:
    app = open_export()
    prepare(app)
    jobs = SqlJobStore(database)
    job = jobs.claim("worker", 60, ("export",))
    assert job is not None
    jobs.finish(job.id, {"file": "../kiyo.db", "rows": 5, "bytes": 9})
    app.run()
    assert "見つかりません" in app.warning[0].value
