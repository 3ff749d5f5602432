"""From anchors to contexts: how much around a place an answerer needs, by the shape of the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.domain import Line
from core.rag.anchors.finding import AnchorResult, RankedAnchor
from core.rag.anchors.parsing import Shape
from core.rag.anchors.tables import DocumentTables
from core.text.normalise import normalise
from core.text.tokens import count_tokens

PLACES: dict[Shape, int] = {"point": 4, "comparison": 5, "listing": 6, "whole": 8}
"""Most places that are expanded."""
NEIGHBOURS = 3
"""Lines before and after an anchor line, where its section is too long to be shown whole."""
SHARE = 0.5
"""Most of the budget that one context may take."""
_MENTION = re.compile(
    r"\b(table|figure|fig\.)\s*(\d{1,3}(?:\.\d+)?)\b"
    r"|(?:(?<![一-龥])|(?<=[上下左右前次]))([表図])\s*(\d{1,3}(?:[.-]\d+)?)"
)
"""A 表 behind other kanji (発表3回) names no table."""
_CAPTION = re.compile(
    r"^(?:(table|figure|fig\.)\s*(\d{1,3}(?:\.\d+)?)\s*[:.|]|([表図])\s*(\d{1,3}(?:[.-]\d+)?)(?!の))",
    re.MULTILINE,
)
_KINDS = {"table": "table", "表": "table", "figure": "figure", "fig.": "figure", "図": "figure"}


@dataclass(frozen=True, slots=True)
class Context:
    """Lines first..last of a document, as they go into the prompt. anchor: index among the kept anchors that
    led here. why: "section", "lines", "chapter", or the object that brought it ("table 3")."""

    document: int
    first: int
    last: int
    section: int
    why: str
    anchor: int
    tokens: int


def expand_anchors(result: AnchorResult, budget_tokens: int) -> list[Context]:
    """Contexts in the order of the anchors, without overlap, together within the budget.

    A point question gets the sections of its places, or the lines around the anchors where a section is long;
    a listing or comparison the sections of more places; a question about the whole the chapters. Tables
    that a context mentions come right after it.
    """
    budget = _Budget(budget_tokens)
    contexts: list[Context] = []
    shape = result.question.shape
    for index, anchor in enumerate(result.kept[: PLACES[shape]]):
        tables = result.documents[anchor.candidate.document]
        for first, last, why in _spans(tables, anchor, shape, int(SHARE * budget_tokens)):
            made = budget.take(tables, (anchor.candidate.document, index), (first, last), why)
            contexts += made
            for context in made:
                contexts += _objects(budget, tables, context)
    return contexts


def find_objects(tables: DocumentTables) -> dict[tuple[str, str], tuple[int, int]]:
    """("table", "3") -> ordinals of the first and last line that belong to it, its caption among them.

    Rows stand below the caption, or above it where none stand below.
    """
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for match in _CAPTION.finditer(tables.text):
        line = int(tables.lines_at(np.array([match.start()]))[0])
        name = (_KINDS[match[1] or match[3]], match[2] or match[4])
        if tables.lines[line].kind not in ("row", "code"):
            found.setdefault(name, _with_rows(tables.lines, line))
    return found


def mentions(text: str) -> list[tuple[str, str]]:
    """Tables and figures that a text speaks of, without repeats: "Table 3", 表3, Fig. 2."""
    matches = _MENTION.finditer(normalise(text))
    return list(dict.fromkeys((_KINDS[m[1] or m[3]], m[2] or m[4]) for m in matches))


class _Budget:
    """Tokens that are left, and lines that stand in a context already."""

    def __init__(self, tokens: int) -> None:
        self._left = tokens
        self._taken: set[tuple[int, int]] = set()

    def take(
        self, tables: DocumentTables, source: tuple[int, int], span: tuple[int, int], why: str
    ) -> list[Context]:
        """The free parts of a span that fit, each as one context; a part too long is cut at its end."""
        document, anchor = source
        made: list[Context] = []
        for first, last in self._free(tables, document, span):
            end, cost = self._fit(tables.lines, first, last)
            if end < first or all(line.kind == "heading" for line in tables.lines[first : end + 1]):
                continue
            self._left -= cost
            self._taken.update((document, line) for line in range(first, end + 1))
            section = tables.lines[first].section
            made.append(Context(document, first, end, section, why, anchor, cost))
        return made

    def _free(
        self, tables: DocumentTables, document: int, span: tuple[int, int]
    ) -> Iterator[tuple[int, int]]:
        """Runs of lines that are not taken, each inside one section."""
        start: int | None = None
        for line in range(span[0], span[1] + 2):
            inside = line <= span[1] and (document, line) not in self._taken
            if start is not None and (
                not inside or tables.lines[line].section != tables.lines[start].section
            ):
                yield start, line - 1
                start = None
            if inside and start is None:
                start = line

    def _fit(self, lines: Sequence[Line], first: int, last: int) -> tuple[int, int]:
        cost = 0
        for ordinal in range(first, last + 1):
            more = count_tokens(lines[ordinal].text) + 1
            if cost + more > self._left:
                return ordinal - 1, cost
            cost += more
        return last, cost


def _spans(
    tables: DocumentTables, anchor: RankedAnchor, shape: Shape, limit: int
) -> Iterator[tuple[int, int, str]]:
    """Spans of lines for one anchor, the best first."""
    unit = tables.units[anchor.candidate.unit]
    first, last = unit.lines[0], unit.lines[-1]
    if shape == "whole" and unit.kind == "section":
        yield *_chapter(tables, unit.number), "chapter"
        return
    if _cost(tables.lines, first, last) <= limit:
        yield first, last, unit.kind if unit.kind != "chunk" else "section"
        return
    marked = sorted({*(anchor.candidate.lines or (first,)), *(anchor.quoted or ())})
    for line in marked:
        yield max(line - NEIGHBOURS, first), min(line + NEIGHBOURS, last), "lines"


def _chapter(tables: DocumentTables, section: int) -> tuple[int, int]:
    """Lines of the outermost section around this one, its subsections included."""
    top = section
    while tables.sections[top].parent not in (None, 0):
        top = tables.sections[top].parent or 0
    inside = {top}
    for other in tables.sections[top + 1 :]:
        if other.parent in inside:
            inside.add(other.ordinal)
    lines = [line.ordinal for line in tables.lines if line.section in inside]
    return (lines[0], lines[-1]) if lines else (0, 0)


def _objects(budget: _Budget, tables: DocumentTables, context: Context) -> list[Context]:
    text = "\n".join(line.text for line in tables.lines[context.first : context.last + 1])
    wanted = [name for name in mentions(text) if name[0] == "table"]
    if not wanted:
        return []
    known = find_objects(tables)
    source = (context.document, context.anchor)
    return [
        made
        for name in wanted
        if name in known
        for made in budget.take(tables, source, known[name], " ".join(name))
    ]


def _with_rows(lines: Sequence[Line], caption: int) -> tuple[int, int]:
    last = caption
    while last + 1 < len(lines) and lines[last + 1].kind == "row":
        last += 1
    first = caption
    while last == caption and first > 0 and lines[first - 1].kind == "row":
        first -= 1
    return first, last


def _cost(lines: Sequence[Line], first: int, last: int) -> int:
    return sum(count_tokens(line.text) + 1 for line in lines[first : last + 1])
