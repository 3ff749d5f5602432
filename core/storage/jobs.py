"""JobStore: work that another process asked for, done once by whoever holds the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, and_, insert, or_, select, update

from core.errors import StoreError
from core.ports import Job
from core.storage import tables as t
from core.storage.engine import Database
from core.storage.keys import Clock, now_ms

MAX_ATTEMPTS = 3
_j = t.jobs.c


class SqlJobStore:
    """Implements JobStore. A job whose worker vanished is given out again, at most MAX_ATTEMPTS times."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def enqueue(self, kind: str, payload: Mapping[str, object], created_by: str) -> int:
        now = self._clock()
        row = {
            "kind": kind,
            "payload": dict(payload),
            "state": "waiting",
            "created_by": created_by,
            "attempts": 0,
            "created_at": now,
            "updated_at": now,
        }
        with self._database.writing() as connection:
            return int(connection.scalars(insert(t.jobs).values(row).returning(_j.id)).one())

    def keep_done(self, kind: str, result: Mapping[str, object], created_by: str) -> int:
        now = self._clock()
        row = {"kind": kind, "payload": {}, "state": "done", "result": dict(result), "attempts": 1}
        times = dict.fromkeys(("created_at", "started_at", "finished_at", "updated_at"), now)
        values = row | times | {"created_by": created_by}
        with self._database.writing() as connection:
            return int(connection.scalars(insert(t.jobs).values(values).returning(_j.id)).one())

    def claim(self, worker: str, lease_seconds: float, kinds: Iterable[str]) -> Job | None:
        now = self._clock()
        lease = {"worker": worker, "state": "running", "lease_until": now + int(lease_seconds * 1000)}
        free = or_(_j.state == "waiting", and_(_j.state == "running", _j.lease_until < now))
        with self._database.reading() as connection:  # most often there is nothing, and looking is cheap
            if connection.execute(select(_j.id).where(free).limit(1)).first() is None:
                return None
        with self._database.writing() as connection:
            self._give_up(connection, now)
            query = select(_j.id, _j.kind, _j.payload, _j.created_by).where(free, _j.kind.in_(list(kinds)))
            found = connection.execute(
                query.order_by(_j.id).limit(1).with_for_update(skip_locked=True)
            ).first()
            if found is None:
                return None
            times = {"started_at": now, "updated_at": now, "attempts": _j.attempts + 1}
            connection.execute(update(t.jobs).where(_j.id == found.id).values(lease | times))
        return Job(id=found.id, kind=found.kind, payload=found.payload, created_by=found.created_by)

    def renew(self, job_id: int, worker: str, lease_seconds: float) -> bool:
        """Keep a long job; False when the lease was lost to another worker, who does it now."""
        now = self._clock()
        mine = and_(_j.id == job_id, _j.state == "running", _j.worker == worker)
        values = {"lease_until": now + int(lease_seconds * 1000), "updated_at": now}
        with self._database.writing() as connection:
            return connection.execute(update(t.jobs).where(mine).values(values)).rowcount == 1

    def finish(self, job_id: int, result: Mapping[str, object]) -> None:
        """The first end counts: a job that is done or failed stays so."""
        self._end(job_id, "done", result)

    def fail(self, job_id: int, error: str) -> None:
        self._end(job_id, "failed", {"error": error})

    def result(self, job_id: int) -> tuple[str, Mapping[str, object] | None]:
        with self._database.reading() as connection:
            found = connection.execute(select(_j.state, _j.result).where(_j.id == job_id)).first()
        if found is None:
            raise StoreError(f"There is no job {job_id}.")
        return found.state, found.result

    def _end(self, job_id: int, state: str, result: Mapping[str, object]) -> None:
        now = self._clock()
        values = {"state": state, "result": dict(result), "finished_at": now, "updated_at": now}
        open_job = and_(_j.id == job_id, _j.state.in_(["waiting", "running"]))
        with self._database.writing() as connection:
            connection.execute(update(t.jobs).where(open_job).values(values))

    def _give_up(self, connection: Connection, now: int) -> None:
        lost = and_(_j.state == "running", _j.lease_until < now, _j.attempts >= MAX_ATTEMPTS)
        error = {"error": f"The worker stopped before the end, {MAX_ATTEMPTS} times."}
        values = {"state": "failed", "result": error, "finished_at": now, "updated_at": now}
        connection.execute(update(t.jobs).where(lost).values(values))
