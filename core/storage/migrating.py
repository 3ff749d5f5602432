"""Bringing a database to the schema of this code; Alembic is imported only here."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from core.errors import StoreError
from core.storage.engine import create_database, hold, schema_revision, sqlite_path

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK = 4_101


def upgrade(url: str, to: str = "head") -> str:
    """Create or migrate the database; returns its revision. Two at once are safe: the second waits."""
    from alembic import command

    path = sqlite_path(url)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    _migrate(url, lambda config: command.upgrade(config, to))
    return current_revision(url) or ""


def downgrade(url: str, to: str) -> None:
    """Back to an older revision, or to "base": nothing."""
    from alembic import command

    _migrate(url, lambda config: command.downgrade(config, to))


def current_revision(url: str) -> str | None:
    """The revision that the database is at, None before the first or when there is no database."""
    path = sqlite_path(url)
    if path is not None and not path.exists():
        return None
    database = create_database(url)
    try:
        return schema_revision(database)
    finally:
        database.close()


def head_revision() -> str:
    """The newest revision that this code brings along."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def _migrate(url: str, run: Callable[[Config], None]) -> None:
    database = create_database(url, foreign_keys=False)
    try:
        with database.writing() as connection:
            hold(connection, _LOCK)
            run(_config(connection))
            _check_references(connection)
    finally:
        database.close()


def _check_references(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if broken:
        tables = ", ".join(sorted({row[0] for row in broken}))
        raise StoreError(f"The migration would leave rows without what they refer to, in {tables}; undone.")


def _config(connection: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(files("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
