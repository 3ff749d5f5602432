from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.ports import Services
from core.providers.local_embeddings import LocalEmbedder
from core.storage.engine import Database
from tests.core.usecases.workspace import Workspace
from tests.databases import migrated_sqlite, sqlite_database
from tests.services import fake_services

__all__ = ["local_model", "migrated_sqlite", "services", "sqlite_database", "workspace"]


@pytest.fixture
def services(sqlite_database: Database, tmp_path: Path) -> Services:
    return fake_services(sqlite_database, tmp_path / "kiyo")


@pytest.fixture(scope="session")
def local_model() -> LocalEmbedder:
    """The model that Kiyo ships, loaded once."""
    return LocalEmbedder()


@pytest.fixture
def workspace(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(tmp_path, migrated_sqlite)
    yield made
    made.close()
