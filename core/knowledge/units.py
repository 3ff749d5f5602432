"""The smallest parts that chunking moves around: lines with the white space and marks around them.

Every character between two lines (blank lines, list and heading markers, fences, front matter) belongs
to one of them, so that units lie side by side and cover the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.domain import Line, ParsedFile
from core.knowledge.measuring import Measure

_FENCE_LINE = re.compile(r"^[ \t>]*(?:[-+*]|\d+[.)])?[ \t]*(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t\u3000>]*\n")


@dataclass(frozen=True, slots=True)
class Unit:
    """One or several lines that are cut from each other last.

    start, end: characters, end exclusive. size: in the measure's unit. lines: ordinals [first, last).
    kept: a fence, a table or its header: not cut if it fits. gap: the characters between the last line
    of the unit before and this unit's first line, which say how well one may cut here.
    paragraph: whether a new paragraph begins here.
    """

    start: int
    end: int
    size: int
    lines: tuple[int, int]
    kept: bool = False
    gap: tuple[int, int] = (0, 0)
    paragraph: bool = True


@dataclass(frozen=True, slots=True)
class Region:
    """A section's own stretch of text (without its subsections), as units."""

    section: int
    start: int
    end: int
    units: tuple[Unit, ...]


def build_regions(parsed: ParsedFile, measure: Measure, limit: int) -> Iterator[Region]:
    """Yield the stretches of text that belong to one section each; side by side they cover the text.

    A section that is only a heading is joined to the section that follows it.
    """
    lines = parsed.lines
    if not lines:
        return
    borders = _borders(parsed.text, lines)
    builder = _UnitBuilder(parsed.text, lines, borders, measure, limit)
    carried: Unit | None = None
    for first, last in _section_runs(lines):
        units = builder.units(first, last)
        if carried is not None:
            joined = join_space(carried, units[0], measure, limit)
            if joined is not None:
                units[0] = joined
            else:
                units.insert(0, carried)
            carried = None
        if is_space(units[-1]) and last < len(lines):
            carried = units.pop()
        yield Region(lines[last - 1].section, units[0].start, units[-1].end, tuple(units))


