"""AuditLog: what people did, in the transaction that did it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy import insert, select

from core.people_ports import AuditEntry, AuditFilter, NoteAction
from core.storage.engine import Database
from core.storage.keys import Clock, from_ms, now_ms, storable
from core.storage.people_tables import audit_log

OBJECT_CHARS = 500
DETAIL_CHARS = 300
DETAIL_VALUES = 20
_c = audit_log.c


class SqlAuditLog:
    """Implements AuditLog."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    @contextmanager
    def writing(self) -> Iterator[NoteAction]:
        with self._database.together() as connection:

            def note(who: str, action: str, kind: str, id_: str, detail: Mapping[str, object]) -> None:
                now = self._clock()
                row = {"at": now, "who": storable(who), "action": action, "object_kind": kind}
                row |= {"object_id": storable(id_)[:OBJECT_CHARS], "detail": _bounded(detail)}
                connection.execute(insert(audit_log).values(row | {"updated_at": now}))

            yield note

    def entries(self, wanted: AuditFilter, limit: int) -> list[AuditEntry]:
        query = select(audit_log).order_by(_c.key.desc()).limit(limit)
        if wanted.who:
            query = query.where(_c.who == wanted.who)
        if wanted.action:
            query = query.where(_c.action == wanted.action)
        if wanted.text:
            query = query.where(_c.object_id.contains(wanted.text, autoescape=True))
        if wanted.before is not None:
            query = query.where(_c.key < wanted.before)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            AuditEntry(
                *(row.key, from_ms(row.at), row.who, row.action),
                *(row.object_kind, row.object_id, row.detail),
            )
            for row in rows
        ]

    def actions(self) -> list[str]:
        with self._database.reading() as connection:
            return list(connection.scalars(select(_c.action).distinct().order_by(_c.action)))


def _bounded(detail: Mapping[str, object]) -> dict[str, object]:
    return {name: _short(value) for name, value in list(detail.items())[:DETAIL_VALUES]}


def _short(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        shown = sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
        return [_short(one) for one in shown[:DETAIL_VALUES]]
    return storable(str(value))[:DETAIL_CHARS]
