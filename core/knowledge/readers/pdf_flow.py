"""Join the rows of a PDF to running text: paragraphs, list items, table rows and code."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median, quantiles

from core.knowledge.blocks import Block, BlockKind, Layout, Places
from core.knowledge.folding import joint_between
from core.knowledge.readers.pdf_headings import PlacedHeading
from core.knowledge.readers.pdf_rows import Row, is_cjk

_ITEM = re.compile(
    r"(?:[•‣◦▪●○■□◆◇▶►✓・※]|[–—*-](?=\s)|\(?\d{1,2}[.)．）](?!\d)|\[\d{1,3}\]|[①-⑳]"
    r"|[(（][0-9a-zA-Z一二三四五六七八九十]{1,3}[)）])\s*(?=\S)"
)
_ENDS = re.compile(r"[。．.!?！？:：][\"'”’)\]」』）]*$")
_CUT_WORD = re.compile(r"([^\W\d_]+)[-\u00ad\u2010]$")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_LEADER_ROW = re.compile(r".* … ?[\divxlc]*$")
_USUAL_INDENT = 3.5
"""First lines of paragraphs are indented by at most so many times the font size."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Left and right edge of the text that a row belongs to."""

    left: float
    right: float


def flow_rows(rows: Sequence[Row], headings: Sequence[PlacedHeading], title: str, pages: int) -> Layout:
    """Write the rows as running text with blocks and the physical place of each part."""
    flow = _Flow(rows)
    by_row: dict[int, list[PlacedHeading]] = defaultdict(list)
    for heading in headings:
        by_row[heading.first].append(heading)
    index = 0
    while index < len(rows):
        taken = 0
        for heading in by_row.pop(index, ()):
            flow.add_heading(heading, rows[index : index + heading.rows])
            taken = max(taken, heading.rows)
        if taken:
            index += taken
            for inside in sorted(place for place in by_row if place < index):
                for heading in by_row.pop(inside):
                    flow.add_heading(heading, ())
            continue
        flow.add_row(rows[index])
        index += 1
    for place in sorted(by_row):
        for heading in by_row[place]:
            flow.add_heading(heading, ())
    return flow.finish(title, pages)


