"""The page of the knowledge base."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.storage.engine import Database
from core.storage.jobs import SqlJobStore
from core.usecases.people import ROLES
from tests.dashboard.test_pages import shown

REPORT = {
    "added": 2,
    "changed": 0,
    "unchanged": 1,
    "moved": 0,
    "removed": 0,
    "skipped": 1,
    "conflict": 0,
    "problems": ["The folder gone does not exist."],
    "files": [
        {"source": "docs", "path": "scan.pdf", "status": "skipped", "reason": "It needs OCR."},
        {"source": "docs", "path": "a.md", "status": "unchanged", "reason": ""},
        {"source": "secret", "path": "pay.md", "status": "added", "reason": ""},
    ],
}


def knowledge_page(wanted: str, locale: str) -> None:
    from core.domain import Principal
    from core.usecases.people import ROLES
    from dashboard.pages import words_of
    from dashboard.runtime import Viewer, open_viewer
    from dashboard.text import Words, choose_locale
    from dashboard.views import knowledge

    role = next(role for role in ROLES if role == wanted)
    viewer = Viewer(open_viewer().database, Principal("visitor"), role)
    knowledge.render(viewer, words_of(knowledge.PAGE, Words(choose_locale(locale))))


def open_knowledge(role: str = "maintainer", locale: str = "en") -> AppTest:
    app = AppTest.from_function(knowledge_page, default_timeout=30, args=(role, locale))
    app.run()
    assert not app.exception
    return app


def press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert not app.exception


@pytest.mark.parametrize("locale", ["en", "ja"])
@pytest.mark.parametrize("role", ROLES)
def test_everybody_sees_the_sources_and_maintainers_may_change(
    configured: Path, role: str, locale: str
) -> None:
    app = open_knowledge(role, locale)
    table = app.dataframe[0].value
    assert list(table.iloc[:, 0]) == ["docs"]
    assert list(table.iloc[:, 1]) == [3]
    assert bool(app.button) == (role == "maintainer")


def test_the_last_reading_tells_what_became_of_files_of_sources_one_may_see(
    configured: Path, database: Database
) -> None:
    SqlJobStore(database).keep_done("ingest", REPORT, "cli:mina")
    app = open_knowledge()
    files = app.dataframe[1].value
    assert list(files.iloc[:, 1]) == ["scan.pdf"]
    assert list(files.iloc[:, 2]) == ["It needs OCR."]
    assert [metric.value for metric in app.metric] == ["2", "0", "1", "1"]
    assert "cli:mina" in shown(app)
    assert len(open_knowledge("viewer").dataframe) == 1


def test_a_source_is_read_again_by_a_job(configured: Path, database: Database) -> None:
    app = open_knowledge()
    press(app, "knowledge_read")
    job = SqlJobStore(database).claim("worker", 60, ["ingest"])
    assert job is not None
    assert "docs" in str(job.payload["paths"])
    assert job.created_by == "visitor"


def test_the_index_is_made_again_once_at_a_time(configured: Path, database: Database) -> None:
    app = open_knowledge()
    press(app, "knowledge_reindex")
    jobs = SqlJobStore(database)
    job = jobs.claim("worker", 60, ["reindex"])
    assert job is not None
    app.run()
    assert app.button(key="knowledge_reindex").disabled
    jobs.finish(job.id, {"embedded": 7, "chunks": 1200, "revision": 4})
    app.run()
    assert "1,200 chunks, 7 of them" in app.success[0].value


def test_a_reading_that_failed_says_why(configured: Path, database: Database) -> None:
    jobs = SqlJobStore(database)
    jobs.fail(jobs.enqueue("ingest", {}, "mina"), "The disk is full.")
    assert "The disk is full." in open_knowledge().warning[0].value


def test_an_upload_without_files_is_refused_with_a_sentence(configured: Path, database: Database) -> None:
    app = open_knowledge()
    app.button(key="FormSubmitter:knowledge_upload-Bring in").click().run()
    assert "Choose between 1 and" in app.warning[-1].value
