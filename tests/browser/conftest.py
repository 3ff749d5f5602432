"""Browser tests run where a Chromium is; elsewhere `tests/conftest.py` says that they were left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bots.serving import find_free_port, running_dashboard
from core.storage.engine import open_database
from tests.browser.chromium import find_chromium, opened_browser
from tests.dashboard.conftest import fill
from tests.databases import copied_sqlite, migrated_sqlite

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

__all__ = ["migrated_sqlite"]

collect_ignore_glob = [] if find_chromium() else ["test_*.py"]


@pytest.fixture(scope="module")
def dashboard(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard over three public articles and five answers."""
    folder = tmp_path_factory.mktemp("browser")
    opened = open_database(copied_sqlite(migrated_sqlite, folder / "kiyo.db"))
    fill(opened)
    opened.close()
    config = folder / "kiyo.toml"
    config.write_text(f'[storage]\nfolder = "{folder}"\n', encoding="utf-8")
    settings = {"KIYO_CONFIG": str(config), "KIYO_DASHBOARD_GROUPS": ""}
    with running_dashboard(find_free_port(), settings) as address:
        yield address


@pytest.fixture(scope="module")
def visitor() -> Iterator[BrowserContext]:
    """One visitor for all pages, whose browser keeps the scripts of the first."""
    chromium = find_chromium()
    assert chromium is not None
    with opened_browser(chromium) as opened:
        yield opened.new_context()
