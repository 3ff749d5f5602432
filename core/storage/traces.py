"""TraceStore: how each answer came about, and what models said of tables of contents, for a limited time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select

from core.domain import AnswerId
from core.storage import tables as t
from core.storage.engine import Database
from core.storage.keys import Clock, now_ms, storable
from core.storage.trace_tables import toc_selections, traces

_DAY_MS = 86_400_000


class SqlTraceStore:
    """Implements TraceStore. keep_days: after so many a record is gone; 0 keeps none."""

    def __init__(self, database: Database, keep_days: int = 30, clock: Clock = now_ms) -> None:
        self._database = database
        self._keep_days = keep_days
        self._clock = clock

    def save_trace(self, answer_id: AnswerId, trace: Mapping[str, object]) -> None:
        if self._keep_days == 0:
            return
        now = self._clock()
        with self._database.writing() as connection:
            self._expire(connection, traces, now)
            key = connection.scalar(select(t.answers.c.key).where(t.answers.c.id == answer_id))
            if key is None:
                return
            connection.execute(delete(traces).where(traces.c.answer == key))
            row = {"answer": key, "trace": _storable(trace), "created_at": now, "updated_at": now}
            connection.execute(insert(traces), row)

    def get_trace(self, answer_id: AnswerId) -> dict[str, object] | None:
        """None when there is none, or when it is too old."""
        query = (
            select(traces.c.trace)
            .join(t.answers, t.answers.c.key == traces.c.answer)
            .where(t.answers.c.id == answer_id, traces.c.created_at > self._oldest(self._clock()))
        )
        with self._database.reading() as connection:
            found = connection.scalar(query)
        return None if found is None else dict(found)

    def save_selection(self, digest: str, selection: Mapping[str, object]) -> None:
        if self._keep_days == 0:
            return
        now = self._clock()
        with self._database.writing() as connection:
            self._expire(connection, toc_selections, now)
            connection.execute(delete(toc_selections).where(toc_selections.c.digest == digest))
            row = {"digest": digest, "selection": _storable(selection), "created_at": now, "updated_at": now}
            connection.execute(insert(toc_selections), row)

    def get_selection(self, digest: str) -> dict[str, object] | None:
        query = select(toc_selections.c.selection).where(
            toc_selections.c.digest == digest, toc_selections.c.created_at > self._oldest(self._clock())
        )
        with self._database.reading() as connection:
            found = connection.scalar(query)
        return None if found is None else dict(found)

    def _expire(self, connection: Connection, table: Table, now: int) -> None:
        connection.execute(delete(table).where(table.c.created_at <= self._oldest(now)))

    def _oldest(self, now: int) -> int:
        return now - self._keep_days * _DAY_MS


def _storable(value: Any) -> Any:
    """The same plain values, with texts that every database takes."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): _storable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(inner) for inner in value]
    return value
