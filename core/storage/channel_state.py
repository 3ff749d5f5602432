"""LimitStore, HealthStore and ApiKeyStore: small rows that all processes on one database share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, insert, select, update

from core.channel_ports import ApiKey, ChannelHealth, HealthState, Scope
from core.storage.channel_tables import api_keys, channel_health, rate_counters
from core.storage.engine import Database, insert_missing
from core.storage.keys import Clock, from_ms, now_ms, storable, to_ms

KEEP_MINUTES = 60
_n, _h, _k = rate_counters.c, channel_health.c, api_keys.c


class SqlLimitStore:
    """Implements LimitStore by counting in whole minutes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, scopes: Sequence[str], now: datetime) -> list[int]:
        at = to_ms(now)
        minute = at // 60_000
        names = sorted({storable(scope) for scope in scopes})  # one order, so that no two wait for each other
        counted: dict[str, int] = {}
        with self._database.writing() as connection:
            connection.execute(delete(rate_counters).where(_n.minute < minute - KEEP_MINUTES))
            for name in names:
                row = {"scope": name, "minute": minute, "count": 0, "updated_at": at}
                insert_missing(connection, rate_counters, [row])
                this = and_(_n.scope == name, _n.minute == minute)
                raised = update(rate_counters).where(this).values(count=_n.count + 1, updated_at=at)
                counted[name] = int(connection.execute(raised.returning(_n.count)).scalar_one())
        return [counted[storable(scope)] for scope in scopes]


class SqlHealthStore:
    """Implements HealthStore."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def report(self, channel: str, worker: str, state: HealthState, error: str) -> None:
        now = self._clock()
        this = and_(_h.channel == channel, _h.worker == worker)
        values: dict[str, object] = {"heartbeat_at": now, "updated_at": now}
        with self._database.writing() as connection:
            before = connection.execute(select(_h.state).where(this)).first()
            if before is None:
                row = {"channel": channel, "worker": worker, "state": state, "since": now}
                row |= {"error": storable(error), "heartbeat_at": now, "updated_at": now}
                connection.execute(insert(channel_health).values(row))
                return
            if before.state != state:
                values |= {"state": state, "since": now}
            if error:
                values["error"] = storable(error)
            connection.execute(update(channel_health).where(this).values(values))

    def beat(self, channel: str, worker: str) -> None:
        now = self._clock()
        this = and_(_h.channel == channel, _h.worker == worker)
        with self._database.writing() as connection:
            connection.execute(update(channel_health).where(this).values(heartbeat_at=now, updated_at=now))

    def list_health(self) -> list[ChannelHealth]:
        query = select(channel_health).order_by(_h.channel, _h.worker)
        with self._database.reading() as connection:
            return [
                ChannelHealth(
                    row.channel,
                    row.worker,
                    row.state,
                    from_ms(row.since),
                    row.error,
                    from_ms(row.heartbeat_at),
                )
                for row in connection.execute(query)
            ]


class SqlApiKeyStore:
    """Implements ApiKeyStore."""

    def __init__(self, database: Database, clock: Clock = now_ms) -> None:
        self._database = database
        self._clock = clock

    def add(self, name: str, key_hash: str, scopes: Iterable[Scope], groups: Iterable[str]) -> bool:
        now = self._clock()
        row = {
            "name": storable(name),
            "hash": key_hash,
            "scopes": sorted(scopes),
            "groups": sorted(groups),
            "revoked": False,
            "created_at": now,
            "updated_at": now,
        }
        with self._database.writing() as connection:
            if connection.scalar(select(_k.key).where(_k.name == storable(name))) is not None:
                return False
            connection.execute(insert(api_keys).values(row))
        return True

    def list_keys(self) -> list[ApiKey]:
        with self._database.reading() as connection:
            return [_api_key(row) for row in connection.execute(select(api_keys).order_by(_k.key))]

    def revoke(self, name: str) -> bool:
        live = and_(_k.name == storable(name), _k.revoked.is_(False))
        values = {"revoked": True, "updated_at": self._clock()}
        with self._database.writing() as connection:
            return connection.execute(update(api_keys).where(live).values(values)).rowcount == 1

    def find(self, key_hash: str) -> ApiKey | None:
        now = self._clock()
        live = and_(_k.hash == key_hash, _k.revoked.is_(False))
        with self._database.reading() as connection:
            row = connection.execute(select(api_keys).where(live)).first()
        if row is None:
            return None
        if row.used_at is None or now - row.used_at > 60_000:
            with self._database.writing() as connection:
                connection.execute(update(api_keys).where(live).values(used_at=now, updated_at=now))
        return _api_key(row)


def _api_key(row: Any) -> ApiKey:
    used = None if row.used_at is None else from_ms(row.used_at)
    groups, scopes = frozenset(row.groups), frozenset(row.scopes)
    return ApiKey(row.name, scopes, groups, row.revoked, from_ms(row.created_at), used)
