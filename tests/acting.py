"""Somebody who does something in a test, and what the log then says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from core.people_ports import AuditEntry, AuditFilter, AuditLog, NoteAction, Person, Role
from core.storage.audit import SqlAuditLog
from core.storage.engine import Database
from core.storage.keys import from_ms
from core.usecases.audit import Acting


class ListedLog:
    """An AuditLog without a database, for stores whose database the test does not hold."""

    def __init__(self) -> None:
        self._entries: list[AuditEntry] = []

    @contextmanager
    def writing(self) -> Iterator[NoteAction]:
        noted: list[AuditEntry] = []

        def note(who: str, action: str, kind: str, id_: str, detail: Mapping[str, object]) -> None:
            number = len(self._entries) + len(noted) + 1
            noted.append(AuditEntry(number, from_ms(number), who, action, kind, id_, detail))

        yield note
        self._entries += noted

    def entries(self, wanted: AuditFilter, limit: int) -> list[AuditEntry]:
        fitting = [
            one
            for one in reversed(self._entries)
            if wanted.who in ("", one.who)
            and wanted.action in ("", one.action)
            and wanted.text in one.object_id
            and (wanted.before is None or one.id < wanted.before)
        ]
        return fitting[:limit]

    def actions(self) -> list[str]:
        return sorted({one.action for one in self._entries})


def acting_as(name: str, role: Role, database: Database | None = None) -> Acting:
    return Acting(Person(name, role), ListedLog() if database is None else SqlAuditLog(database))


def noted(log: AuditLog) -> list[tuple[str, str, str]]:
    """(who, action, object id), oldest first."""
    found = log.entries(AuditFilter(), 1_000)
    return [(one.who, one.action, one.object_id) for one in reversed(found)]
