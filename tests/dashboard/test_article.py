"""The page of one article."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.reports import DayFigures
from dashboard.text import Words
from dashboard.views.article_lines import depth
from dashboard.views.article_series import Step, series_chart, steps_of
from dashboard.words.article import WORDS
from dashboard.words.lookup import PageWords
from tests.dashboard.conftest import FULL, PAST
from tests.dashboard.test_overview import open_unused
from tests.dashboard.test_pages import open_quadrants, shown
from tests.samples import Shown, answer_with, article_record

HOTELS = FULL[0]


def article_page() -> None:
    import streamlit

    from dashboard.pages import words_of
    from dashboard.runtime import open_viewer
    from dashboard.text import Words, choose_locale
    from dashboard.views import article

    locale = choose_locale(streamlit.query_params.get("lang"))
    article.render(open_viewer(), words_of(article.PAGE, Words(locale)))


def open_article(identifier: str = "", **params: str) -> AppTest:
    app = AppTest.from_function(article_page, default_timeout=30)
    for name, value in {**({"article": identifier} if identifier else {}), **params}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def pieces(app: AppTest) -> str:
    return "".join(str(piece.proto.body) for piece in app.get("html"))


def write_rules(database: Database, *lines: str) -> None:
    record = article_record("a.md", lines, title="Travel <b>rules</b>")
    SqlKnowledgeStore(database).save_article(record)


def day(number: int, exposure: int = 1, contribution: float = 0.5) -> DayFigures:
    return DayFigures(
        date(2020, 1, 1) + timedelta(days=number), 1, exposure, 1, 1, 0, 0, contribution, contribution / 2
    )


def test_every_line_tells_how_many_statements_it_carried(configured: Path, database: Database) -> None:
    write_rules(database, "Be kind.", HOTELS)
    app = open_article("docs:a.md")
    assert 'line 2: carried 12 statements" style="--n:46%' in pieces(app)
    assert 'line 1: carried 0 statements" style="--n:0%' in pieces(app)
    assert "1 of 2 lines carried something" in shown(app)


def test_figures_and_advice_with_reason_and_suggestion(configured: Path) -> None:
    app = open_article("docs:c.md")
    values = {metric.label: metric.value for metric in app.metric}
    assert (values["Exposure"], values["Contribution"], values["Missed"]) == ("0", "0.25", "1")
    assert "**Hidden** · 1 answers say what it says although it was not shown." in app.info[0].value
    assert "**What to do** ·" in app.info[0].value


def test_the_questions_that_it_carried_are_listed_with_a_way_to_the_answer(configured: Path) -> None:
    table = open_article("docs:a.md").dataframe[1].value
    assert list(table["question"]) == ["What about x2?", "What about x1?", "What about x0?"]
    assert list(table["share"]) == [100, 100, 100]
    assert table["open"][0] == "answer?id=x2&lang=en"


def test_a_question_that_rests_on_unreadable_articles_is_not_told(
    configured: Path, database: Database
) -> None:
    both = [Shown("docs:a.md", {0: HOTELS}), Shown("docs:pay.md", {1: "Pay."})]
    SqlAnswerStore(database).record_answer(answer_with("both", both, at=PAST + timedelta(days=9)))
    table = open_article("docs:a.md").dataframe[1].value
    assert table["question"][0] == "(rests on articles you may not read)"


def test_lines_that_are_gone_are_shown_as_stale(configured: Path, database: Database) -> None:
    write_rules(database, HOTELS)
    write_rules(database, "Hotels are paid up to 16,000 yen.")
    app = open_article("docs:a.md")
    assert f"<s>{HOTELS}</s>" in pieces(app)
    assert "gone since" in shown(app) + pieces(app)
    assert {metric.label: metric.value for metric in app.metric}["Stale"] == "3"
    assert list(app.dataframe[1].value["note"]) == ["stale"] * 3


def test_the_series_is_told_in_words_and_as_a_table(configured: Path) -> None:
    app = open_article("docs:a.md")
    assert "From 2020-09-01 to 2020-09-03: shown for 3 answers, contribution 3.00" in shown(app)
    assert list(app.dataframe[0].value["Exposure"]) == [1, 1, 1]


def test_versions_are_listed_with_the_current_one_marked(configured: Path) -> None:
    table = open_article("docs:b.md").dataframe[-1].value
    assert sorted(table["current"]) == [False, True]
    assert "v1" in list(table["version"])


def test_the_page_speaks_japanese(configured: Path) -> None:
    app = open_article("docs:c.md", lang="ja")
    assert app.header[0].value == "この記事が支えた回答"
    assert app.subheader[0].value == "冬の準備"
    assert "**隠れた実力** ·" in app.info[0].value
    assert "**できること** ·" in app.info[0].value


def test_an_unreadable_article_is_refused_like_an_unknown_one(
    configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unreadable, unknown = open_article("docs:pay.md"), open_article("docs:nothing.md")
    assert "no such article" in unreadable.warning[0].value
    assert (shown(unreadable), pieces(unreadable)) == (shown(unknown), "")
    assert unreadable.selectbox[0].options == unknown.selectbox[0].options
    assert "Pay" not in unreadable.selectbox[0].options
    monkeypatch.setenv("KIYO_DASHBOARD_GROUPS", "managers")
    assert open_article("docs:pay.md").subheader[0].value == "Pay"


def test_without_a_choice_the_page_says_what_to_do(configured: Path) -> None:
    app = open_article()
    assert "Choose an article" in app.info[0].value
    app.selectbox[0].set_value("docs:b.md").run()
    assert not app.exception
    assert app.subheader[0].value == "First week"
    assert app.query_params["article"] in ("docs:b.md", ["docs:b.md"])


def test_without_figures_in_the_period_the_page_says_what_to_do(configured: Path) -> None:
    assert "kiyo ingest" in open_article(period="days_7").info[0].value


def test_an_article_that_did_nothing_still_has_its_text_and_advice(configured: Path) -> None:
    app = open_article("docs:b.md", period="days_7")
    assert "One line." in pieces(app)
    assert "No line carried a statement" in shown(app)
    assert "It carried no answer" in shown(app)
    assert app.info[0].value.startswith("**Idle** ·")


def test_a_removed_article_says_so(configured: Path, database: Database) -> None:
    SqlKnowledgeStore(database).remove_article("docs:a.md", PAST)
    app = open_article("docs:a.md")
    assert "was removed" in app.warning[0].value
    assert not app.dataframe[-1].value["current"].any()


@pytest.mark.parametrize("part", ["0", "-1", "x", "²", "99999", "9" * 40])
def test_an_odd_part_in_the_address_is_no_error(configured: Path, part: str) -> None:
    assert open_article("docs:a.md", part=part).subheader[0].value == r"Travel \<b\>rules\<\/b\>"


def test_a_long_text_comes_in_parts(configured: Path, database: Database) -> None:
    write_rules(database, *(f"Line {n}." for n in range(501)))
    first = open_article("docs:a.md")
    assert "Line 499." in pieces(first)
    assert "Line 500." not in pieces(first)
    first.selectbox[1].set_value(2).run()
    assert not first.exception
    assert "Line 500." in pieces(first)
    assert "Line 499." not in pieces(first)


def test_text_of_an_article_is_shown_as_text(configured: Path, database: Database) -> None:
    write_rules(database, "<script>alert(1)</script>")
    assert "&lt;script&gt;" in pieces(open_article("docs:a.md"))
    assert "<script>" not in pieces(open_article("docs:a.md"))


def test_tables_of_articles_lead_to_the_page_and_keep_the_period(configured: Path) -> None:
    app = open_quadrants(period="all")
    links = [*app.dataframe[0].value["open"], *open_unused("all").dataframe[0].value["open"]]
    asked = [parse_qs(urlsplit(link).query) for link in links]
    assert {one["article"][0] for one in asked} == {"docs:a.md", "docs:b.md", "docs:c.md"}
    assert all(one["period"] == ["all"] for one in asked)


def test_every_word_is_there_in_both_languages() -> None:
    assert all(english and japanese and english != japanese for english, japanese in WORDS.values())


def test_quiet_days_are_told_as_zero() -> None:
    steps = steps_of([day(0), day(3)])
    assert [step.exposure for step in steps] == [1, 0, 0, 1]


@given(st.lists(st.integers(0, 900), min_size=1, max_size=40, unique=True))
def test_no_step_loses_or_adds_a_figure(numbers: list[int]) -> None:
    days = [day(number) for number in sorted(numbers)]
    steps = steps_of(days)
    assert sum(step.exposure for step in steps) == len(days)
    assert sum(step.contribution for step in steps) == pytest.approx(0.5 * len(days))
    gaps = {later.since - step.since for step, later in pairwise(steps)}
    assert len(gaps) <= 1


def test_series_differ_in_colour_shape_and_dashes() -> None:
    chart = series_chart([Step(date(2020, 1, 1), 1, 0.5, 0.25)], PageWords(Words("en"), WORDS))
    layers = chart.to_dict()["layer"]
    drawn = {name: scale for layer in layers for name, scale in layer["encoding"].items()}
    for channel in ("color", "shape", "strokeDash"):
        values = [str(value) for value in drawn[channel]["scale"]["range"]]
        assert len(set(values)) == 3


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_line_is_tinted_exactly_when_it_carried_something(statements: int, more: int) -> None:
    assert (depth(statements, statements + more) > 0) == (statements > 0)
    assert depth(statements, statements + more) <= depth(statements + more, statements + more)
