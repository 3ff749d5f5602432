"""Hits become candidates: one for each section, page or chunk, with everything that speaks for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.rag.anchors.detection import Detection
from core.rag.anchors.hits import METHODS, AnchorHit, Method
from core.rag.anchors.parsing import AnchorQuestion
from core.rag.anchors.scoring import KEYWORDS, TITLE, UnitScores, score_units
from core.rag.anchors.tables import DocumentTables

POOL = 10
"""Candidates that are ranked; named places come on top of them."""
ANCHOR_LINES = 4
TOP_PAGES = 3
NAMED = 1.0
VALUE = 0.05

Place = tuple[int, int]
"""Document and unit, both as indexes."""


@dataclass(frozen=True, slots=True)
class AnchorCandidate:
    """A place where the answer may stand.

    document, unit: indexes. methods: all that found it, in the order of METHODS. keywords: those that it
    holds, without repeats; distinct: how many. title_hit: a keyword stands in its title. words: the part of
    the score that they make. line, unit_cosine: of its nearest line and of all of it, None where meaning was
    not compared. score: the deterministic order. lines: ordinals of its best lines, in order. named: the
    question names it, so it is kept even without hits.
    """

    document: int
    unit: int
    methods: tuple[Method, ...]
    keywords: tuple[str, ...]
    distinct: int
    title_hit: bool
    words: float
    line: float | None
    unit_cosine: float | None
    score: float
    lines: tuple[int, ...]
    named: bool = False

    @property
    def cosine(self) -> float:
        """The better one, -1 where meaning was not compared."""
        return max((c for c in (self.line, self.unit_cosine) if c is not None), default=-1.0)


def gather_candidates(
    documents: Sequence[DocumentTables], question: AnchorQuestion, detection: Detection
) -> list[AnchorCandidate]:
    """Unite the hits of all methods by unit; the best POOL of them, and every named place, best first."""
    scores = score_units(documents, question, detection.occurrences, detection.nearness)
    by_place: dict[Place, list[AnchorHit]] = defaultdict(list)
    dense = _dense_pages(detection.hits)
    for hit in detection.hits:
        for unit in _units_of(documents[hit.document], hit, dense):
            by_place[hit.document, unit].append(hit)
    candidates = [
        make_candidate(documents, place, hits, scores[place[0]]) for place, hits in by_place.items()
    ]
    ordered = order_candidates(candidates)
    return [c for rank, c in enumerate(ordered) if rank < POOL or c.named]


def order_candidates(candidates: Iterable[AnchorCandidate]) -> list[AnchorCandidate]:
    """The order without a language model: named places, then by score; equal ones by distinct keywords, title
    hit, cosine, and at last by position, so that runs repeat."""
    return sorted(
        candidates,
        key=lambda c: (
            -round(c.score, 6),
            -c.distinct,
            not c.title_hit,
            -round(c.cosine, 6),
            c.document,
            c.unit,
        ),
    )


def make_candidate(
    documents: Sequence[DocumentTables], place: Place, hits: Sequence[AnchorHit], scores: UnitScores
) -> AnchorCandidate:
    """One place with its hits; without any, as when a model picks it from the table of contents."""
    document, unit = place
    tables = documents[document]
    methods = {hit.method for hit in hits}
    held = {keyword: None for hit in hits for keyword in hit.keywords if hit.method != "keyword_pages"}
    named = "named" in methods
    return AnchorCandidate(
        document=document,
        unit=unit,
        methods=tuple(method for method in METHODS if method in methods),
        keywords=tuple(held),
        distinct=int(scores.distinct[unit]),
        title_hit=bool(scores.titles[unit] > 0),
        words=float(KEYWORDS * scores.coverage[unit] * scores.coverage.max() + TITLE * scores.titles[unit]),
        line=None if scores.line is None else float(scores.line[unit]),
        unit_cosine=None if scores.unit is None else float(scores.unit[unit]),
        score=float(scores.score[unit]) + NAMED * named + VALUE * ("values" in methods),
        lines=_anchor_lines(tables, unit, hits),
        named=named,
    )


def _units_of(tables: DocumentTables, hit: AnchorHit, dense: Mapping[Place, set[int]]) -> list[int]:
    """A hit on a page that is no unit counts for what stands there: all of it where the page was named, else
    the units with a keyword on it, if it is one of the best pages."""
    if hit.unit is not None:
        return [hit.unit]
    if hit.page is None:
        return []
    if hit.method == "named" or tables.unit_kind == "page":
        return [int(unit) for unit in np.unique(tables.unit_of[tables.pages == hit.page])]
    return sorted(dense.get((hit.document, hit.page), ()))


def _dense_pages(hits: Sequence[AnchorHit]) -> dict[Place, set[int]]:
    """Document and page -> units with a keyword on it, for the best pages of each document."""
    best: dict[int, list[Place]] = defaultdict(list)
    for hit in hits:
        if hit.method == "keyword_pages" and hit.page is not None and len(best[hit.document]) < TOP_PAGES:
            best[hit.document].append((hit.document, hit.page))
    dense: dict[Place, set[int]] = {place: set() for places in best.values() for place in places}
    for hit in hits:
        place = (hit.document, hit.page or 0)
        if hit.method == "keyword_lines" and hit.unit is not None and place in dense:
            dense[place].add(hit.unit)
    return dense


def _anchor_lines(tables: DocumentTables, unit: int, hits: Sequence[AnchorHit]) -> tuple[int, ...]:
    """Its best lines: by number of methods that found them, then by their scores; headings only if nothing
    else matched."""
    found: dict[int, float] = defaultdict(float)
    for hit in hits:
        if hit.line is not None and tables.unit_of[hit.line] == unit:
            found[hit.line] += hit.score
    body = {line: score for line, score in found.items() if tables.lines[line].kind != "heading"}
    best = sorted(body or found, key=lambda line: (-found[line], line))[:ANCHOR_LINES]
    return tuple(sorted(best))
