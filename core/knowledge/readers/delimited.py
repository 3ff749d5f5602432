"""Read tables in text: each record of a CSV or TSV file becomes a row."""

from __future__ import annotations

from collections.abc import Iterator

from core.knowledge.blocks import Block, Layout, places_by_newline


def read_delimited(text: str) -> Layout:
    """Find the records; a quoted field may hold line breaks."""
    return Layout(text, "", list(_records(text)), places_by_newline(text), own_heading=False)


def _records(text: str) -> Iterator[Block]:
    start = position = 0
    quotes = 0
    while position < len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        quotes += text.count('"', position, stop)
        position = stop + 1
        if quotes % 2 == 0 or position >= len(text):
            yield Block("row", start, stop)
            start, quotes = position, 0
