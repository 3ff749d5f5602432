"""LeaseStore: one receiver for each channel among all processes on one database."""

from __future__ import annotations

from sqlalchemy import and_, or_, select, update

from core.storage.engine import Database, insert_missing
from core.storage.keys import Clock, now_ms
from core.storage.lease_tables import channel_leases

_l = channel_leases.c


class SqlLeaseStore:
    """Implements LeaseStore."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def hold(self, channel: str, worker: str, seconds: float) -> bool:
        now = self._clock()
        free = or_(_l.worker == worker, _l.lease_until < now)
        lease = {"worker": worker, "lease_until": now + int(seconds * 1000), "updated_at": now}
        nobody = {"channel": channel, "worker": "", "lease_until": 0, "updated_at": now}
        with self._database.writing() as connection:
            insert_missing(connection, channel_leases, [nobody])
            taken = update(channel_leases).where(_l.channel == channel, free).values(lease)
            return connection.execute(taken).rowcount == 1

    def drop(self, channel: str, worker: str) -> None:
        mine = and_(_l.channel == channel, _l.worker == worker)
        nobody = {"worker": "", "lease_until": 0, "updated_at": self._clock()}
        with self._database.writing() as connection:
            connection.execute(update(channel_leases).where(mine).values(nobody))

    def holders(self) -> dict[str, str]:
        query = select(_l.channel, _l.worker).where(_l.worker != "")
        with self._database.reading() as connection:
            return {row.channel: row.worker for row in connection.execute(query)}
