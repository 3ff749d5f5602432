"""What people did is kept with what they changed, or not at all."""

from __future__ import annotations

from datetime import UTC

import pytest

from core.errors import StoreError
from core.people_ports import AuditFilter, AuditLog, NewAccount
from core.storage.audit import DETAIL_CHARS, SqlAuditLog
from core.storage.engine import Database
from core.storage.people import SqlPeopleStore
from tests.acting import ListedLog
from tests.databases import Ticks

ALL = AuditFilter()
RIE = NewAccount("rie", ("viewer",))


@pytest.fixture(params=["database", "list"])
def log(request: pytest.FixtureRequest, database: Database) -> AuditLog:
    return ListedLog() if request.param == "list" else SqlAuditLog(database, Ticks(1_790_000_000_000))


def test_entries_are_read_latest_first_and_filtered(log: AuditLog) -> None:
    with log.writing() as note:
        note("mina", "person.add", "person", "rie", {"roles": ["viewer"]})
        note("mina", "person.roles", "person", "50%_off", {})
    with log.writing() as note:
        note("ann", "person.add", "person", "ben", {})
    assert [one.object_id for one in log.entries(ALL, 10)] == ["ben", "50%_off", "rie"]
    first = log.entries(AuditFilter(who="mina", action="person.add"), 10)
    assert [(one.who, one.action, one.object_kind, dict(one.detail)) for one in first] == [
        ("mina", "person.add", "person", {"roles": ["viewer"]})
    ]
    assert first[0].at.tzinfo is UTC
    assert [one.object_id for one in log.entries(AuditFilter(text="%_"), 10)] == ["50%_off"]
    latest = log.entries(ALL, 1)[0]
    assert [one.object_id for one in log.entries(AuditFilter(before=latest.id), 1)] == ["50%_off"]
    assert log.actions() == ["person.add", "person.roles"]


def test_what_fails_leaves_neither_the_change_nor_the_entry(database: Database) -> None:
    log, people = SqlAuditLog(database), SqlPeopleStore(database)

    def change() -> None:
        with log.writing() as note:
            people.add(RIE)
            assert people.find("rie") is not None
            note("mina", "person.add", "person", "rie", {})
            raise StoreError("Stopped.")

    with pytest.raises(StoreError):
        change()
    assert people.is_empty()
    assert log.entries(ALL, 10) == []
    assert people.add(RIE)


def test_details_are_bounded(database: Database) -> None:
    log = SqlAuditLog(database)
    with log.writing() as note:
        note("m\0", "x", "y", "z" * 9_000, {"text": "あ" * 9_000, "many": range(3), "set": frozenset("ba")})
    entry = log.entries(ALL, 1)[0]
    assert entry.who == "m\ufffd"
    assert len(entry.object_id) == 500
    assert len(str(entry.detail["text"])) == DETAIL_CHARS
    assert entry.detail["set"] == ["a", "b"]
