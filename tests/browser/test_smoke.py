"""Every page in a real browser: no exception box, no missing page, no error in the console."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dashboard.pages import find_pages
from tests.browser.chromium import COMPLAINTS, settle

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage

PAGES = ["", *(page.name for page in find_pages())]
"""The address without a name shows the first page."""
WIDTHS = {"en": 1440, "ja": 390}


def is_error(said: ConsoleMessage) -> bool:
    """Streamlit asks for its own server below the page's address first, and 404 is the answer it expects."""
    return said.type == "error" and "/_stcore/" not in said.location["url"]


@pytest.mark.parametrize("language", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_without_complaint(
    visitor: BrowserContext, dashboard: str, name: str, language: str
) -> None:
    page = visitor.new_page()
    page.set_viewport_size({"width": WIDTHS[language], "height": 900})
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if is_error(said) else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{dashboard}/{name}?article=docs:a.md&period=all&lang={language}")
    settle(page)
    complaints = page.locator(COMPLAINTS).all_inner_texts()
    heading = page.locator("h2").first.inner_text()
    page.close()
    assert complaints == []
    assert heading.strip()
    assert errors == []


def test_a_page_that_does_not_exist_is_a_complaint(visitor: BrowserContext, dashboard: str) -> None:
    """So that the test above can fail."""
    page = visitor.new_page()
    page.goto(f"{dashboard}/nothing")
    settle(page)
    assert page.locator(COMPLAINTS).count() == 1
    page.close()
