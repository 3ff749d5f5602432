"""The page of answers: search, filters, the address, how an answer came about, evaluation to come."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select, update
from streamlit.testing.v1 import AppTest

from core.domain import Usage
from core.storage import tables as t
from core.storage.answer_reports import AnswerFilter, AnswerReports
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.evaluation_tables import deferred_evaluations
from core.storage.reports import Period
from core.storage.traces import SqlTraceStore
from dashboard.runtime import EVERYTHING, Viewer
from dashboard.words.answers import WORDS
from tests.dashboard.test_pages import open_answer, shown
from tests.samples import Shown, answer_with


def japanese_page() -> None:
    from dashboard.runtime import open_viewer
    from dashboard.text import Words
    from dashboard.views import answer

    answer.render(open_viewer(), Words("ja"))


def open_with(**address: str | list[str]) -> AppTest:
    """The page at an address, in Japanese."""
    app = AppTest.from_function(japanese_page, default_timeout=30)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def found(viewer: Viewer, wanted: AnswerFilter) -> list[str]:
    return [line.id for line in viewer.find_answers(wanted, 50).lines]


def begin_evaluation(database: Database, answer_id: str) -> None:
    with database.writing() as connection:
        key = connection.scalar(select(t.answers.c.key).where(t.answers.c.id == answer_id))
        row: dict[str, object] = {
            "answer": key,
            "state": "waiting",
            "gate_basis": "retrieval",
            "audiences": [],
            "shown": {},
        }
        row |= {"relevance": 0.5, "attempts": 0, "created_at": 0, "updated_at": 0}
        connection.execute(insert(deferred_evaluations), row)


def test_answers_are_found_by_a_part_of_the_question(visitor: Viewer) -> None:
    assert found(visitor, AnswerFilter(EVERYTHING, text="ABOUT x1")) == ["x1"]
    assert found(visitor, AnswerFilter(EVERYTHING, text="100%")) == []


def test_a_search_does_not_tell_what_may_not_be_read(visitor: Viewer, manager: Viewer) -> None:
    assert found(visitor, AnswerFilter(EVERYTHING, text="pay?")) == []
    assert found(manager, AnswerFilter(EVERYTHING, text="pay?")) == ["pay"]


def test_a_search_goes_back_piece_by_piece_and_says_how_far(database: Database, manager: Viewer) -> None:
    reports, audiences = AnswerReports(database, searched=2), manager.audiences()
    wanted = AnswerFilter(EVERYTHING, "what about")
    pieces: list[list[str]] = []
    before = None
    for _ in range(3):
        page = reports.find_answers(wanted, audiences, 50, before=before)
        pieces.append([line.id for line in page.lines])
        before = page.searched_to
    assert pieces == [["pay", "recorded-1"], ["x2", "x1"], ["x0"]]
    assert before is None


def test_the_address_says_where_a_search_goes_on(configured: Path) -> None:
    app = open_with(q="what about", before="2020-09-02T12:00:00+00:00")
    assert app.selectbox[0].value == "x1"
    assert not [button for button in app.button if button.key == "search_on"]


def test_filters_narrow_the_list(manager: Viewer) -> None:
    assert found(manager, AnswerFilter(EVERYTHING, channels=("slack",))) == ["pay"]
    assert found(manager, AnswerFilter(EVERYTHING, languages=("xx",))) == []
    assert found(manager, AnswerFilter(EVERYTHING, gates=("retry",))) == []
    day = date(2020, 9, 2)
    assert found(manager, AnswerFilter(Period(day, day))) == ["x1"]


def test_the_share_that_articles_carry_is_a_filter(manager: Viewer) -> None:
    whole = found(manager, AnswerFilter(EVERYTHING))
    shares = {line.id: line.share for line in manager.find_answers(AnswerFilter(EVERYTHING), 50).lines}
    low = found(manager, AnswerFilter(EVERYTHING, highest=0.5))
    assert low == [key for key in whole if (shares[key] or 0) <= 0.5]
    assert "recorded-1" in low
    assert "x1" not in low


def test_a_page_says_whether_others_follow(visitor: Viewer) -> None:
    first = visitor.find_answers(AnswerFilter(EVERYTHING), 3)
    rest = visitor.find_answers(AnswerFilter(EVERYTHING), 3, 3)
    assert [line.id for line in (*first.lines, *rest.lines)] == ["pay", "recorded-1", "x2", "x1", "x0"]
    assert (first.more, rest.more) == (True, False)


def test_the_address_keeps_search_and_filters(configured: Path) -> None:
    app = open_with(q="x1", channel="nothing", period="all")
    assert app.text_input[0].value == "x1"
    assert [option.split()[-1] for option in app.selectbox[0].options] == ["x1?"]
    app.text_input[0].set_value("x2").run()
    assert not app.exception
    assert app.query_params["q"] in ("x2", ["x2"])


def test_a_chosen_channel_is_kept_in_the_address(configured: Path) -> None:
    app = open_with()
    app.multiselect(key="answer_channels").set_value(["slack"]).run()
    assert not app.exception
    assert app.query_params["channels"] in ("slack", ["slack"])
    assert any("閲覧権限のない" in str(one.value) for one in app.warning)


def test_without_a_match_the_page_says_what_to_do(configured: Path) -> None:
    assert "期間を広げる" in open_with(q="zebra").info[0].value


def test_without_answers_the_page_says_how_to_get_one(configured: Path, database: Database) -> None:
    with database.writing() as connection:
        connection.execute(delete(t.answers))
    assert "kiyo ask" in open_with().info[0].value


def test_an_answer_that_is_gone_is_named_and_the_list_stays(configured: Path) -> None:
    app = open_with(id="lost")
    assert "lost" in app.warning[0].value
    assert len(app.selectbox[0].options) == 5


def test_a_link_shows_an_answer_that_the_filters_leave_out(configured: Path) -> None:
    app = open_with(id="x1", q="x2")
    assert app.selectbox[0].value == "x1"
    assert "What about x1?" in shown(app)


def test_the_trace_names_what_was_cut_and_why(configured: Path, database: Database) -> None:
    answer = answer_with("cut", [Shown("docs:a.md"), Shown("docs:b.md")])
    last = replace(
        answer.exposures[-1], in_prompt=False, source_number=None, cut_because="over the token budget"
    )
    priced = Usage(input_tokens=1200, output_tokens=80, cost_usd=0.0123, calls=1)
    SqlAnswerStore(database).record_answer(
        replace(answer, exposures=(*answer.exposures[:-1], last), usage=priced)
    )
    app = open_with(id="cut")
    (table,) = app.dataframe
    assert "除外：トークンの上限を超過" in list(table.value["扱い"])
    assert {metric.label: metric.value for metric in app.metric}["費用"] == "0.0123 USD"


def test_the_audit_record_is_for_those_who_may_read_everything(
    configured: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    SqlTraceStore(database).save_trace("x1", {"mode": "anchors"})
    assert not open_answer("x1").json
    monkeypatch.setenv("KIYO_DASHBOARD_GROUPS", "managers")
    assert "anchors" in str(open_answer("x1").json[0].value)


def test_an_evaluation_to_come_is_said_until_it_is_there(configured: Path, database: Database) -> None:
    begin_evaluation(database, "x1")
    app = open_with(id="x1")
    assert any("自動で更新" in str(one.value) for one in app.info)
    assert "評価中" in next(option for option in app.selectbox[0].options if "x1" in option)
    with database.writing() as connection:
        connection.execute(update(deferred_evaluations).values(state="done"))
    app.run()
    assert not app.exception
    assert not app.info


def test_every_word_is_there_in_both_languages() -> None:
    assert all(english and japanese and english != japanese for english, japanese in WORDS.values())
