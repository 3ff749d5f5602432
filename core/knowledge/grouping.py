"""Group units into chunks: in order, by paragraph, or by a hierarchy of separators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise

from core.knowledge.measuring import Measure
from core.knowledge.units import Unit

Range = tuple[int, int]
"""Units [first, last)."""


class Grouping:
    """What grouping works on.

    budget: what a group may hold, so that overlap still fits beside it; a single unit may pass it.
    """

    def __init__(self, units: tuple[Unit, ...], measure: Measure, budget: int) -> None:
        self.units = units
        self.measure = measure
        self.budget = budget
        self._sums = [0, *accumulate(unit.size for unit in units)]

    def whole(self) -> Range:
        """All units as one run."""
        return 0, len(self.units)

    def fits(self, first: int, last: int) -> bool:
        """Say whether the units [first, last) keep the budget together, or are a single one.

        Joined stretches never count for more than the sum of their parts (see core.text.tokens).
        """
        return last - first <= 1 or self._sums[last] - self._sums[first] <= self.budget


def group_in_order(grouping: Grouping, run: Range) -> list[Range]:
    """Fill groups with one unit after the other."""
    return _pack(grouping, [(index, index + 1) for index in range(*run)])


def group_by_paragraph(grouping: Grouping, run: Range) -> list[Range]:
    """Fill groups with whole paragraphs; only a paragraph over the budget is cut into its units."""
    parts: list[Range] = []
    for first, last in _split(run, lambda index: grouping.units[index].paragraph):
        if not grouping.fits(first, last):
            parts.extend(group_in_order(grouping, (first, last)))
        else:
            parts.append((first, last))
    return _pack(grouping, parts)


def group_by_separators(grouping: Grouping, run: Range, separators: Sequence[str]) -> list[Range]:
    """Cut a run where the first separator stands, its parts where the second stands, and so on.

    Neighbouring parts are put together again as long as they fit. A separator counts only between two
    units: it never cuts a sentence, a fence or a table.
    """
    if grouping.fits(*run):
        return [run]
    for depth, separator in enumerate(separators):
        parts = _split(run, partial(_stands_before, grouping, separator))
        if len(parts) > 1:
            finer = [
                group
                for part in parts
                for group in group_by_separators(grouping, part, separators[depth + 1 :])
            ]
            return _pack(grouping, finer)
    return group_in_order(grouping, run)


def _stands_before(grouping: Grouping, separator: str, index: int) -> bool:
    """Say whether the separator stands between unit index - 1 and unit index, or reaches into one."""
    start, end = grouping.units[index].gap
    window = grouping.measure.text[max(start - len(separator), 0) : end + len(separator) - 1]
    return separator in window


def _split(run: Range, begins: Callable[[int], bool]) -> list[Range]:
    first, last = run
    borders = [first, *(index for index in range(first + 1, last) if begins(index)), last]
    return list(pairwise(borders))


def _pack(grouping: Grouping, parts: Sequence[Range]) -> list[Range]:
    """Put neighbouring parts together while they keep the budget."""
    packed: list[Range] = []
    for first, last in parts:
        if packed and grouping.fits(packed[-1][0], last):
            packed[-1] = (packed[-1][0], last)
        else:
            packed.append((first, last))
    return packed
