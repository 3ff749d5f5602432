"""What the first visitor would wait for, loaded before the server answers; what that leaves is not looked
through after every page."""

from __future__ import annotations

import gc
from importlib import import_module

from dashboard.pages import find_pages, words_of
from dashboard.text import Words

LAZY = ("pandas", "pyarrow", "streamlit.emojis", "dashboard.account", "dashboard.markup")
"""What pages load when they are drawn."""


def load_pages() -> None:
    """Load every page with its words and libraries.

    Streamlit collects garbage after every run of a script. Modules never become garbage, and looking through
    them takes 150 ms during which no other page goes on; frozen, they are left out.
    """
    for name in LAZY:
        import_module(name)
    for page in find_pages():
        words_of(page, Words("en"))
    gc.collect()
    gc.freeze()
