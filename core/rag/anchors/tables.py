"""The line table and the TOC table of one article, in the form in which detectors scan them.

Made once for a version of an article and kept; nothing here knows a question.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.domain import Article, Chunk, Line, Section
from core.ports import Vectors
from core.rag.anchors.word_index import WordIndex, index_words
from core.text.normalise import normalise

Numbers = NDArray[np.int64]
UnitKind = Literal["section", "page", "chunk"]

USABLE_ENTRIES = 4
"""A table of contents with fewer entries does not say where things stand."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Where hits are gathered: a section (its own lines, without its subsections), a page or a chunk.

    number: ordinal of the section, page, or ordinal of the chunk. lines: ordinals, ascending.
    """

    kind: UnitKind
    number: int
    title: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableVectors:
    """Rows of one embedding model; None where it made none. titles: (n sections, dimensions). lines:
    (n lines, dimensions). units: (n units, dimensions), the direction of each unit's text."""

    titles: Vectors | None
    lines: Vectors | None
    units: Vectors | None


@dataclass(frozen=True, slots=True)
class DocumentTables:
    """One article, ready to be scanned.

    text: all lines, normalised, one a row. starts: where in `text` each line begins. titles: normalised, by
    section ordinal. pages: by line, 0 without pages. unit_of: by line, index into `units`. words: by line.
    title_words: by section.
    """

    article: Article
    sections: tuple[Section, ...]
    lines: tuple[Line, ...]
    text: str
    starts: Numbers
    titles: tuple[str, ...]
    pages: Numbers
    units: tuple[Unit, ...]
    unit_of: Numbers
    words: WordIndex
    title_words: WordIndex
    vectors: TableVectors | None = None

    @property
    def unit_kind(self) -> UnitKind:
        return self.units[0].kind

    @property
    def toc(self) -> tuple[Section, ...]:
        """The entries of the table of contents: every section but the article itself."""
        return self.sections[1:]

    def lines_at(self, offsets: Numbers) -> Numbers:
        """Ordinals of the lines that hold these offsets of `text`."""
        found: Numbers = np.searchsorted(self.starts, offsets, side="right") - 1
        return found


def build_tables(
    article: Article, sections: Sequence[Section], lines: Sequence[Line], chunks: Sequence[Chunk]
) -> DocumentTables:
    """Prepare an article. Hits are gathered by section where the table of contents is usable, else by page
    where there are several, else by chunk. Raises ValueError for an article without lines."""
    if not lines:
        raise ValueError(f"{article.id} has no lines")
    texts = [normalise(line.text).replace("\n", " ") for line in lines]
    titles = tuple(normalise(section.title) for section in sections)
    lengths = np.array([len(text) + 1 for text in texts], dtype=np.int64)
    units = _gather_units(sections, lines, chunks)
    unit_of = np.zeros(len(lines), dtype=np.int64)
    for index, unit in enumerate(units):
        unit_of[list(unit.lines)] = index
    return DocumentTables(
        article=article,
        sections=tuple(sections),
        lines=tuple(lines),
        text="\n".join(texts),
        starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)[:-1]]),
        titles=titles,
        pages=np.array([line.page or 0 for line in lines], dtype=np.int64),
        units=units,
        unit_of=unit_of,
        words=index_words(texts),
        title_words=index_words(titles),
    )


def choose_unit_kind(sections: Sequence[Section], lines: Sequence[Line]) -> UnitKind:
    """How finely the place of an answer can be named in this article."""
    if len(sections) - 1 >= USABLE_ENTRIES:
        return "section"
    return "page" if len({line.page for line in lines if line.page is not None}) > 1 else "chunk"


def _gather_units(
    sections: Sequence[Section], lines: Sequence[Line], chunks: Sequence[Chunk]
) -> tuple[Unit, ...]:
    kind = choose_unit_kind(sections, lines)
    gathered: dict[int, list[int]] = {}
    for line in lines:
        number = line.section if kind == "section" else line.page or 0
        if kind == "chunk":
            number = _chunk_of(chunks, line)
        gathered.setdefault(number, []).append(line.ordinal)
    return tuple(
        Unit(kind, number, _title_of(kind, number, sections), tuple(rows))
        for number, rows in gathered.items()
    )


def _title_of(kind: UnitKind, number: int, sections: Sequence[Section]) -> str:
    if kind == "section":
        return sections[number].title
    return f"{sections[0].title}, page {number}" if kind == "page" else sections[0].title


def _chunk_of(chunks: Sequence[Chunk], line: Line) -> int:
    """The first chunk that holds the line's end; 0 where nothing was cut."""
    index = bisect_left([chunk.last_line for chunk in chunks], line.ordinal)
    return min(index, max(len(chunks) - 1, 0))
