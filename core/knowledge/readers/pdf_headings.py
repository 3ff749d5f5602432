"""Find where the sections of a PDF begin among its rows: by outline, by print, by well-known words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.knowledge.readers.pdf_outline import OutlineEntry
from core.knowledge.readers.pdf_rows import Row
from core.text.normalise import normalise

_MARKS = re.compile(r"[\W_]+")
_NUMBER_BEFORE = re.compile(
    r"(?:第?[0-9一二三四五六七八九十百]+[章節条部編項]?[a-z]?|第?[ivxlc]+[章節条部編]?|[a-z]\d*"
    r"|(?:appendix|chapter|section|part|付録|附録)[a-z0-9]*)?"
)
_NUMBERING = re.compile(
    r"\A(?:[A-Z0-9][.\d]*[.．)]?|[IVX]+[.)]?|第[0-9一二三四五六七八九十]+[章節編部])[\s\u3000]+(?=\S)"
)
_TAIL = re.compile(
    r"references|bibliography|works cited|literature cited|acknowledge?ments?|appendix(?:es)?"
    r"|appendix[\s:.]+[a-z0-9].{0,60}|appendices|supplementary (?:material|information)"
    r"|参考文献(?:リスト|一覧)?|引用文献|文献|[付附]録(?:[\s\u3000:：A-Z0-9一二三四五六七八九十].{0,40})?|補遺|謝辞",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"第[0-9０-９一二三四五六七八九十百]+([編部章節条])(?:の[0-9一二三四五六七八九十]+)?(?=[\s\u3000（(]|$).{0,40}"
)
_ARTICLE_LEVELS = {"編": 1, "部": 1, "章": 2, "節": 3, "条": 4}
_ENDS_SENTENCE = re.compile(r"[。．.,、，;:：!?！？…]$")
_ABOVE, _BELOW = 6.0, 60.0
"""How far above and below its destination a heading may stand, in points."""
_ALIKE = 0.75
_LONGEST_TITLE_ROWS = 4
_MOST_HEADINGS = 0.3
"""Share of the rows beyond which large or bold print is no sign of a heading."""
_CONTENTS_ROW = re.compile(r".*(?:…|\s)\s*\d{1,4}")


@dataclass(frozen=True, slots=True)
class PlacedHeading:
    """A section that begins at rows[first]; its heading is rows[first:first + rows], maybe none."""

    first: int
    rows: int
    level: int
    title: str
    page: int


def find_headings(rows: Sequence[Row], outline: Sequence[OutlineEntry]) -> list[PlacedHeading]:
    """Place the sections among the rows, in reading order.

    With an outline each entry begins where its title is printed near the destination, else at the first
    row below the destination. Without one, rows set as headings are used, if they are few and clear.
    """
    body = _body_size(rows)
    placed = list(_by_outline(rows, outline, body)) if outline else _by_print(rows, body)
    placed.extend(_tails(rows, placed, body))
    return sorted(placed, key=lambda heading: heading.first)


def _body_size(rows: Sequence[Row]) -> float:
    sizes: Counter[float] = Counter()
    for row in rows:
        sizes[row.size] += len(row.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _fold(text: str) -> str:
    folded = normalise(text)
    return _MARKS.sub("", folded) or "".join(folded.split())


# --- by outline ----------------------------------------------------------------------------------


def _by_outline(rows: Sequence[Row], outline: Sequence[OutlineEntry], body: float) -> Iterator[PlacedHeading]:
    folded = [_fold(row.text) for row in rows]
    first_of_page: dict[int, int] = {}
    for index, row in enumerate(rows):
        first_of_page.setdefault(row.page, index)
    taken: set[int] = set()
    for entry in outline:
        start = _page_start(first_of_page, entry.page, len(rows))
        end = _page_start(first_of_page, entry.page + 1, len(rows))
        found = _printed_title(rows, folded, (start, end), entry, taken)
        first, count = found if found else _below_destination(rows, (start, end), entry, body)
        if any(index in taken for index in range(first, first + count)):
            count = 0
        taken.update(range(first, first + count))
        yield PlacedHeading(first, count, entry.level, entry.title, entry.page)


def _page_start(first_of_page: dict[int, int], page: int, end: int) -> int:
    """First row of that page, or of the next one that has rows."""
    later = [index for number, index in first_of_page.items() if number >= page]
    return min(later, default=end)


def _printed_title(
    rows: Sequence[Row], folded: Sequence[str], span: tuple[int, int], entry: OutlineEntry, taken: set[int]
) -> tuple[int, int] | None:
    """Find the rows that print the title: exactly, nearest to the destination; or nearly, close to it."""
    target = _fold(entry.title)
    best: tuple[float, int, int] | None = None
    for index in range(*span):
        if index in taken:
            continue
        distance = 0.0 if entry.top is None else rows[index].top - entry.top
        near = entry.top is None or -_ABOVE <= distance + rows[index].size <= _BELOW
        count, likeness = _likeness(folded, index, span[1], target)
        if likeness < (_ALIKE if near else 1.0):
            continue
        penalty = abs(distance) + (1.0 - likeness) * 400 + (0.0 if near else 1000.0)
        if best is None or penalty < best[0]:
            best = (penalty, index, count)
    return (best[1], best[2]) if best else None


def _likeness(folded: Sequence[str], index: int, end: int, target: str) -> tuple[int, float]:
    """Say how many rows from index on print the target, and how well (1.0 is exactly)."""
    joined = ""
    best = (1, 0.0)
    for count in range(1, min(_LONGEST_TITLE_ROWS, end - index) + 1):
        joined += folded[index + count - 1]
        if joined.endswith(target) and _NUMBER_BEFORE.fullmatch(joined[: len(joined) - len(target)]):
            return count, 1.0
        if len(joined) > 2 * len(target) + 12:
            break
        matcher = SequenceMatcher(None, joined, target, autojunk=False)
        if matcher.quick_ratio() > best[1]:
            best = max(best, (count, matcher.ratio()), key=lambda pair: pair[1])
    return best


def _below_destination(
    rows: Sequence[Row], span: tuple[int, int], entry: OutlineEntry, body: float
) -> tuple[int, int]:
    """Give the first row below the destination; it is the heading if it is set like one."""
    start, end = span
    if entry.top is None:
        return start, 0
    columns = {row.column for row in rows[start:end]}
    below = [
        index
        for index in range(start, end)
        if rows[index].top >= entry.top - 0.4 * rows[index].size
        and not (entry.left is not None and len(columns) > 1 and rows[index].x1 < entry.left)
    ]
    for index in below:
        row = rows[index]
        likely = len(row.text) <= 60 and (row.bold or row.size > 1.08 * body)
        if likely and row.top - entry.top < _BELOW:
            return index, 1
    return (below[0], 0) if below else (end, 0)


# --- by print ------------------------------------------------------------------------------------


def _by_print(rows: Sequence[Row], body: float) -> list[PlacedHeading]:
    """Take large or bold short rows for headings, unless there are too many of them."""
    for candidates in (_candidates(rows, body, bold=True), _candidates(rows, body, bold=False)):
        if candidates and (len(candidates) <= 5 or len(candidates) <= _MOST_HEADINGS * len(rows)):
            return _ranked(rows, candidates)
    return []


def _candidates(rows: Sequence[Row], body: float, *, bold: bool) -> list[tuple[int, int]]:
    """List (first, rows) of possible headings; rows of one size that follow closely are one heading."""
    found: list[tuple[int, int]] = []
    for index, row in enumerate(rows):
        if not _could_head(row, body, bold):
            continue
        if found:
            first, count = found[-1]
            last = rows[first + count - 1]
            follows = first + count == index and last.page == row.page and last.size == row.size
            if follows and row.baseline - last.baseline < 1.6 * row.size and last.bold == row.bold:
                found[-1] = (first, count + 1)
                continue
        found.append((index, 1))
    return [
        (first, count) for first, count in found if count <= _LONGEST_TITLE_ROWS and first + count < len(rows)
    ]


def _could_head(row: Row, body: float, bold: bool) -> bool:
    if _is_contents_row(row):
        return False
    if row.mono or len(row.cells) > 2 or len(row.text) > 80 or not re.search(r"[^\W\d_]", row.text):
        return False
    if _ARTICLE.fullmatch(row.text):
        return not row.text.endswith(("。", "、"))
    if _ENDS_SENTENCE.search(row.text):
        return False
    return row.size >= 1.15 * body or (bold and row.bold and row.size >= 0.98 * body)


def _is_contents_row(row: Row) -> bool:
    """Say whether a row lists a heading with its page, as a table of contents does."""
    return (len(row.cells) > 1 or "…" in row.text) and _CONTENTS_ROW.fullmatch(row.text) is not None


def _ranked(rows: Sequence[Row], candidates: Sequence[tuple[int, int]]) -> list[PlacedHeading]:
    """Give larger print the outer levels; the largest alone at the top of page 1 is the title instead."""
    sizes = sorted({round(rows[first].size * 2) for first, _ in candidates}, reverse=True)
    largest = [first for first, _ in candidates if round(rows[first].size * 2) == sizes[0]]
    titled = len(sizes) > 1 and len(largest) == 1 and rows[largest[0]].page == 1
    headings: list[PlacedHeading] = []
    for first, count in candidates:
        row = rows[first]
        if titled and first == largest[0]:
            continue
        article = _ARTICLE.fullmatch(row.text)
        level = sizes.index(round(row.size * 2)) + 1
        if article:
            level = len(sizes) + _ARTICLE_LEVELS[article.group(1)]
        title = " ".join(rows[index].text for index in range(first, first + count))
        headings.append(PlacedHeading(first, count, level, title, row.page))
    return headings


# --- by well-known words -------------------------------------------------------------------------


def _tails(rows: Sequence[Row], placed: Sequence[PlacedHeading], body: float) -> Iterator[PlacedHeading]:
    """Yield References, Appendix and the like behind the first section, where no heading covers them."""
    covered = {index for heading in placed for index in range(heading.first, heading.first + heading.rows)}
    earliest = min((heading.first for heading in placed), default=0)
    for index, row in enumerate(rows):
        if index <= earliest or index in covered or len(row.text) > 80 or row.mono:
            continue
        words = _NUMBERING.sub("", row.text, count=1).strip()
        if not _TAIL.fullmatch(normalise(words)) or _is_contents_row(row):
            continue
        before = rows[index - 1]
        apart = before.page != row.page or abs(row.baseline - before.baseline) > 1.6 * row.size
        if row.bold or row.size >= 1.08 * body or apart:
            yield PlacedHeading(index, 1, 1, words, row.page)