class _Flow:
    def __init__(self, rows: Sequence[Row]) -> None:
        self._frames = _frames(rows)
        self._leading = _leading(rows)
        self._words = Counter(word.casefold() for row in rows for word in _WORD.findall(row.text)[:-1])
        self._aligned = _aligned_rows(rows)
        self._text: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._offsets: list[int] = []
        self._numbers: list[int] = []
        self._pages: list[int] = []
        self._open: list[Row] = []
        self._open_kind: BlockKind = "paragraph"
        self._last_kind: BlockKind | None = None

    def add_heading(self, heading: PlacedHeading, rows: Sequence[Row]) -> None:
        """Begin a section; its heading is the given rows, or nothing."""
        self._close()
        if rows:
            self._separate("heading")
        start = self._length
        for row in rows:
            self._append_row(row, joined=row is not rows[0])
        self._blocks.append(
            Block(
                "heading",
                start,
                self._length,
                heading.level,
                heading.title,
                f"page={heading.page}",
                page=heading.page,
            )
        )

    def add_row(self, row: Row) -> None:
        """Append a row of text to the open block, or begin another one."""
        kind = self._kind(row)
        if self._open and not self._continues(row, kind):
            self._close()
        if not self._open:
            self._open_kind = kind
        self._open.append(row)

    def finish(self, title: str, pages: int) -> Layout:
        """Give the text written so far."""
        self._close()
        places = Places(self._offsets or [0], self._numbers or [1], self._pages or [1])
        return Layout("".join(self._text), title, self._blocks, places, pages, own_heading=False)

    def _kind(self, row: Row) -> BlockKind:
        if row.mono:
            return "code"
        if len(row.cells) > 2 or _LEADER_ROW.fullmatch(row.text) or (row.text and row in self._aligned):
            return "row"
        return "item" if _ITEM.match(row.text) else "paragraph"

    def _continues(self, row: Row, kind: BlockKind) -> bool:
        """Decide whether a row goes on with the open block."""
        last, first = self._open[-1], self._open[0]
        same_place = last.page == row.page and last.column == row.column
        step = row.baseline - last.baseline
        near = not same_place or 0 < step <= 1.45 * self._leading.get(row.size, 1.4 * row.size)
        if self._open_kind == "code" or kind == "code":
            return self._open_kind == kind and near
        if kind in ("row", "item") or self._open_kind == "row":
            return False
        if not near or abs(row.size - last.size) > 0.1 * last.size:
            return False
        return not self._ends_paragraph(last) if not same_place else self._same_paragraph(first, last, row)

    def _same_paragraph(self, first: Row, last: Row, row: Row) -> bool:
        """Judge two rows of one column by their indentation and by how the upper one ends."""
        em = row.size
        shift = row.x0 - last.x0
        if last is first:
            if self._open_kind == "item":
                return shift > -0.7 * em
            if shift > 0.7 * em or shift < -_USUAL_INDENT * em:
                return False
        elif abs(shift) > 0.7 * em:
            return False
        return not (self._ends_paragraph(last) and self._falls_short(last))

    def _ends_paragraph(self, row: Row) -> bool:
        return _ENDS.search(row.text) is not None

    def _falls_short(self, row: Row) -> bool:
        frame = self._frames[row.page, row.column]
        share = 0.06 if is_cjk(row.text[-1]) else 0.2
        return frame.right - row.x1 > max(share * (frame.right - frame.left), 1.5 * row.size)

    def _close(self) -> None:
        """Write the open rows as one block (code and tables keep their rows)."""
        rows, self._open = self._open, []
        if not rows:
            return
        kind = self._open_kind
        self._separate(kind)
        start = self._length
        left = min(row.x0 for row in rows)
        for row in rows:
            if kind == "code":
                indent = " " * round((row.x0 - left) / (0.6 * row.size))
                self._append("\n" if row is not rows[0] else "")
                self._append_row(row, lead=indent)
            else:
                shown = _with_cells(row) if kind == "row" else row
                self._append_row(shown, joined=row is not rows[0])
        if kind == "item":
            marker = _ITEM.match(rows[0].text)
            start += min(marker.end() if marker else 0, self._length - start - 1)
        self._blocks.append(Block(kind, start, self._length))
        self._last_kind = kind

    def _separate(self, kind: BlockKind) -> None:
        if self._text:
            listed = kind in ("item", "row") and self._last_kind == kind
            self._append("\n" if listed else "\n\n")
        self._last_kind = kind

    def _append_row(self, row: Row, *, joined: bool = False, lead: str = "") -> None:
        if joined and self._text:
            self._join(row)
        self._append(lead)
        self._offsets.append(self._length)
        self._numbers.append(row.number)
        self._pages.append(row.page)
        self._append(row.text)

    def _join(self, row: Row) -> None:
        """Put a row behind the one before: a space, nothing in Japanese, or a divided word made whole."""
        last = self._text[-1]
        cut = _CUT_WORD.search(last)
        following = _WORD.match(row.text)
        if not cut or not following or not row.text[0].islower():
            self._append(joint_between(last[-1], row.text[0]))
            return
        whole = f"{cut.group(1)}{following.group()}".casefold()
        hyphened = f"{cut.group(1)}-{following.group()}".casefold()
        if self._words[hyphened] > self._words[whole]:
            return
        self._text[-1] = last[:-1]
        self._length -= 1

    def _append(self, text: str) -> None:
        if text:
            self._text.append(text)
            self._length += len(text)


def _with_cells(row: Row) -> Row:
    """Write a table row with its cells apart; a row of dots to a page number is none."""
    if len(row.cells) < 2 or _LEADER_ROW.fullmatch(row.text):
        return row
    return replace(row, text=" | ".join(words for _, words in row.cells))


def _frames(rows: Sequence[Row]) -> dict[tuple[int, int], _Frame]:
    """Edges of the text by page and column; pages with few rows take those of the whole document."""
    by_place: dict[tuple[int, int], list[Row]] = defaultdict(list)
    by_column: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_place[row.page, row.column].append(row)
        by_column[row.column].append(row)
    frames: dict[tuple[int, int], _Frame] = {}
    for (page, column), members in by_place.items():
        sample = members if len(members) >= 6 else by_column[column]
        frames[page, column] = _Frame(min(row.x0 for row in sample), _upper([row.x1 for row in sample]))
    return frames


def _upper(values: Sequence[float]) -> float:
    return quantiles(values, n=10)[-1] if len(values) > 1 else values[0]


def _leading(rows: Sequence[Row]) -> dict[float, float]:
    """Usual distance from row to row, by font size."""
    steps: dict[float, list[float]] = defaultdict(list)
    for above, below in pairwise(rows):
        step = below.baseline - above.baseline
        if above.size == below.size and above.column == below.column and 0 < step < 3 * above.size:
            steps[above.size].append(step)
    return {size: median(found) for size, found in steps.items()}


def _aligned_rows(rows: Sequence[Row]) -> frozenset[Row]:
    """Rows of two cells whose second cell stands below another's: at least three make a table."""
    aligned: set[Row] = set()
    run: list[Row] = []
    for row in [*rows, None]:
        same = (
            row is not None
            and len(row.cells) == 2
            and (not run or (row.page == run[-1].page and abs(row.cells[1][0] - run[-1].cells[1][0]) < 2))
        )
        if same and row is not None:
            run.append(row)
            continue
        if len(run) >= 3:
            aligned.update(run)
        run = [row] if row is not None and len(row.cells) == 2 else []
    return frozenset(aligned)
