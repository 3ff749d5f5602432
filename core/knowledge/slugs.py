"""Fragments of deep links, made from headings as GitHub makes them."""

from __future__ import annotations

import re

_DROPPED = re.compile(r"[^\w\- ]")


def slugify(title: str) -> str:
    """Make a heading a fragment: lower case, without punctuation, spaces as hyphens; Japanese stays."""
    return _DROPPED.sub("", title.strip().lower()).replace(" ", "-")


class Anchors:
    """Hands out the anchors of one article; a repeated one gets -1, -2, ... as on GitHub."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """Return the wanted anchor, or its next free variant; "" stays ""."""
        if not wanted:
            return ""
        anchor = wanted
        while anchor in self._used:
            self._used[wanted] += 1
            anchor = f"{wanted}-{self._used[wanted]}"
        self._used[anchor] = 0
        return anchor
