"""Cut a long text into messages: at a blank line, else at a line, a sentence, a word, and only then anywhere.

A fence that is cut is closed in the one part and opened again in the next, with its language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from core.text.sentences import split_sentences

Measure = Callable[[str], int]

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_LONGEST_MARKS = 8
"""A row of more marks than this is no fence here: opening it again would fill the message."""
_LEAST_SHARE = 0.4
"""A part ends at a blank line or a line only if it is filled so far; else words are torn apart less often."""


def count_utf16(text: str) -> int:
    """Units of UTF-16, as Telegram and Discord count; never less than the number of characters."""
    return len(text) + sum(character > "\uffff" for character in text)


def split_markdown(text: str, limit: int, measure: Measure = len) -> list[str]:
    """Parts of at most `limit` by `measure`, in order; [] for a text without content.

    Nothing but white space at a cut is lost, and nothing but fences is added. limit: at least 32, so that a
    fence has room. measure: of a joined text no more than the sum of its pieces.
    """
    packer = _Packer(limit, measure)
    for line in text.split("\n"):
        packer.add(line)
    return packer.finish()


@dataclass(slots=True)
class _Packer:
    limit: int
    measure: Measure
    parts: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    opened: str = ""
    """The line that opened the fence in which the text stands now, "" outside of fences."""
    carried: bool = False
    """The first line of the part opens again what the last part closed."""

    def add(self, line: str) -> None:
        fence = _FENCE.match(line)
        after = self._fence_after(line, fence)
        if not self._fits([*self.lines, line], after):
            self._break_before(after)
        if not self._fits([*self.lines, line], after):
            for piece in self._pieces(line):
                if not self._fits([*self.lines, piece], self.opened):
                    self._flush(len(self.lines))
                self.lines.append(piece)
        else:
            self.lines.append(line)
        self.opened = after

    def finish(self) -> list[str]:
        self._close(self.lines, "" if self._is_only_fence() else self.opened)
        return self.parts

    def _fence_after(self, line: str, fence: re.Match[str] | None) -> str:
        if fence is None or len(fence["marks"]) > _LONGEST_MARKS:
            return self.opened
        if not self.opened:
            return line if self.measure(line) <= self.limit // 3 else fence["marks"]
        marks = _marks(self.opened)
        closes = fence["marks"].startswith(marks) and not fence["info"].strip()
        return "" if closes else self.opened

    def _fits(self, lines: list[str], opened: str) -> bool:
        closing = f"\n{_marks(opened)}" if opened else ""
        return self.measure("\n".join(lines) + closing) <= self.limit

    def _break_before(self, after: str) -> None:
        """End the part at its last blank line, if that leaves it filled enough, else here."""
        if not self.lines:
            return
        cut = len(self.lines)
        if not self.opened and not after:
            blank = max((n for n, line in enumerate(self.lines) if not line.strip()), default=0)
            filled = self.measure("\n".join(self.lines[:blank]))
            if filled >= _LEAST_SHARE * self.limit and not _opens_fence(self.lines[:blank]):
                cut = blank
        self._flush(cut)

    def _flush(self, cut: int) -> None:
        if self._is_only_fence():
            return
        kept, self.lines = self.lines[cut:], self.lines[:cut]
        self._close(self.lines, self.opened)
        self.carried = bool(self.opened)
        self.lines = [self.opened, *kept] if self.opened else kept
        while not self.opened and self.lines and not self.lines[0].strip():
            self.lines.pop(0)

    def _is_only_fence(self) -> bool:
        """Nothing but the line that was opened again stands here."""
        return self.carried and len(self.lines) <= 1 and bool(self.opened)

    def _close(self, lines: list[str], opened: str) -> None:
        text = "\n".join([*lines, _marks(opened)] if opened else lines)
        shown = text.strip("\n") if opened or _opens_any(lines) else text.strip()
        if shown.strip():
            self.parts.append(shown)

    def _pieces(self, line: str) -> Iterator[str]:
        """A line that fits no part of its own, in pieces that do."""
        frame = f"{self.opened}\n\n{_marks(self.opened)}" if self.opened else ""
        room = max(self.limit - self.measure(frame), 1)
        yield from _cut(line, room, self.measure, sentences=not self.opened)


def _marks(opened: str) -> str:
    """What closes the fence that this line opened."""
    found = _FENCE.match(opened)
    return found["marks"] if found else ""


def _opens_fence(lines: list[str]) -> bool:
    return sum(_FENCE.match(line) is not None for line in lines) % 2 == 1


def _opens_any(lines: list[str]) -> bool:
    return any(_FENCE.match(line) for line in lines)


def _cut(text: str, room: int, measure: Measure, *, sentences: bool) -> Iterator[str]:
    """Pieces of at most `room`, cut after a sentence, else at a space, else anywhere."""
    ends = [span.end for span in split_sentences(text)] if sentences else []
    start = 0
    while measure(text[start:]) > room:
        most = _longest(text, start, room, measure)
        cut = max((end for end in ends if start + (most - start) * _LEAST_SHARE < end <= most), default=0)
        if not cut:
            space = max(text.rfind(" ", start, most + 1), text.rfind("\u3000", start, most + 1))
            cut = space if space > start + (most - start) * _LEAST_SHARE else most
        yield text[start:cut]
        while sentences and cut < len(text) and text[cut] in " \u3000":
            cut += 1
        start = cut
    yield text[start:]


def _longest(text: str, start: int, room: int, measure: Measure) -> int:
    """The end of the longest piece from `start` that fits; at least one character further."""
    low, high = start + 1, min(len(text), start + room)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[start:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low
