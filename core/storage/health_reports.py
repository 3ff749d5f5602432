"""How the running parts are: what waits, what failed, and how many questions come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, select

from core.channel_ports import OPEN_STATES
from core.storage.channel_tables import inbound, outbox, reviews
from core.storage.engine import Database
from core.storage.evaluation_tables import deferred_evaluations
from core.storage.keys import from_ms, to_ms

_i, _o, _r, _d = inbound.c, outbox.c, reviews.c, deferred_evaluations.c
HOUR_MS = 3_600_000
LATEST = 20_000
"""Questions that are looked at for the rates; with more in a day the rates are too low."""


@dataclass(frozen=True, slots=True)
class ChannelWork:
    """What a channel has to do. oldest: since when something waits; None where nothing does."""

    channel: str
    questions_waiting: int
    replies_waiting: int
    replies_failed: int
    questions_last_hour: int
    questions_last_day: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Backlog:
    """Drafts that wait for a person, answers whose evaluation is to come, and those where it failed."""

    drafts: int
    evaluations: int
    evaluations_failed: int


class HealthReports:
    """Reads the tables of the channels; every query is bounded by an index on the state or by a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def channels(self, now: datetime) -> list[ChannelWork]:
        """Of every channel that has work or had a question in the last day, by name."""
        found = [self._inbound(now), self._outbound()]
        names = sorted({name for part in found for name in part})
        return [_work(name, found[0].get(name, {}), found[1].get(name, {})) for name in names]

    def backlog(self) -> Backlog:
        with self._database.reading() as connection:
            drafts = select(func.count()).where(_r.state.in_(OPEN_STATES))
            states = select(_d.state, func.count().label("answers")).group_by(_d.state)
            by_state = {row.state: row.answers for row in connection.execute(states)}
            open_ = by_state.get("waiting", 0) + by_state.get("running", 0)
            return Backlog(int(connection.scalar(drafts) or 0), open_, by_state.get("failed", 0))

    def _inbound(self, now: datetime) -> dict[str, dict[str, int]]:
        day, hour = to_ms(now) - 24 * HOUR_MS, to_ms(now) - HOUR_MS
        first = select(func.coalesce(func.max(_i.key), 0) - LATEST).scalar_subquery()
        waiting = (
            select(_i.channel, func.count().label("waiting"), func.min(_i.created_at).label("oldest"))
            .where(_i.state.in_(("waiting", "running")))
            .group_by(_i.channel)
        )
        came = (
            select(
                _i.channel,
                func.count().label("day"),
                func.sum(case((_i.created_at >= hour, 1), else_=0)).label("hour"),
            )
            .where(_i.key > first, _i.created_at >= day)
            .group_by(_i.channel)
        )
        with self._database.reading() as connection:
            rows = [*connection.execute(waiting), *connection.execute(came)]
        found: dict[str, dict[str, int]] = {}
        for row in rows:
            values = {name: int(value) for name, value in row._mapping.items() if name != "channel"}
            found.setdefault(row.channel, {}).update(values)
        return found

    def _outbound(self) -> dict[str, dict[str, int]]:
        oldest = func.min(_o.created_at).label("oldest")
        query = (
            select(_o.channel, _o.state, func.count().label("replies"), oldest)
            .where(_o.state.in_(("waiting", "running", "failed")))
            .group_by(_o.channel, _o.state)
        )
        found: dict[str, dict[str, int]] = {}
        with self._database.reading() as connection:
            for row in connection.execute(query):
                values = found.setdefault(row.channel, {"waiting": 0, "failed": 0})
                if row.state == "failed":
                    values["failed"] += row.replies
                else:
                    values["waiting"] += row.replies
                    values["oldest"] = min(row.oldest, values.get("oldest", row.oldest))
        return found


def _work(channel: str, came: dict[str, int], goes: dict[str, int]) -> ChannelWork:
    since = [values["oldest"] for values in (came, goes) if values.get("oldest")]
    return ChannelWork(
        channel=channel,
        questions_waiting=came.get("waiting", 0),
        replies_waiting=goes.get("waiting", 0),
        replies_failed=goes.get("failed", 0),
        questions_last_hour=came.get("hour", 0),
        questions_last_day=came.get("day", 0),
        oldest=from_ms(min(since)) if since else None,
    )
