from __future__ import annotations

from tests.databases import (
    database,
    database_url,
    migrated_sqlite,
    postgres,
    shared_postgres,
    sqlite_database,
)

__all__ = ["database", "database_url", "migrated_sqlite", "postgres", "shared_postgres", "sqlite_database"]
