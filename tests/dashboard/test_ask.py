"""The page to ask on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.people_ports import AuditFilter
from core.storage.audit import SqlAuditLog
from core.storage.engine import Database
from core.storage.jobs import SqlJobStore
from core.usecases.people import ROLES
from tests.dashboard.test_pages import shown

RESULT: dict[str, Any] = {
    "id": "x1",
    "answer": "Hotels are paid up to *14,000* yen. [1]",
    "citations": [{"n": 1, "article_id": "docs:a.md", "title": "Travel <b>rules</b>"}],
    "contributions": [
        {"article_id": "docs:a.md", "share": 0.75, "statements": 3, "exposed": True},
        {"article_id": "docs:b.md", "share": 0.0, "statements": 0, "exposed": True},
    ],
    "timings_ms": {"retrieve": 1200.0},
    "model": "extractive",
}


def ask_page(wanted: str, locale: str) -> None:
    from core.domain import Principal
    from core.usecases.people import ROLES
    from dashboard.pages import words_of
    from dashboard.runtime import Viewer, open_viewer
    from dashboard.text import Words, choose_locale
    from dashboard.views import ask

    role = next(role for role in ROLES if role == wanted)
    viewer = Viewer(open_viewer().database, Principal("visitor"), role)
    ask.render(viewer, words_of(ask.PAGE, Words(choose_locale(locale))))


def open_ask(role: str = "maintainer", locale: str = "en", **query: str) -> AppTest:
    app = AppTest.from_function(ask_page, default_timeout=30, args=(role, locale))
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def ask(app: AppTest, question: str) -> None:
    app.chat_input[0].set_value(question).run()
    assert not app.exception


def answer(database: Database, result: dict[str, Any]) -> dict[str, Any]:
    jobs = SqlJobStore(database)
    job = jobs.claim("worker", 60, ["ask"])
    assert job is not None
    jobs.finish(job.id, result)
    return dict(job.payload)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("locale", ["en", "ja"])
def test_everybody_may_ask_and_is_told_what(configured: Path, role: str, locale: str) -> None:
    app = open_ask(role, locale)
    assert len(app.info) == 1
    assert bool(app.selectbox) == (role == "maintainer")


def test_an_answer_stands_with_the_share_of_each_source_and_survives_a_reload(
    configured: Path, database: Database
) -> None:
    app = open_ask()
    ask(app, "Hotels?")
    assert app.chat_input[0].disabled
    answer(database, RESULT)
    again = open_ask(turns=app.query_params["turns"][0])
    text = shown(again)
    assert "Hotels\\?" in text
    assert "Hotels are paid up to \\*14\\,000\\* yen\\." in text
    assert "Travel \\<b\\>rules" in text
    assert "article?article=docs%3Aa.md" in text
    assert "1 more were shown and carried nothing" in text
    assert "answer?id=x1" in text


def test_a_follow_up_takes_along_what_was_said_and_cited(configured: Path, database: Database) -> None:
    app = open_ask()
    ask(app, "Hotels?")
    answer(database, RESULT)
    app.run()
    ask(app, "And meals?")
    history = answer(database, RESULT)["history"]
    assert history == [["user", "Hotels?", []], ["assistant", RESULT["answer"], ["docs:a.md"]]]


def test_asking_as_somebody_else_is_said_logged_and_begins_anew(configured: Path, database: Database) -> None:
    configured.write_text(configured.read_text() + '\n[access.people]\nboss = ["managers"]\n')
    app = open_ask()
    ask(app, "Hotels?")
    answer(database, RESULT)
    app.run()
    app.selectbox(key="ask_person").select_index(2).run()
    assert "boss" in app.info[0].value
    ask(app, "What is my pay?")
    payload = answer(database, RESULT)
    assert (payload["person"], payload["groups"], payload["history"]) == ("boss", ["managers", "public"], [])
    (entry,) = SqlAuditLog(database).entries(AuditFilter(action="ask.as"), 9)
    assert (entry.who, entry.object_id) == ("visitor", "boss")


def test_what_others_asked_is_not_shown_whatever_the_address_says(
    configured: Path, database: Database
) -> None:
    jobs = SqlJobStore(database)
    theirs = jobs.enqueue("ask", {"question": "Secret?", "person": "rie", "groups": []}, "rie")
    jobs.finish(theirs, RESULT)
    for turns in (str(theirs), f"{theirs}-x--²", "9" * 40):
        app = open_ask(turns=turns)
        assert "Secret" not in shown(app)


def test_a_failure_is_a_sentence_and_one_can_go_on(configured: Path, database: Database) -> None:
    app = open_ask()
    ask(app, "Hotels?")
    jobs = SqlJobStore(database)
    job = jobs.claim("worker", 60, ["ask"])
    assert job is not None
    jobs.fail(job.id, "The knowledge base is empty.")
    app.run()
    assert "The knowledge base is empty." in app.warning[0].value
    assert not app.chat_input[0].disabled
    app.button(key="ask_new").click().run()
    assert "turns" not in app.query_params
