"""Take running headers, running footers and page numbers out of the rows of a PDF."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.knowledge.readers.pdf_rows import Row

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[\s\-–—―~〜(\[]*(?:page|p\.)?\s*(\d{1,4})\s*(?:(?:/|of)\s*\d{1,4}|ページ|頁)?[\s\-–—―~〜)\]]*",
    re.IGNORECASE,
)
_EDGE_ROWS = 2
_LEAST_PAGES = 3
"""A row must stand at the same height on so many pages before it counts as running."""


def without_margins(pages: Sequence[Sequence[Row]]) -> list[Row]:
    """Give the rows of all pages in order, without what repeats at the edge of the pages.

    A row goes if it is among the outer two of its page, stands apart from the text, and on at least three
    pages reads the same at the same height, digits aside; or if it is the outermost and counts the pages.
    """
    edges = list(_edge_rows(pages))
    repeated = Counter((_masked(row), _height(row)) for row, apart in edges if apart)
    numbered = Counter(offset for row, _ in edges if (offset := _page_offset(row)) is not None)
    dropped: dict[int, set[int]] = defaultdict(set)
    for row, apart in edges:
        offset = _page_offset(row)
        counts_pages = offset is not None and (numbered[offset] > 1 or (len(pages) == 1 and offset == 0))
        if (apart and repeated[_masked(row), _height(row)] >= _LEAST_PAGES) or counts_pages:
            dropped[row.page].add(row.number)
    return [row for rows in pages for row in rows if row.number not in dropped[row.page]]


def _edge_rows(pages: Sequence[Sequence[Row]]) -> Iterator[tuple[Row, bool]]:
    """Yield the outer rows of each page, and whether each stands apart from the rows inside."""
    for rows in pages:
        ordered = sorted(rows, key=lambda row: row.baseline)
        heights = [row.baseline for row in ordered]
        steps = [below - above for above, below in pairwise(heights) if below > above + 1]
        usual = sorted(steps)[len(steps) // 4] if steps else 0.0
        for index, row in enumerate(ordered):
            from_end = len(ordered) - 1 - index
            if index < _EDGE_ROWS <= from_end:
                gap = _gap_after(heights, index)
            elif from_end < _EDGE_ROWS <= index:
                gap = _gap_before(heights, index)
            elif len(ordered) <= 2 * _EDGE_ROWS:
                gap = max(_gap_after(heights, index), _gap_before(heights, index))
            else:
                continue
            yield row, gap > 1.25 * usual


def _gap_after(heights: Sequence[float], index: int) -> float:
    inner = next((height for height in heights[index + 1 :] if height > heights[index] + 1), None)
    return inner - heights[index] if inner is not None else 0.0


def _gap_before(heights: Sequence[float], index: int) -> float:
    inner = next((height for height in reversed(heights[:index]) if height < heights[index] - 1), None)
    return heights[index] - inner if inner is not None else 0.0


def _masked(row: Row) -> str:
    return _DIGITS.sub("#", row.text)


def _height(row: Row) -> int:
    return round(row.baseline / 3)


def _page_offset(row: Row) -> int | None:
    """How far a printed page number is from the page's place in the file; None if it is no number."""
    number = _PAGE_NUMBER.fullmatch(row.text)
    return int(number.group(1)) - row.page if number else None
