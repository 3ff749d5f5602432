"""Tests that look at the dashboard in a real browser.

chromium   finding Debian's Chromium, opening it, waiting until a page is drawn
"""
