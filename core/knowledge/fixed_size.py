"""The fixed-size rule: windows of one length that overlap, moved only to keep fences and tables whole."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from core.knowledge.measuring import Measure

Span = tuple[int, int]


def cut_fixed_size(
    measure: Measure, span: Span, size: int, overlap: int, kept: Sequence[Span]
) -> Iterator[Span]:
    """Yield windows over the span: each as long as `size` allows, beginning `overlap` before the last end.

    kept: stretches that fit and are not cut, in order. Every window ends beyond the one before it; the
    last ends with the span. Requires overlap < size.
    """
    start, end = span
    kept_starts = [first for first, _ in kept]
    position = covered = start
    wanted = overlap
    while covered < end:
        stop = _stop(measure, (position, end), size, covered, kept[_nearby(kept_starts, position, end)])
        if stop <= covered:
            # The overlap leaves no room for anything new: take less of it.
            wanted = max(wanted - max(overlap // 8, 1), 0)
        else:
            yield position, stop
            covered, wanted = stop, overlap
        position = measure.reach_back(position + 1, covered, wanted) if wanted else covered
        inside = bisect_left(kept_starts, position) - 1
        if inside >= 0 and position < kept[inside][1]:
            position = min(kept[inside][1], covered)


def _nearby(starts: Sequence[int], position: int, end: int) -> slice:
    return slice(max(bisect_right(starts, position) - 1, 0), bisect_right(starts, end))


def _stop(measure: Measure, rest: Span, size: int, covered: int, kept: Sequence[Span]) -> int:
    """Where the window that begins at rest[0] ends; at or before covered if it must begin later."""
    position, end = rest
    stop = measure.reach(position, end, size)
    for first, last in kept:
        if first < stop < last:
            if first > position or position < covered:
                return max(first, covered)
            break
    if stop < end and measure.text[stop:end].isspace():
        # The rest is white space alone: leave a character with it, so that no chunk is blank.
        earlier = position + len(measure.text[position:stop].rstrip()) - 1
        if earlier > covered and not any(first < earlier < last for first, last in kept):
            return earlier
    return stop
