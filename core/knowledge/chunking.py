"""Cut an article into chunks: five strategies, one set of promises.

For every strategy, size and overlap: it ends; every character of the text is in some chunk; no chunk
passes the limit; none repeats only what the one before it said; a code fence, a table or at least the
table's header stays whole if it fits. A chunk stays inside one section; a heading without text of its
own goes with what follows it. A single character is never cut, even if it costs more than the limit.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from core.domain import Chunk, ParsedFile
from core.knowledge.fixed_size import cut_fixed_size
from core.knowledge.grouping import Grouping, group_by_paragraph, group_by_separators, group_in_order
from core.knowledge.measuring import LengthUnit, Measure
from core.knowledge.semantic import group_by_topic
from core.knowledge.units import Region, Unit, build_regions
from core.ports import Vectors
from core.text.tokens import count_tokens

Strategy = Literal["fixed_size", "sentence", "paragraph", "semantic", "recursive"]

DEFAULT_SEPARATORS = ("\n## ", "\n### ", "\n\n", "\n", ". ", "。")


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How articles are cut; the values of [rag.chunking].

    chunk_size, chunk_overlap: in `unit`, of the chunk's text without its breadcrumb. separators: the
    order in which `recursive` prefers to cut. Overlap is whole lines, as many as fit, except for
    fixed_size (the nearest it can be cut) and semantic (none across a topic border).
    Raises ValueError when the overlap is not smaller than the size, or a value is out of range.
    """

    strategy: Strategy = "recursive"
    chunk_size: int = 512
    chunk_overlap: int = 64
    separators: tuple[str, ...] = DEFAULT_SEPARATORS
    unit: LengthUnit = "tokens"

    def __post_init__(self) -> None:
        if self.strategy not in get_args(Strategy):
            raise ValueError(
                f"strategy must be one of {', '.join(get_args(Strategy))}, not {self.strategy!r}"
            )
        if self.unit not in get_args(LengthUnit):
            raise ValueError(f"unit must be one of {', '.join(get_args(LengthUnit))}, not {self.unit!r}")
        if self.chunk_size < 1:
            raise ValueError(f"chunk_size must be at least 1, not {self.chunk_size}")
        if not 0 <= self.chunk_overlap < self.chunk_size:
            raise ValueError(
                f"chunk_overlap must be at least 0 and smaller than chunk_size ({self.chunk_size}), "
                f"not {self.chunk_overlap}"
            )
        if any(not separator for separator in self.separators):
            raise ValueError("separators must not be empty strings")


def chunk_article(
    parsed: ParsedFile, settings: ChunkingSettings, line_vectors: Vectors | None = None
) -> tuple[Chunk, ...]:
    """Cut an article into chunks, in the order of its text.

    line_vectors: (n_lines, dimensions), row i for parsed.lines[i]; the semantic strategy needs them, the
    others ignore them. Raises ValueError when they are missing or of another length.
    """
    if settings.strategy == "semantic" and (line_vectors is None or len(line_vectors) != len(parsed.lines)):
        raise ValueError(f"the semantic strategy needs one vector for each of {len(parsed.lines)} lines")
    measure = Measure(parsed.text, settings.unit)
    chunks: list[Chunk] = []
    starts = [line.start for line in parsed.lines]
    ends = [line.end for line in parsed.lines]
    for region in build_regions(parsed, measure, settings.chunk_size):
        section = parsed.sections[region.section]
        for start, end in _spans(region, measure, settings, line_vectors):
            first = bisect_right(ends, start)
            last = bisect_left(starts, end) - 1
            nearest = min(max(min(first, last), 0), len(starts) - 1)
            touches = first <= last
            text = parsed.text[start:end]
            chunks.append(
                Chunk(
                    ordinal=len(chunks),
                    section=section.ordinal,
                    text=text,
                    start=start,
                    end=end,
                    first_line=first if touches else nearest,
                    last_line=last if touches else nearest,
                    tokens=count_tokens(text),
                    breadcrumb=section.breadcrumb,
                )
            )
    return tuple(chunks)


def _spans(
    region: Region, measure: Measure, settings: ChunkingSettings, line_vectors: Vectors | None
) -> Iterator[tuple[int, int]]:
    size, overlap = settings.chunk_size, settings.chunk_overlap
    units = region.units
    if settings.strategy == "fixed_size":
        kept = [(unit.start, unit.end) for unit in units if unit.kept and unit.size <= size]
        yield from cut_fixed_size(measure, (region.start, region.end), size, overlap, kept)
        return
    if measure.size(region.start, region.end) <= size and settings.strategy != "semantic":
        yield region.start, region.end
        return
    grouping = Grouping(units, measure, size - overlap)
    runs = [grouping.whole()]
    if settings.strategy == "semantic" and line_vectors is not None:
        runs = group_by_topic(units, line_vectors)
    for first, last in runs:
        yield from _run_spans(grouping, (first, last), settings)


def _run_spans(
    grouping: Grouping, run: tuple[int, int], settings: ChunkingSettings
) -> Iterator[tuple[int, int]]:
    """Yield the chunks of a run of units, with overlap between neighbours where it fits."""
    units, measure = grouping.units, grouping.measure
    size, overlap = settings.chunk_size, settings.chunk_overlap
    if settings.strategy == "recursive":
        groups = group_by_separators(grouping, run, settings.separators)
    elif settings.strategy == "paragraph":
        groups = group_by_paragraph(grouping, run)
    else:
        groups = group_in_order(grouping, run)
    earlier: tuple[int, int] | None = None
    for first, last in groups:
        if last - first == 1 and units[first].size > size:
            span = (units[first].start, units[first].end)
            yield from cut_fixed_size(measure, span, size, overlap, ())
            earlier = None
            continue
        start, end = units[first].start, units[last - 1].end
        if earlier is not None and overlap:
            start = _overlap_start(units, measure, (earlier, (first, last)), settings)
        yield start, end
        earlier = (first, last)


def _overlap_start(
    units: tuple[Unit, ...],
    measure: Measure,
    neighbours: tuple[tuple[int, int], tuple[int, int]],
    settings: ChunkingSettings,
) -> int:
    """Go back from a chunk over the last units of the one before, but never over its first."""
    (earlier_first, _), (first, last) = neighbours
    end = units[last - 1].end
    start = units[first].start
    for index in range(first - 1, earlier_first, -1):
        candidate = units[index].start
        if measure.size(candidate, units[first].start) > settings.chunk_overlap:
            break
        if measure.size(candidate, end) > settings.chunk_size:
            break
        start = candidate
    return start
