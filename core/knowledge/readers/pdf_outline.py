"""The outline (bookmarks) of a PDF with the place on the page that each entry points to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdf import PdfReader
    from pypdf.generic import Destination

_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One bookmark.

    level: 1 is the outermost. page: 1-based. left, top: where it points, in points from the page's upper
    left corner, None where the destination names no such position.
    """

    level: int
    title: str
    page: int
    left: float | None
    top: float | None


def read_outline(reader: PdfReader) -> list[OutlineEntry]:
    """List the bookmarks in their order; those without a title or a page of this file are left out."""
    pages = {
        page.indirect_reference.idnum: number
        for number, page in enumerate(reader.pages, start=1)
        if page.indirect_reference is not None
    }
    entries: list[OutlineEntry] = []
    for level, destination in _walk(reader.outline, 1):
        title = " ".join(str(destination.title or "").replace("\x00", "").split())
        number = pages.get(getattr(destination.page, "idnum", -1))
        if not title or number is None or not 1 <= number <= len(pages):
            continue
        box = reader.pages[number - 1].mediabox
        left, top = destination.left, destination.top
        entries.append(
            OutlineEntry(
                level,
                title,
                number,
                None if left is None else float(left) - float(box.left),
                None if top is None else float(box.top) - float(top),
            )
        )
    return entries


def _walk(items: object, level: int) -> Iterator[tuple[int, Destination]]:
    if not isinstance(items, list):
        return
    for item in items:
        if isinstance(item, list):
            if level < _DEEPEST:
                yield from _walk(item, level + 1)
        else:
            yield level, item
