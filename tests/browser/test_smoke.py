"""Every page in a real browser: no exception box, no missing page, no error in the console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from dashboard.pages import find_pages
from tests.browser.chromium import COMPLAINTS, settle

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage

PAGES = ["", *(page.name for page in find_pages())]
"""The address without a name shows the first page."""
LANGUAGES = ("en", "ja")
WIDTHS = (1440, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


_ACROSS = """() => {
  const main = document.querySelector('[data-testid="stMain"], [data-testid="stAppScrollToBottomContainer"]');
  return main ? main.scrollWidth - main.clientWidth : -1;
}"""
"""By how many pixels a page is wider than the window."""


def is_error(said: ConsoleMessage) -> bool:
    """Streamlit asks for its own server below the page's address first, and 404 is the answer it expects."""
    return said.type == "error" and "/_stcore/" not in said.location["url"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_without_complaint(
    visitor: BrowserContext, dashboard: str, name: str, language: str
) -> None:
    """Wide and narrow, light and dark: no exception, no error, and nothing to be scrolled sideways."""
    page = visitor.new_page()
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if is_error(said) else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{dashboard}/{name}?article=docs:a.md&period=all&lang={language}")
    across = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            settle(page)
            across[width, scheme] = page.evaluate(_ACROSS)
    complaints = page.locator(COMPLAINTS).all_inner_texts()
    heading = page.locator("h2").first.inner_text()
    page.close()
    assert complaints == []
    assert heading.strip()
    assert errors == []
    assert max(across.values()) <= 0, across


def test_a_page_that_does_not_exist_is_a_complaint(visitor: BrowserContext, dashboard: str) -> None:
    """So that the test above can fail."""
    page = visitor.new_page()
    page.goto(f"{dashboard}/nothing")
    settle(page)
    assert page.locator(COMPLAINTS).count() == 1
    page.close()
