from __future__ import annotations

from pathlib import Path

import pytest

from core.ports import Services
from core.storage.engine import Database
from tests.databases import migrated_sqlite, sqlite_database
from tests.services import fake_services

__all__ = ["migrated_sqlite", "services", "sqlite_database"]


@pytest.fixture
def services(sqlite_database: Database, tmp_path: Path) -> Services:
    return fake_services(sqlite_database, tmp_path / "kiyo")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, without settings from outside; vectors are searched exactly."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIYO_CONFIG", raising=False)
    monkeypatch.delenv("KIYO_DEBUG", raising=False)
    monkeypatch.setenv("KIYO_MEMORY__EMBEDDINGS__VECTOR_STORE", "sqlite")
    return tmp_path
