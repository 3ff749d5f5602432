"""The one predicate of who may see what: an article's audience is among the readable ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from sqlalchemy import BindParameter, ColumnElement, Connection, select

from core.domain import PUBLIC, Principal
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.engine import insert_missing


def readable(audiences: Sequence[AudienceId] | BindParameter[AudienceId]) -> ColumnElement[bool]:
    """The condition on `articles` that every search, count and report applies."""
    return t.articles.c.audience.in_(audiences)


def readable_audiences(connection: Connection, principal: Principal) -> list[AudienceId]:
    """Those that share a group with the principal; everybody is in `public`. Ascending."""
    groups = sorted(principal.groups | {PUBLIC})
    column = t.audience_groups.c.audience
    found = connection.scalars(
        select(column).where(t.audience_groups.c.reader_group.in_(groups)).distinct().order_by(column)
    )
    return list(found)


def ensure_audience(connection: Connection, readers: Iterable[str], now: int) -> AudienceId:
    """The audience of exactly these groups, made if it is new. Without groups nobody may read."""
    groups = sorted(set(readers))
    name = json.dumps(groups, ensure_ascii=False)
    query = select(t.audiences.c.key).where(t.audiences.c.readers == name)
    found = connection.scalar(query)
    if found is not None:
        return int(found)
    insert_missing(connection, t.audiences, [{"readers": name, "updated_at": now}])
    audience = int(connection.scalars(query).one())
    insert_missing(
        connection,
        t.audience_groups,
        [{"audience": audience, "reader_group": group, "updated_at": now} for group in groups],
    )
    return audience


class ReaderSets:
    """Groups by audience, read once each: the groups of an audience never change."""

    def __init__(self) -> None:
        self._known: dict[AudienceId, frozenset[str]] = {}

    def of(self, connection: Connection, audiences: Iterable[AudienceId]) -> dict[AudienceId, frozenset[str]]:
        missing = [audience for audience in set(audiences) if audience not in self._known]
        if missing:
            query = select(t.audiences.c.key, t.audiences.c.readers).where(t.audiences.c.key.in_(missing))
            for key, readers in connection.execute(query):
                self._known[key] = frozenset(json.loads(readers))
        return self._known
