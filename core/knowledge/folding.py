"""Read a wrapped stretch of text as one running line, and find the way back to its characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_NO_SPACE_AROUND = re.compile(
    "[\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uff65\U00020000-\U0003ffff]"
)
"""Japanese and Chinese characters and punctuation: a line break beside them is no space."""


@dataclass(frozen=True, slots=True)
class Folded:
    """Running text with its origin: from starts[i] on, characters come from origins[i] on."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """Give the character of the unfolded text that the folded character at offset is."""
        index = bisect_right(self.starts, offset) - 1
        return self.origins[index] + offset - self.starts[index]


def fold_lines(text: str, start: int, end: int, continuation: str = "") -> Folded:
    """Join the physical lines of text[start:end] into one.

    A break becomes a space, or nothing between Japanese characters. continuation: pattern of the marker
    at the beginning of every further line, which is left out.
    """
    if text.find("\n", start, end) < 0:
        return Folded(text[start:end], (0,), (start,))
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0
    for first, last in _contents(text, start, end, continuation):
        if pieces:
            joint = joint_between(pieces[-1][-1], text[first])
            pieces[-1] += joint
            length += len(joint)
        starts.append(length)
        origins.append(first)
        pieces.append(text[first:last])
        length += last - first
    return Folded("".join(pieces), tuple(starts) or (0,), tuple(origins) or (start,))


def joint_between(before: str, after: str) -> str:
    """Say what stands for a line break between two characters: a space, or nothing in Japanese."""
    return "" if _NO_SPACE_AROUND.match(before) or _NO_SPACE_AROUND.match(after) else " "


def _contents(text: str, start: int, end: int, continuation: str) -> list[tuple[int, int]]:
    """Spans of the physical lines without their white space, markers and empty lines."""
    marker = re.compile(continuation) if continuation else None
    spans: list[tuple[int, int]] = []
    position = start
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop
        first, last = position, stop
        if marker is not None and position > start:
            found = marker.match(text, position, stop)
            first = found.end() if found else position
        while first < last and text[first].isspace():
            first += 1
        while last > first and text[last - 1].isspace():
            last -= 1
        if last > first:
            spans.append((first, last))
        position = stop + 1
    return spans
