"""The overview, and the page of unused articles."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from pyarrow.parquet import read_table  # type: ignore[import-untyped]  # it ships no types
from streamlit.testing.v1 import AppTest

from core.channel_ports import FeedbackKind, FeedbackRow
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.feedback import SqlFeedbackStore
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.reports import Period
from dashboard.exports import table_csv, table_parquet
from dashboard.keeping import forget
from dashboard.period_choice import period_before
from dashboard.runtime import EVERYTHING
from dashboard.words import overview, quadrants, unused
from tests.dashboard.test_pages import open_quadrants, shown
from tests.samples import Shown, answer_with, article_record


def overview_page() -> None:
    from dashboard.pages import words_of
    from dashboard.runtime import open_viewer
    from dashboard.text import Words
    from dashboard.views import overview

    overview.render(open_viewer(), words_of(overview.PAGE, Words("en")))


def unused_page() -> None:
    from dashboard.pages import words_of
    from dashboard.runtime import open_viewer
    from dashboard.text import Words
    from dashboard.views import unused

    unused.render(open_viewer(), words_of(unused.PAGE, Words("ja")))


def open_overview(period: str) -> AppTest:
    app = AppTest.from_function(overview_page, default_timeout=30)
    app.query_params["period"] = period
    app.run()
    assert not app.exception
    return app


def open_unused(period: str) -> AppTest:
    app = AppTest.from_function(unused_page, default_timeout=30)
    app.query_params["period"] = period
    app.run()
    assert not app.exception
    return app


def test_all_time_has_figures_and_nothing_before(configured: Path) -> None:
    app = open_overview("all")
    assert {metric.label: metric.value for metric in app.metric}["Answers"] == "5"
    assert "before:" not in shown(app)
    assert {metric.label: metric.value for metric in app.metric}["Carrying"] == "1"


def test_a_period_stands_against_the_one_before(configured: Path, database: Database) -> None:
    now, answers = datetime.now(UTC), SqlAnswerStore(database)
    for name, days in (("now1", 0), ("now2", 1), ("then", 9)):
        answers.record_answer(answer_with(name, [Shown("docs:a.md")], at=now - timedelta(days=days)))
    app = open_overview("days_7")
    assert {metric.label: metric.value for metric in app.metric}["Answers"] == "2"
    assert "before: 1" in [caption.value for caption in app.caption]


def test_a_period_without_answers_says_what_to_do(configured: Path) -> None:
    assert "kiyo ask" in open_overview("days_7").info[0].value


def test_an_unknown_period_in_the_address_is_the_usual_one(configured: Path) -> None:
    assert open_overview("x").query_params["period"] in ("days_30", ["days_30"])


def test_unused_articles_come_with_their_reason(configured: Path, database: Database) -> None:
    SqlKnowledgeStore(database).save_article(article_record("d.md", ["One line."], title="Forgotten"))
    table = open_unused("all").dataframe[0].value
    reasons = dict(zip(table["title"], table["reason"], strict=True))
    assert reasons["First week"] == "提示されたが未使用"
    assert reasons["Forgotten"] == "検索されていない"
    assert "Travel <b>rules</b>" not in reasons


def test_unreadable_articles_are_not_called_unused(configured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Pay" not in list(open_unused("days_7").dataframe[0].value["title"])
    monkeypatch.setenv("KIYO_DASHBOARD_GROUPS", "managers")
    assert "Pay" in list(open_unused("days_7").dataframe[0].value["title"])


def test_the_period_before_is_as_long_and_ends_the_day_before() -> None:
    week = Period(date(2026, 11, 24), date(2026, 11, 30))
    assert period_before(week) == Period(date(2026, 11, 17), date(2026, 11, 23))
    assert period_before(EVERYTHING) is None


def test_every_word_is_there_in_both_languages() -> None:
    for words in (overview.WORDS, quadrants.WORDS, unused.WORDS):
        assert all(english and japanese and english != japanese for english, japanese in words.values())


def test_the_address_may_ask_for_an_article_by_its_title(configured: Path) -> None:
    app = open_quadrants(q="FIRST")
    assert list(app.dataframe[0].value["title"]) == ["First week"]
    app.text_input(key="find_article").set_value("zebra").run()
    assert not app.exception
    assert "No title matches" in app.info[0].value


def test_nothing_in_a_downloaded_table_starts_a_formula() -> None:
    text = table_csv([{"title": "=1+1", "n": -3}, {"title": "冬の準備", "n": 2}])
    assert text.splitlines() == ["title,n", "'=1+1,-3", "冬の準備,2"]


def values(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def test_channels_and_languages_narrow_the_figures_and_stay_in_the_address(
    configured: Path, database: Database
) -> None:
    other = replace(answer_with("other", [Shown("docs:a.md")]), language="other")
    SqlAnswerStore(database).record_answer(other)
    app = open_overview("all")
    app.multiselect(key="overview_channels").set_value(["slack"]).run()
    assert not app.exception
    assert values(app)["Answers"] == "1"
    assert app.query_params["channels"] in ("slack", ["slack"])
    app.multiselect(key="overview_languages").set_value(["other"]).run()
    assert "passes the filters" in app.info[0].value


def test_kinds_of_articles_narrow_the_chart(configured: Path) -> None:
    app = open_overview("all")
    assert "chart counts" not in shown(app)
    app.multiselect(key="overview_kinds").set_value(["memory"]).run()
    assert not app.exception
    assert "No article of these kinds" in app.info[0].value
    assert values(app)["Answers"] == "5"


def test_opinions_and_times_are_told(configured: Path, database: Database) -> None:
    assert values(open_overview("all"))["Found helpful"] == "unknown"
    store = SqlFeedbackStore(database)
    said: dict[str, FeedbackKind] = {"ana": "helpful", "ben": "not_helpful", "eve": "helpful"}
    for person, kind in said.items():
        store.save(FeedbackRow("x1", person, kind, None, "slack", datetime.now(UTC)))
    forget()
    told = values(open_overview("all"))
    assert told["Found helpful"] == "67%"
    assert told["Median time"].endswith(" s")


def test_changes_against_the_period_before_are_told(configured: Path, database: Database) -> None:
    now, answers = datetime.now(UTC), SqlAnswerStore(database)
    full = dict.fromkeys(range(4), "One line.")
    for name, days, carried in (("now1", 0, full), ("now2", 1, full), ("then", 9, None)):
        shown_articles = [Shown("docs:a.md", carried or {})]
        answers.record_answer(answer_with(name, shown_articles, at=now - timedelta(days=days)))
    deltas = {metric.label: metric.delta for metric in open_overview("days_7").metric}
    assert deltas["Answers"] == "+100%"
    assert deltas["Sentences the articles carry"] == "+100 points"


def test_without_alarms_the_page_says_so(configured: Path) -> None:
    assert "No alarms" in shown(open_overview("all"))


def test_a_parquet_file_holds_the_same_rows() -> None:
    first: dict[str, object] = {"title": "=1+1", "n": -3, "rate": None}
    rows = [first, {"title": "冬", "n": 2, "rate": 0.5}]
    assert read_table(BytesIO(table_parquet(rows))).to_pylist() == rows


def test_thresholds_of_the_address_decide_the_fields(configured: Path) -> None:
    app = open_quadrants(exposure="99", rate="10")
    assert "exposure 99, rate 10%" in shown(app)
    fields = dict(zip(app.dataframe[0].value["title"], app.dataframe[0].value["field"], strict=True))
    assert fields["Travel <b>rules</b>"] == "Hidden"
    assert "medians" in shown(open_quadrants(exposure="x", rate="101"))


def test_fields_narrow_the_table(configured: Path) -> None:
    app = open_quadrants(field="carrying")
    assert list(app.dataframe[0].value["title"]) == ["Travel <b>rules</b>"]
