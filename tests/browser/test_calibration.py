"""Publish a calibration in a real browser, and see the past change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bots.serving import find_free_port, running_dashboard
from core.storage.engine import open_database
from tests.browser.chromium import COMPLAINTS, settle
from tests.databases import copied_sqlite
from tests.labelled import label_answers, record_week

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


@pytest.fixture(scope="module")
def labelled_dashboard(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard over 120 answers of the last days, all of whose pairs people decided."""
    folder = tmp_path_factory.mktemp("calibration")
    opened = open_database(copied_sqlite(migrated_sqlite, folder / "kiyo.db"))
    label_answers(opened, record_week(opened, datetime.now(UTC) - timedelta(days=6), 120))
    opened.close()
    config = folder / "kiyo.toml"
    config.write_text(f'[storage]\nfolder = "{folder}"\n', encoding="utf-8")
    with running_dashboard(
        find_free_port(), {"KIYO_CONFIG": str(config), "KIYO_DASHBOARD_GROUPS": ""}
    ) as address:
        yield address


def carried(page: Page, address: str) -> str:
    """What the overview says of the sentences that articles carry."""
    page.goto(f"{address}/overview?period=days_30&lang=en")
    settle(page)
    label = "Sentences the articles carry"
    return page.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue").inner_text()


def test_a_published_calibration_changes_the_past(visitor: BrowserContext, labelled_dashboard: str) -> None:
    page = visitor.new_page()
    page.set_viewport_size({"width": 1440, "height": 1000})
    before = carried(page, labelled_dashboard)
    page.goto(f"{labelled_dashboard}/calibration?lang=en")
    settle(page)
    assert page.get_by_text("n = 360").count() >= 2
    page.get_by_test_id("stExpander").filter(has_text="Make a calibration").locator("summary").click()
    page.locator(".st-key-calibration_make button").click()
    page.get_by_text("Look at it below, then publish it.").wait_for()
    settle(page)
    then = page.get_by_test_id("stMetric").filter(has_text="Carried then")
    foretold = then.get_by_test_id("stMetricValue").inner_text()
    page.locator(".st-key-calibration_publish button").click()
    page.get_by_text("is used from the next answer on").wait_for()
    settle(page)
    page.get_by_test_id("stExpander").filter(has_text="Decide the past anew").locator("summary").click()
    page.locator(".st-key-calibration_past button").click()
    page.get_by_text("120 answers are decided by").wait_for()
    assert page.locator(COMPLAINTS).count() == 0
    after = carried(page, labelled_dashboard)
    page.close()
    assert after != before
    assert abs(float(after.rstrip("%")) - float(foretold.rstrip("%"))) <= 0.5
