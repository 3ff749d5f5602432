"""What a reader hands over: the text of a file, its blocks in order, and where each part stood."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "item", "row", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text that belongs together.

    start, end: characters of the text, without markers such as "## " or "- ".
    level: of a heading, as in the source (1 is the outermost); 0 for everything else.
    title, anchor: of a heading. A heading with start == end opens a section and leaves no line.
    continuation: a pattern of what may precede every further physical line ("> ", "# "), "" for nothing.
    page: of a heading, when it stands on another page than its first character says.
    section: of a block that is no heading, when it does not belong to the last heading before it.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    title: str = ""
    anchor: str = ""
    continuation: str = ""
    page: int | None = None
    section: int | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Physical positions by character: from offsets[i] on, text stood in line numbers[i] of pages[i]."""

    offsets: Sequence[int]
    numbers: Sequence[int]
    pages: Sequence[int] | None = None

    def line_at(self, offset: int) -> int:
        """Give the physical line, 1-based."""
        return self.numbers[self._index(offset)]

    def last_line_of(self, start: int, end: int) -> int:
        """Give the physical line of text[start:end]'s last character on the page where it begins."""
        first, last = self._index(start), self._index(end - 1)
        if self.pages is not None:
            while last > first and self.pages[last] != self.pages[first]:
                last -= 1
        return self.numbers[last]

    def page_at(self, offset: int) -> int | None:
        """Give the page, 1-based, or None without pages."""
        return None if self.pages is None else self.pages[self._index(offset)]

    def _index(self, offset: int) -> int:
        return max(bisect_right(self.offsets, offset) - 1, 0)


@dataclass(frozen=True, slots=True)
class Layout:
    """A file as its reader understood it.

    title: "" when the format names none; then the first heading or the file's name serves.
    blocks: in the order of the text, not overlapping; headings may be empty.
    own_heading: whether a single outermost heading at the top is the title rather than a section.
    """

    text: str
    title: str
    blocks: Sequence[Block]
    places: Places
    pages: int | None = None
    own_heading: bool = True


def places_by_newline(text: str) -> Places:
    """Number the physical lines of a text from 1."""
    offsets = [0, *(match.end() for match in re.finditer("\n", text))]
    return Places(offsets, range(1, len(offsets) + 1))
