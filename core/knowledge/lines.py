"""The line table: blocks become sentences, items, rows, code lines and headings, each citable."""

from __future__ import annotations

from collections.abc import Iterator

from core.domain import Line, LineKind
from core.knowledge.blocks import Block, Places
from core.knowledge.folding import Folded, fold_lines
from core.text.sentences import split_sentences

_ITEM_LIMIT = 240
"""Characters up to which a list item is one line; a longer one is read sentence by sentence."""


class LineTable:
    """Collects the lines of one article in the order of its text."""

    def __init__(self, text: str, places: Places) -> None:
        self._text = text
        self._places = places
        self._lines: list[Line] = []

    def add(self, block: Block, section: int) -> None:
        """Append the lines of a block; every one belongs to that section."""
        for kind, text, start, end in _split_block(self._text, block):
            self._lines.append(
                Line(
                    ordinal=len(self._lines),
                    section=section,
                    kind=kind,
                    text=text,
                    start=start,
                    end=end,
                    page=self._places.page_at(start),
                    line_start=self._places.line_at(start),
                    line_end=self._places.last_line_of(start, end),
                )
            )

    def finish(self) -> tuple[Line, ...]:
        """Give all lines collected so far."""
        return tuple(self._lines)


def _split_block(text: str, block: Block) -> Iterator[tuple[LineKind, str, int, int]]:
    """Yield (kind, text, start, end) of every line of a block; nothing for white space alone."""
    if block.kind == "code":
        yield from _code_lines(text, block.start, block.end)
        return
    folded = fold_lines(text, block.start, block.end, block.continuation)
    whole = block.kind in ("heading", "row") or (block.kind == "item" and len(folded.text) <= _ITEM_LIMIT)
    spans = [(0, len(folded.text))] if whole else [(s.start, s.end) for s in split_sentences(folded.text)]
    kind: LineKind = "sentence" if block.kind == "paragraph" else block.kind
    for start, end in spans:
        line = _trim(folded, start, end)
        if line is not None:
            yield (kind, *line)


def _trim(folded: Folded, start: int, end: int) -> tuple[str, int, int] | None:
    text = folded.text
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return None
    return text[start:end], folded.origin(start), folded.origin(end - 1) + 1


def _code_lines(text: str, start: int, end: int) -> Iterator[tuple[LineKind, str, int, int]]:
    position = start
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop
        raw = text[position:stop]
        content = raw.strip()
        if content:
            first = position + len(raw) - len(raw.lstrip())
            yield "code", content, first, first + len(content)
        position = stop + 1
