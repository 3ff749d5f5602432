"""The page of the retrieval lab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from core.storage.engine import Database
from core.storage.jobs import SqlJobStore
from core.storage.lab import SqlLabStore
from core.usecases.people import ROLES, Person
from dashboard.pages import pages_for
from dashboard.words.lab import WORDS
from tests.dashboard.test_pages import shown


def lab_page(wanted: str) -> None:
    from core.domain import Principal
    from core.usecases.people import ROLES
    from dashboard.pages import words_of
    from dashboard.runtime import Viewer, open_viewer
    from dashboard.text import Words
    from dashboard.views import lab

    role = next(role for role in ROLES if role == wanted)
    viewer = Viewer(open_viewer().database, Principal("visitor"), role)
    lab.render(viewer, words_of(lab.PAGE, Words("en")))


def open_lab(role: str = "maintainer", **query: str) -> AppTest:
    app = AppTest.from_function(lab_page, default_timeout=30, args=(role,))
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert not app.exception


HIT = {"chunk": 1, "article_id": "docs:a.md", "title": "Travel", "section": "Travel", "text": "Hotels."}
RESULT: dict[str, Any] = {
    "question": "Hotels?",
    "query": "Hotels?",
    "terms": ["hotel"],
    "language": "en",
    "mode": "hybrid",
    "detectors": {"keyword": [{**HIT, "score": 3.5}], "vector": [{**HIT, "score": 0.7}], "anchors": []},
    "fused": [
        {**HIT, "relevance": 0.8, "scores": {"bm25": 3.5}, "ranks": {"keyword": 1, "vector": 1}, "number": 1}
        | {"cut_because": "", "tokens": 12},
        {**HIT, "title": "Pay", "relevance": 0.1, "scores": {}, "ranks": {"vector": 2}, "number": None}
        | {"cut_because": "below the threshold", "tokens": 9},
    ],
    "trace": {},
    "milliseconds": 12.3,
}


def test_a_question_is_asked_with_the_settings_of_the_address(configured: Path, database: Database) -> None:
    app = open_lab(q="Hotels?", mode="anchors", max_results="3")
    press(app, "lab_ask")
    job = SqlJobStore(database).claim("worker", 60, ("lab",))
    assert job is not None
    assert job.payload["settings"] == {"mode": "anchors", "max_results": 3}
    assert job.payload["groups"] == ["public"]
    assert job.created_by == "visitor"
    assert "at work" in shown(app)


def test_the_result_stands_side_by_side_with_what_became_of_it(configured: Path, database: Database) -> None:
    app = open_lab(q="Hotels?")
    press(app, "lab_ask")
    jobs = SqlJobStore(database)
    job = jobs.claim("worker", 60, ("lab",))
    assert job is not None
    jobs.finish(job.id, RESULT)
    app.run()
    assert not app.exception
    tables = [table.value for table in app.dataframe]
    assert [list(table["Article"]) for table in tables[:2]] == [["Travel"], ["Travel"]]
    assert list(tables[2]["What became of it"]) == ["● shown as [1]", "○ cut: below the threshold"]
    assert list(tables[2]["Found by"]) == ["By words 1 · By meaning 1", "By meaning 2"]
    assert "Nothing." in shown(app)


def test_a_failure_is_told_as_a_sentence(configured: Path, database: Database) -> None:
    app = open_lab(q="Hotels?")
    press(app, "lab_ask")
    jobs = SqlJobStore(database)
    job = jobs.claim("worker", 60, ("lab",))
    assert job is not None
    jobs.fail(job.id, "The knowledge base is empty.")
    app.run()
    assert "The knowledge base is empty." in app.warning[0].value


def test_a_set_is_written_run_and_compared(configured: Path, database: Database) -> None:
    app = open_lab(fusion="rrf")
    assert "There is no set yet" in shown(app)
    app.text_input[1].set_value("daily")
    app.text_area[0].set_value("When?\tdocs:a.md\nWhere?\tdocs:b.md, docs:c.md")
    app.button[-1].click().run()
    assert not app.exception
    store, jobs = SqlLabStore(database), SqlJobStore(database)
    (kept,) = store.sets()
    assert [question.articles for question in kept.questions] == [("docs:a.md",), ("docs:b.md", "docs:c.md")]
    press(app, "lab_run")
    press(app, "lab_run")
    for mrr in (0.5, 0.75):
        job = jobs.claim("worker", 60, ("lab",))
        assert job is not None
        figures = {"n": 2, "mrr": mrr, "recall_at_1": 0.5, "recall_at_5": 1.0, "recall_at_10": 1.0}
        jobs.finish(job.id, {"figures": {**figures, "milliseconds": 9.0}})
    app.run()
    assert not app.exception
    table = app.dataframe[0].value
    assert list(table["MRR"]) == [0.75, 0.5]
    assert list(table["Settings"]) == ["fusion = rrf"] * 2
    assert "MRR 0.750" in shown(app)
    press(app, "lab_remove")
    assert store.sets() == []


def test_a_wrong_line_is_named_and_what_was_written_stays(configured: Path, database: Database) -> None:
    app = open_lab()
    app.text_input[1].set_value("daily")
    app.text_area[0].set_value("When?")
    app.button[-1].click().run()
    assert "Line 1" in app.warning[0].value
    assert app.text_area[0].value == "When?"
    assert SqlLabStore(database).sets() == []


def test_the_lab_is_for_maintainers(configured: Path, database: Database) -> None:
    offered = {role: "lab" in {page.name for page in pages_for(Person("x", role))} for role in ROLES}
    assert offered == {"viewer": False, "reviewer": False, "labeller": False, "maintainer": True}
    app = open_lab("reviewer", q="Hotels?")
    press(app, "lab_ask")
    assert "maintainer" in app.warning[0].value
    assert SqlJobStore(database).claim("worker", 60, ("lab",)) is None


def test_every_word_is_there_in_both_languages() -> None:
    same = {"recall_at_1", "recall_at_5", "recall_at_10", "mrr"}
    for name, (english, japanese) in WORDS.items():
        assert english
        assert japanese
        assert name in same or english != japanese
