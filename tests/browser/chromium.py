"""Debian's Chromium, driven by Playwright; nothing is ever downloaded."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WAIT_MS = 20_000
LEFT_OUT = "Browser tests were left out: no Chromium on the PATH. On Debian: apt-get install chromium"
COMPLAINTS = '[data-testid="stException"], [role="dialog"]'
"""What a page shows when its script failed or its address is unknown."""
_DRAWN = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  const busy = document.querySelector('[data-testid="stSkeleton"], [data-stale="true"]');
  const head = document.querySelector('h1, h2, h3, [data-testid="stException"]');
  return app?.dataset.testScriptState === 'notRunning' && head && !busy;
}"""


def find_chromium() -> str | None:
    """Where the browser is; None where there is none."""
    return next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)


@contextmanager
def opened_browser(chromium: str) -> Iterator[Browser]:
    """A browser without a window that lives as long as the context."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def settle(page: Page) -> None:
    """Wait until the script has run and what it made is drawn."""
    page.wait_for_function(_DRAWN, timeout=WAIT_MS)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
