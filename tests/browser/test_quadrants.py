"""Find the quadrant of an article in a real browser, and go to the article from its mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.chromium import settle

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


def test_a_mark_tells_its_article_and_leads_to_it(visitor: BrowserContext, dashboard: str) -> None:
    page = visitor.new_page()
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.goto(f"{dashboard}/quadrants?period=all&lang=en")
    settle(page)
    mark = page.locator('[aria-roledescription="point"][aria-label*="Travel"]')
    mark.hover()
    told = page.locator("#vg-tooltip-element").inner_text()
    assert "Carrying" in told
    mark.click()
    page.wait_for_url("**/article?**")
    settle(page)
    assert "article=docs%3Aa.md" in page.url
    assert "period=all" in page.url
    page.get_by_text("Travel <b>rules</b>").first.wait_for()
    page.go_back()
    page.locator('[aria-roledescription="point"]').first.wait_for()
    settle(page)
    assert "/quadrants" in page.url
    page.close()


def test_thresholds_and_scale_of_the_address_are_those_of_the_page(
    visitor: BrowserContext, dashboard: str
) -> None:
    page = visitor.new_page()
    page.goto(f"{dashboard}/quadrants?period=all&lang=en&exposure=9&rate=90&scale=log")
    settle(page)
    assert page.get_by_text("exposure 9, rate 90%").count() == 1
    page.get_by_label("Shown often from").fill("2")
    page.get_by_label("Shown often from").press("Enter")
    page.get_by_text("exposure 2, rate 90%").wait_for()
    settle(page)
    assert "exposure=2" in page.url
    assert "scale=log" in page.url
    page.close()
