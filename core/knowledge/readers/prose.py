"""Prose inside code: docstrings and comments become paragraphs and items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.knowledge.blocks import Block, BlockKind

_ITEM = re.compile(
    r"(?:[-*+•](?=[ \t])|\d{1,3}[.)](?=[ \t]))[ \t]*"
    r"|(?=:?\*{0,2}[A-Za-z_]\w*(?:, ?\*{0,2}[A-Za-z_]\w*){0,5}(?:[ \t]?\([^()\n]*\))?:[ \t])"
    r"|(?=@\w+[ \t])|(?=:(?:param|returns?|raises?|type)\b)"
)
"""What begins a line of its own: list marks, "name: what it is", "@param x", ":param x:"."""
_NO_WORDS = re.compile(r"[\W_]*")


def prose_blocks(text: str, start: int, end: int, continuation: str, section: int) -> Iterator[Block]:
    """Yield the paragraphs of text[start:end]; lines without words part them.

    continuation: pattern of the comment mark that leads every further line. The blocks belong to that
    section.
    """
    marker = re.compile(continuation)
    open_at: int | None = None
    open_end = start
    is_item = False
    for first, last in _rows(text, start, end, marker):
        item = _ITEM.match(text, first, last)
        blank = _NO_WORDS.fullmatch(text, first, last) is not None
        if open_at is not None and (blank or item):
            yield _block(open_at, open_end, is_item, continuation, section)
            open_at = None
        if blank:
            continue
        if open_at is None:
            open_at, is_item = (item.end() if item else first), item is not None
        open_end = last
    if open_at is not None:
        yield _block(open_at, open_end, is_item, continuation, section)


def _block(start: int, end: int, is_item: bool, continuation: str, section: int) -> Block:
    kind: BlockKind = "item" if is_item else "paragraph"
    return Block(kind, start, end, continuation=continuation, section=section)


def _rows(text: str, start: int, end: int, marker: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Spans of the physical lines without mark and white space; the first has no mark."""
    position = start
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop
        first = position
        if position > start:
            mark = marker.match(text, position, stop)
            first = mark.end() if mark else position
        last = stop
        while first < last and text[first].isspace():
            first += 1
        while last > first and text[last - 1].isspace():
            last -= 1
        yield first, last
        position = stop + 1
