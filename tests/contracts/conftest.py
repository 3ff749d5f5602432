from __future__ import annotations

from tests.databases import (
    database,
    database_url,
    migrated_postgres,
    migrated_sqlite,
    postgres,
    sqlite_database,
)

__all__ = ["database", "database_url", "migrated_postgres", "migrated_sqlite", "postgres", "sqlite_database"]
