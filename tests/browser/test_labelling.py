"""Ten pairs judged in a real browser with the keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bots.serving import find_free_port, running_dashboard
from core.domain import ANONYMOUS
from core.storage.engine import Database, open_database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.labels import SqlLabelStore
from core.usecases import labels
from tests.acting import acting_as
from tests.browser.chromium import settle
from tests.dashboard.conftest import fill
from tests.databases import copied_sqlite
from tests.labelled import record_week
from tests.samples import SOURCE, article_record

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

WEEK = "2026-W40"
MINA = acting_as("mina", "maintainer")
MONDAY = datetime(2026, 9, 28, tzinfo=UTC)


@pytest.fixture(scope="module")
def drawn(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Database]]:
    """A dashboard over a drawn week with enough pairs, and its database."""
    folder = tmp_path_factory.mktemp("labelling")
    opened = open_database(copied_sqlite(migrated_sqlite, folder / "kiyo.db"))
    fill(opened)
    knowledge = SqlKnowledgeStore(opened)
    knowledge.save_source(SOURCE)
    for number in range(3):
        lines = [f"Line {one}." for one in range(3)]
        knowledge.save_article(article_record(f"{number}.md", lines, title=f"Guide {number}"))
    record_week(opened, MONDAY + timedelta(hours=1), 12, first=1000)
    assert labels.draw_week(SqlLabelStore(opened), MINA, WEEK, 30, 0.5).items >= 12
    config = folder / "kiyo.toml"
    config.write_text(f'[storage]\nfolder = "{folder}"\n', encoding="utf-8")
    settings = {"KIYO_CONFIG": str(config), "KIYO_DASHBOARD_GROUPS": ""}
    with running_dashboard(find_free_port(), settings) as address:
        yield address, opened
    opened.close()


def await_labelled(page: Page, labelled: int, items: int) -> None:
    page.get_by_text(f"{labelled} of {items} pairs judged").wait_for()
    settle(page)


def test_ten_pairs_are_judged_by_keyboard(visitor: BrowserContext, drawn: tuple[str, Database]) -> None:
    address, database = drawn
    store = SqlLabelStore(database)
    items = store.counts().items
    page = visitor.new_page()
    page.goto(f"{address}/labelling?lang=en&name=ana")
    settle(page)
    for number, key in enumerate("1231211321", start=1):
        page.keyboard.press(key)
        await_labelled(page, number, items)
    assert store.counts().labelled == 10
    page.keyboard.press("u")
    await_labelled(page, 9, items)
    assert store.counts().labelled == 9
    shown = page.get_by_test_id("stMain").inner_text()
    page.keyboard.press("s")
    page.wait_for_function(
        "text => document.querySelector('[data-testid=stMain]').innerText !== text", arg=shown
    )
    settle(page)
    assert store.counts().labelled == 9
    page.close()
    said = [one.verdict for pair in store.said() for one in pair]
    assert (said.count("supported"), said.count("unsupported"), said.count("unclear")) == (4, 3, 2)


def test_a_third_person_decides_by_keyboard(visitor: BrowserContext, drawn: tuple[str, Database]) -> None:
    address, database = drawn
    store = SqlLabelStore(database)
    everybody = SqlKnowledgeStore(database).readable_audiences(ANONYMOUS)
    item = store.rows(everybody)[-1].pair.item
    labels.save_label(store, acting_as("cat", "labeller"), item, 1, everybody)
    labels.save_label(store, acting_as("dan", "labeller"), item, 0, everybody)
    page = visitor.new_page()
    page.goto(f"{address}/labelling?lang=en&name=eve&view=disputes")
    settle(page)
    assert "A third one decides" in page.get_by_test_id("stMain").inner_text()
    page.keyboard.press("2")
    page.get_by_text("Nobody disagrees").wait_for()
    page.close()
    assert store.counts().disputed == 0
