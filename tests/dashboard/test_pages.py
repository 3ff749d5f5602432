"""The pages as Streamlit draws them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from streamlit.testing.v1 import AppTest

from core.contribution.gap_items import QUESTION
from core.domain import PUBLIC
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database, open_database
from tests.dashboard.conftest import note_gaps
from tests.samples import Shown, answer_with

APP = str(Path(__file__).parents[2] / "dashboard" / "app.py")


def answer_page() -> None:
    """The script of one page; AppTest cannot follow the navigation to a page that is a function."""
    from dashboard.runtime import open_viewer
    from dashboard.text import Words
    from dashboard.views import answer

    answer.render(open_viewer(), Words("en"))


def quadrants_page() -> None:
    from dashboard.pages import words_of
    from dashboard.runtime import open_viewer
    from dashboard.text import Words
    from dashboard.views import quadrants

    quadrants.render(open_viewer(), words_of(quadrants.PAGE, Words("en")))


def open_quadrants(**query: str) -> AppTest:
    app = AppTest.from_function(quadrants_page, default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def gaps_page() -> None:
    from dashboard.runtime import open_viewer
    from dashboard.text import Words
    from dashboard.views import gaps

    gaps.render(open_viewer(), Words("ja"))


def open_gaps(weeks: int | None) -> AppTest:
    app = AppTest.from_function(gaps_page, default_timeout=30).run()
    if weeks:
        app.button_group[0].set_value(weeks).run()
    assert not app.exception
    return app


def open_app() -> AppTest:
    app = AppTest.from_file(APP, default_timeout=30).run()
    assert not app.exception
    return app


def open_answer(identifier: str = "") -> AppTest:
    app = AppTest.from_function(answer_page, default_timeout=30)
    if identifier:
        app.query_params["id"] = identifier
    app.run()
    assert not app.exception
    return app


def shown(app: AppTest) -> str:
    """Every text of the page."""
    kinds = (app.title, app.header, app.subheader, app.caption, app.markdown, app.text, app.info, app.warning)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def test_the_first_page_is_the_overview(configured: Path) -> None:
    assert open_app().header[0].value == "How the answers are doing"


def test_the_page_of_articles_shows_figures_advice_and_the_table(configured: Path) -> None:
    app = open_quadrants()
    assert app.header[0].value == "Which articles carry the answers"
    assert {metric.label: metric.value for metric in app.metric}["Answers"] == "5"
    assert "**Hidden** · 1" in shown(app)
    table = app.dataframe[0].value
    assert list(table["title"]) == ["Travel <b>rules</b>", "冬の準備", "First week"]
    assert table["why"][1] == "1 answers say what it says although it was not shown."
    assert all(table["suggestion"].str.endswith("."))
    assert "1 more articles are not shown" in shown(app)


def test_the_language_can_be_switched(configured: Path) -> None:
    app = open_app()
    language = next(group for group in app.button_group if group.key == "language")
    language.set_value("ja").run()
    assert not app.exception
    assert app.header[0].value == "回答の状況"


def test_the_address_may_choose_the_language(configured: Path) -> None:
    app = AppTest.from_file(APP, default_timeout=30)
    app.query_params["lang"] = "ja"
    assert app.run().header[0].value == "回答の状況"


def test_a_period_without_answers_says_what_to_do(configured: Path) -> None:
    app = open_quadrants()
    period = next(group for group in app.button_group if group.key == "period")
    period.set_value("days_7").run()
    assert not app.exception
    assert "kiyo ask" in app.info[0].value


def test_without_a_database_the_page_says_how_to_make_one(configured: Path) -> None:
    configured.write_text(f'[storage]\nfolder = "{configured.parent / "empty"}"\n')
    app = open_app()
    assert "kiyo db upgrade" in app.text[0].value


def test_an_answer_stands_beside_its_articles(configured: Path) -> None:
    app = open_answer("x1")
    assert app.selectbox[0].value == "x1"
    assert "What about x1?" in shown(app)
    pieces = "".join(str(piece.proto.body) for piece in app.get("html"))
    assert "Hotels are paid up to 14,000 yen." in pieces
    assert "Travel &lt;b&gt;rules&lt;/b&gt;" in pieces


def test_an_example_is_marked_in_the_list_and_on_the_page(configured: Path) -> None:
    app = open_answer("recorded-1")
    assert "made-up example" in app.info[0].value
    assert "09-06 09:30 What about recorded-1? (example)" in app.selectbox[0].options


def test_an_answer_that_may_not_be_read_shows_no_text(
    configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_answer("pay")
    assert "may not read" in app.warning[0].value
    assert "What about pay?" not in shown(app) + "".join(app.selectbox[0].options)
    assert not app.get("html")
    monkeypatch.setenv("KIYO_DASHBOARD_GROUPS", "managers")
    assert "What about pay?" in shown(open_answer("pay"))


def test_another_answer_can_be_chosen(configured: Path) -> None:
    app = open_answer()
    app.selectbox[0].set_value("x0").run()
    assert not app.exception
    assert "What about x0?" in shown(app)


def test_an_answer_without_articles_says_so(configured: Path, database: Database) -> None:
    SqlAnswerStore(database).record_answer(answer_with("none", [], judged=False))
    app = open_answer("none")
    assert "No article was shown for this answer" in shown(app)


def test_names_in_an_imported_answer_cannot_bring_pictures_or_links(
    configured: Path, database: Database
) -> None:
    hostile = "![x](http://evil.example/x.png) :red[y] $z$"
    SqlAnswerStore(database).record_answer(
        replace(answer_with("odd", [Shown("docs:a.md")], channel=hostile), model=hostile)
    )
    caption = next(str(one.value) for one in open_answer("odd").caption if "Confidence" in str(one.value))
    tree = MarkdownIt("commonmark").parseInline(caption)
    assert {token.type for token in tree[0].children or ()} <= {"text", "text_special"}
    assert "\\:red\\[y\\] \\$z\\$" in caption


def test_without_gaps_in_the_period_the_page_says_so(configured: Path) -> None:
    assert "不足はありません" in open_gaps(4).info[0].value


def test_gaps_are_listed_with_their_texts(configured: Path) -> None:
    database = open_database(f"sqlite:///{configured.parent / 'kiyo.db'}")
    answers = SqlAnswerStore(database)
    now = datetime.now(UTC)
    for name, question in (("new1", "<b>犬</b>は誰の？"), ("new2", "車はどこ？")):
        answers.record_answer(replace(answer_with(name, [], judged=False, at=now), question=question))
        answers.gaps.note_items(name, [QUESTION], {PUBLIC}, 0)
    note_gaps(answers)
    database.close()
    app = open_gaps(None)
    listed, entries = (table.value for table in app.dataframe[:2])
    assert list(listed["name"]) == ["<b>犬</b>は誰の？", "車はどこ？"]
    assert list(listed["state"]) == ["未対応", "未対応"]
    assert list(listed["weeks"][0]) == [0] * 7 + [1]
    assert list(entries["text"]) == ["<b>犬</b>は誰の？"]
    chosen = app.selectbox[0]
    chosen.set_value(int(chosen.value or 0) + 1).run()
    assert not app.exception
    assert list(app.dataframe[1].value["text"]) == ["車はどこ？"]
