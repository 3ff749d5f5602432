"""Which database this is: a random name that stays with its content, not with its place.

Indexes are kept by it, so that one of another database, or of a later state of this one, is never searched.
"""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, insert, select

from core.storage import tables as t
from core.storage.engine import Database, hold
from core.storage.keys import now_ms

_LOCK = 4_104


def read_identity(database: Database) -> str:
    """32 hexadecimal digits, made when they are first asked for."""
    newest = select(t.identities.c.name).order_by(t.identities.c.key.desc()).limit(1)
    with database.reading() as connection:
        known: str | None = connection.scalar(newest)
    if known:
        return known
    with database.writing() as connection:
        hold(connection, _LOCK)
        return connection.scalar(newest) or _name(connection)


def renew_identity(database: Database) -> str:
    """Another name from now on: for a database that was set back to an earlier state."""
    with database.writing() as connection:
        return _name(connection)


def _name(connection: Connection) -> str:
    name = secrets.token_hex(16)
    connection.execute(insert(t.identities), {"name": name, "updated_at": now_ms()})
    return name
