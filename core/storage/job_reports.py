"""Jobs as pages show them: what was asked for, how far it is, what came of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from core.storage import tables as t
from core.storage.engine import Database
from core.storage.keys import from_ms

_j = t.jobs.c
_COLUMNS = (_j.id, _j.kind, _j.payload, _j.state, _j.result, _j.created_by, _j.created_at, _j.finished_at)


@dataclass(frozen=True, slots=True)
class SeenJob:
    """state: waiting, running, done or failed. result: None before the end, and once it is erased."""

    id: int
    kind: str
    payload: Mapping[str, Any]
    state: str
    result: Mapping[str, Any] | None
    created_by: str
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_open(self) -> bool:
        return self.state in ("waiting", "running")


class JobReports:
    """Reads the jobs table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, ids: Collection[int], created_by: str) -> dict[int, SeenJob]:
        """Those of these jobs that this person asked for; others are left out."""
        query = select(*_COLUMNS).where(_j.id.in_(list(ids)), _j.created_by == created_by)
        with self._database.reading() as connection:
            return {row.id: _seen(row) for row in connection.execute(query)}

    def latest(self, kinds: Collection[str], limit: int) -> list[SeenJob]:
        """Of these kinds, latest first."""
        query = select(*_COLUMNS).where(_j.kind.in_(list(kinds))).order_by(_j.id.desc()).limit(limit)
        with self._database.reading() as connection:
            return [_seen(row) for row in connection.execute(query)]

    def count_open(self) -> int:
        """How many wait or run."""
        query = select(func.count()).select_from(t.jobs).where(_j.state.in_(["waiting", "running"]))
        with self._database.reading() as connection:
            return int(connection.scalar(query) or 0)


def _seen(row: Any) -> SeenJob:
    finished = None if row.finished_at is None else from_ms(row.finished_at)
    return SeenJob(
        *(row.id, row.kind, row.payload, row.state, row.result),
        *(row.created_by, from_ms(row.created_at), finished),
    )
