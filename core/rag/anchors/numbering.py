"""The bare numbers by which a language model names places, and the table of contents that it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain import Section
from core.ports import TocEntry
from core.rag.anchors.aggregation import Place
from core.rag.anchors.keyword_detectors import unit_of_section
from core.rag.anchors.tables import DocumentTables


@dataclass(frozen=True, slots=True)
class Numbering:
    """toc: the rows, in order. places: number -> where it leads, None for a heading without text of its own.
    numbers: place -> its number."""

    toc: tuple[TocEntry, ...]
    places: dict[str, Place | None]
    numbers: dict[Place, str]


def number_places(documents: Sequence[DocumentTables]) -> Numbering:
    """Number sections as the table of contents lists them, from 0, document after document.

    The text before the first heading comes last of its document. Pages and chunks have their own numbers.
    """
    toc: list[TocEntry] = []
    places: dict[str, Place | None] = {}
    offset = 0
    for index, tables in enumerate(documents):
        if len(documents) > 1:
            toc.append(TocEntry("", 0, tables.article.title))
        if tables.unit_kind == "section":
            offset = _number_sections((index, tables), offset, toc, places)
        else:
            for unit, what in enumerate(tables.units):
                places[str(offset + what.number)] = (index, unit)
            offset += max(unit.number for unit in tables.units) + 1
    numbers = {place: number for number, place in reversed(places.items()) if place is not None}
    return Numbering(tuple(toc), places, numbers)


def _number_sections(
    document: tuple[int, DocumentTables],
    offset: int,
    toc: list[TocEntry],
    places: dict[str, Place | None],
) -> int:
    index, tables = document
    units = unit_of_section(tables)
    for number, section in enumerate(tables.toc, start=offset):
        toc.append(TocEntry(str(number), section.level, section.title, format_pages(section)))
        unit = units.get(section.ordinal)
        places[str(number)] = None if unit is None else (index, unit)
    after = offset + len(tables.toc)
    if 0 in units:
        places[str(after)] = (index, units[0])
    return after + 1


def format_pages(section: Section) -> str:
    """ "4-5", "4", or "" without pages."""
    if section.page_start is None:
        return ""
    if section.page_end in (None, section.page_start):
        return str(section.page_start)
    return f"{section.page_start}-{section.page_end}"
