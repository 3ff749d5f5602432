"""Detectors that compare words: lines, pages and titles scored by the number of distinct keywords in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.rag.anchors.hits import AnchorHit
from core.rag.anchors.keywords import Keyword, Occurrences
from core.rag.anchors.tables import DocumentTables, Numbers

LINES_OF_UNIT = 6
"""Lines of a unit that are reported; how many keywords it holds is counted over all of them."""


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Keywords by place. numbers: (n,) of the places. held: (n keywords, n), bool. density: (n,)
    occurrences of all keywords together."""

    numbers: Numbers
    held: NDArray[np.bool_]
    density: Numbers

    @property
    def distinct(self) -> Numbers:
        """(n,) how many different keywords each place holds: 3 of 5 say more than 9 times the same."""
        found: Numbers = self.held.sum(axis=0)
        return found


def count_by_place(occurrences: Occurrences, place_of: Numbers) -> GroupCounts:
    """Add up the occurrences of the lines of each place. place_of: (n lines,), numbers from 0."""
    numbers = np.unique(place_of)
    size = int(place_of.max(initial=-1)) + 1
    rows = [np.bincount(place_of, weights=counts, minlength=size) for counts in occurrences.counts]
    table = np.array(rows, dtype=np.int64).reshape(len(occurrences.keywords), size)[:, numbers]
    return GroupCounts(numbers, table > 0, table.sum(axis=0))


def detect_lines(document: int, tables: DocumentTables, occurrences: Occurrences) -> list[AnchorHit]:
    """Lines that hold a keyword: the most distinct ones first, then the densest, then in reading order; at
    most LINES_OF_UNIT of each unit."""
    lines = np.arange(len(tables.lines), dtype=np.int64)
    counts = GroupCounts(lines, occurrences.counts > 0, occurrences.counts.sum(axis=0))
    order = np.array(_best_first(counts), dtype=np.int64)
    best = order[_place_within(tables.unit_of[order]) < LINES_OF_UNIT].tolist()
    names = _Names(occurrences.keywords)
    distinct, density = counts.distinct.tolist(), counts.density.tolist()
    held = counts.held.T[best]
    return [
        AnchorHit(
            document,
            "keyword_lines",
            float(distinct[row]),
            unit=int(tables.unit_of[row]),
            page=tables.lines[row].page,
            line=row,
            section=tables.lines[row].section,
            density=density[row],
            keywords=names.of(here),
        )
        for row, here in zip(best, held, strict=True)
    ]


def _place_within(groups: Numbers) -> Numbers:
    """(n,) how many earlier elements are in the same group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.searchsorted(ordered, ordered, side="left")
    places = np.empty(len(groups), dtype=np.int64)
    places[order] = np.arange(len(groups)) - starts
    return places


def detect_pages(document: int, tables: DocumentTables, occurrences: Occurrences) -> list[AnchorHit]:
    """Pages that hold a keyword, ordered like lines; nothing for a document without pages."""
    if not tables.pages.any():
        return []
    counts = count_by_place(occurrences, tables.pages)
    names = _Names(occurrences.keywords)
    return [
        AnchorHit(
            document,
            "keyword_pages",
            float(counts.distinct[i]),
            page=int(counts.numbers[i]),
            density=int(counts.density[i]),
            keywords=names.of(counts.held[:, i]),
        )
        for i in _best_first(counts)
    ]


def detect_titles(document: int, tables: DocumentTables, occurrences: Occurrences) -> list[AnchorHit]:
    """Sections whose title holds a keyword, the most distinct ones first; the document's title is none."""
    distinct = occurrences.in_titles.sum(axis=0)
    units = unit_of_section(tables)
    names = _Names(occurrences.keywords)
    order = sorted(
        (s.ordinal for s in tables.toc if distinct[s.ordinal]), key=lambda s: (-int(distinct[s]), s)
    )
    return [
        AnchorHit(
            document,
            "keyword_titles",
            float(distinct[ordinal]),
            unit=units.get(ordinal),
            page=tables.sections[ordinal].page_start,
            section=ordinal,
            keywords=names.of(occurrences.in_titles[:, ordinal]),
        )
        for ordinal in order
    ]


def unit_of_section(tables: DocumentTables) -> dict[int, int]:
    """Section ordinal -> index of the unit where it begins; a section without lines has none."""
    units: dict[int, int] = {}
    for line in tables.lines:
        units.setdefault(line.section, int(tables.unit_of[line.ordinal]))
    return units


def _best_first(counts: GroupCounts) -> list[int]:
    order = np.lexsort((counts.numbers, -counts.density, -counts.distinct))
    return [int(i) for i in order if counts.density[i]]


class _Names:
    """The texts of the keywords that a place holds; places with the same ones share a tuple."""

    def __init__(self, keywords: Sequence[Keyword]) -> None:
        self._texts = [keyword.text for keyword in keywords]
        self._known: dict[bytes, tuple[str, ...]] = {}

    def of(self, held: NDArray[np.bool_]) -> tuple[str, ...]:
        key = held.tobytes()
        if key not in self._known:
            self._known[key] = tuple(text for text, here in zip(self._texts, held, strict=True) if here)
        return self._known[key]
