"""Asking on a page: as oneself freely, as somebody else as a maintainer and on record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.domain import ANONYMOUS, PUBLIC, Principal
from core.errors import AskerError, RoleError
from core.people_ports import AuditFilter, Person
from core.ports import Turn
from core.storage.audit import SqlAuditLog
from core.storage.engine import Database, open_database
from core.storage.jobs import SqlJobStore
from core.usecases.audit import Acting
from core.usecases.page_questions import CHANNEL, QUESTION_CHARS, ask_on_page
from tests.databases import copied_sqlite, migrated_sqlite

__all__ = ["migrated_sqlite"]

OWN = Principal("mina", frozenset({PUBLIC, "staff"}))
ASKED = [Turn("user", "When do I apply for leave?")]


@pytest.fixture
def database(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    opened = open_database(copied_sqlite(migrated_sqlite, tmp_path / "pages.db"))
    yield opened
    opened.close()


def act(database: Database, person: Person) -> Acting:
    return Acting(person, SqlAuditLog(database))


def test_the_job_says_who_asks_where_and_what_was_said_before(database: Database) -> None:
    jobs = SqlJobStore(database)
    before = [Turn("user", "Hello?"), Turn("assistant", "Yes?", ("docs:a.md",))]
    ask_on_page(jobs, act(database, Person("mina", "viewer")), OWN, OWN, [*before, *ASKED])
    job = jobs.claim("worker", 60, ["ask"])
    assert job is not None
    assert job.payload == {
        "question": "When do I apply for leave?",
        "person": "mina",
        "groups": [PUBLIC, "staff"],
        "channel": CHANNEL,
        "history": [["user", "Hello?", []], ["assistant", "Yes?", ["docs:a.md"]]],
    }
    assert job.created_by == "mina"


def test_a_viewer_asks_as_nobody_else(database: Database) -> None:
    jobs = SqlJobStore(database)
    with pytest.raises(RoleError):
        ask_on_page(jobs, act(database, Person("mina", "viewer")), OWN, ANONYMOUS, ASKED)
    assert jobs.claim("worker", 60, ["ask"]) is None


def test_a_maintainer_who_asks_as_somebody_is_on_record(database: Database) -> None:
    jobs, acting = SqlJobStore(database), act(database, Person("mina", "maintainer"))
    boss = Principal("boss", frozenset({PUBLIC, "managers"}))
    ask_on_page(jobs, acting, OWN, boss, ASKED)
    (entry,) = acting.log.entries(AuditFilter(), 9)
    assert (entry.who, entry.action, entry.object_id) == ("mina", "ask.as", "boss")
    assert entry.detail == {"groups": ["managers", PUBLIC]}
    job = jobs.claim("worker", 60, ["ask"])
    assert job is not None
    assert job.payload["groups"] == ["managers", PUBLIC]


@pytest.mark.parametrize("text", ["", "  ", "？！", "x" * (QUESTION_CHARS + 1)])
def test_what_is_no_question_is_refused(database: Database, text: str) -> None:
    with pytest.raises(AskerError):
        ask_on_page(
            SqlJobStore(database), act(database, Person("m", "viewer")), OWN, OWN, [Turn("user", text)]
        )
