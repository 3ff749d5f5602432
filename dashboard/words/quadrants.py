"""Words of the page of the four fields."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "find_article": ("Find an article by its title", "題名で記事を探す"),
    "no_article_matches": (
        "No title matches. Empty the field to see all articles.",
        "題名の合う記事がありません。欄を空にすると、すべて表示されます。",
    ),
    "as_csv": ("Download as CSV", "CSVで保存"),
}