def _section_runs(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield [first, last) of lines of one section, headings without text joined to what follows."""
    first = 0
    for index in range(1, len(lines) + 1):
        if index < len(lines):
            if lines[index].section == lines[index - 1].section:
                continue
            if all(line.kind == "heading" for line in lines[first:index]):
                continue
        yield first, index
        first = index


def _borders(text: str, lines: Sequence[Line]) -> list[int]:
    """Where each line's stretch begins; the last entry is the end of the text."""
    borders = [0]
    for before, after in pairwise(lines):
        borders.append(_border(text, before, after))
    return [*borders, len(text)]


def _border(text: str, before: Line, after: Line) -> int:
    """Cut the gap before the mark-up that leads the later line: its fence, list mark or hashes."""
    start = max(before.end, text.rfind("\n", before.end, after.start) + 1)
    if after.kind != "code":
        return start if start > before.end or after.kind == "row" else after.start
    fences = [match.start() for match in _FENCE_LINE.finditer(text, before.end, start)]
    opens = len(fences) >= 2 or (fences and before.kind != "code")
    return max(fences[-1], before.end) if opens else start


class _UnitBuilder:
    def __init__(
        self, text: str, lines: Sequence[Line], borders: Sequence[int], measure: Measure, limit: int
    ) -> None:
        self._text = text
        self._lines = lines
        self._borders = borders
        self._measure = measure
        self._limit = limit

    def units(self, first: int, last: int) -> list[Unit]:
        """Build the units of the lines [first, last)."""
        units: list[Unit] = []
        for begin, end, kept in self._groups(first, last):
            unit = self._unit(begin, end, kept)
            if units and self._is_heading(units[-1]) and self._joins(units[-1], unit):
                units[-1] = self._join(units[-1], unit)
            else:
                units.append(unit)
        return self._with_trimmed_tails(units)

    def _unit(self, first: int, last: int, kept: bool) -> Unit:
        start, end = self._borders[first], self._borders[last]
        gap = (self._lines[first - 1].end if first else 0, self._lines[first].start)
        size = self._measure.size(start, end)
        return Unit(start, end, size, (first, last), kept, gap, self._begins_paragraph(first, gap))

    def _begins_paragraph(self, first: int, gap: tuple[int, int]) -> bool:
        if first == 0 or _BLANK.search(self._text, *gap):
            return True
        before, after = self._lines[first - 1], self._lines[first]
        return before.kind != after.kind or before.section != after.section

    def _is_heading(self, unit: Unit) -> bool:
        return all(self._lines[index].kind == "heading" for index in range(*unit.lines))

    def _joins(self, heading: Unit, unit: Unit) -> bool:
        """A heading goes with what follows it, unless a fence or table that fits would be torn."""
        if not unit.kept or unit.size > self._limit:
            return True
        return self._measure.size(heading.start, unit.end) <= self._limit

    def _join(self, heading: Unit, unit: Unit) -> Unit:
        size = self._measure.size(heading.start, unit.end)
        lines = (heading.lines[0], unit.lines[1])
        return replace(heading, end=unit.end, size=size, lines=lines, kept=unit.kept)

    def _groups(self, first: int, last: int) -> Iterator[tuple[int, int, bool]]:
        """Yield (first, last, kept): fences and tables whole if they fit, else header and lines."""
        index = first
        while index < last:
            end = self._run_end(index, last)
            if end - index == 1 and self._lines[index].kind not in ("code", "row"):
                yield index, end, False
            elif self._fits(index, end):
                yield index, end, True
            else:
                head = index
                if self._lines[index].kind == "row" and end - index > 2 and self._fits(index, index + 2):
                    head = index + 2
                    yield index, head, True
                for single in range(head, end):
                    yield single, single + 1, False
            index = end

    def _run_end(self, first: int, last: int) -> int:
        """End of the fence or table that begins with this line, or of this line alone."""
        kind = self._lines[first].kind
        index = first + 1
        if kind not in ("code", "row"):
            return index
        while index < last and self._lines[index].kind == kind:
            gap = self._text[self._lines[index - 1].end : self._lines[index].start]
            if (_FENCE_LINE if kind == "code" else _BLANK).search(gap):
                break
            index += 1
        return index

    def _fits(self, first: int, last: int) -> bool:
        start = self._borders[first]
        end = max(self._lines[last - 1].end, start + len(self._text[start : self._borders[last]].rstrip()))
        # A cheap bound first: long fences need no exact count.
        if end - start > self._limit * 24:
            return False
        return self._measure.size(start, end) <= self._limit

    def _with_trimmed_tails(self, units: list[Unit]) -> list[Unit]:
        """Where a unit fits only without the white space behind it, give that to the next one."""
        trimmed: list[Unit] = []
        for unit in units:
            current = unit
            if trimmed and is_space(trimmed[-1]):
                current = join_space(trimmed[-1], unit, self._measure, self._limit) or unit
                if current is not unit:
                    trimmed.pop()
            end = current.start + len(self._text[current.start : current.end].rstrip())
            if current.size > self._limit and current.start < end < current.end:
                size = self._measure.size(current.start, end)
                if size <= self._limit:
                    trimmed.append(replace(current, end=end, size=size))
                    rest = self._measure.size(end, current.end)
                    none = (current.lines[1], current.lines[1])
                    current = Unit(end, current.end, rest, none, gap=(end, current.end))
            trimmed.append(current)
        return trimmed


def is_space(unit: Unit) -> bool:
    """Say whether a unit is only white space that did not fit behind the unit before."""
    return unit.lines[0] == unit.lines[1]


def join_space(space: Unit, unit: Unit, measure: Measure, limit: int) -> Unit | None:
    """Put white space before a unit, or return None if the unit would no longer fit for it."""
    size = measure.size(space.start, unit.end)
    if size > limit >= unit.size:
        return None
    return replace(unit, start=space.start, size=size)
