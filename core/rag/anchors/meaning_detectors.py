"""Detectors that compare meaning: cosines of the question with titles, lines and units."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.ports import Vector, Vectors
from core.rag.anchors.hits import AnchorHit, Method
from core.rag.anchors.keyword_detectors import unit_of_section
from core.rag.anchors.tables import DocumentTables
from core.rag.relevance import CosineScale

Cosines = NDArray[np.float64]
KEPT = 5


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines of the question with one document; None where it has no such vectors. titles: by section,
    lines: by line, units: by unit."""

    titles: Cosines | None = None
    lines: Cosines | None = None
    units: Cosines | None = None


def cosines(rows: Vectors | None, question: Vector) -> Cosines | None:
    """(n,) float64, or None without rows."""
    return None if rows is None else (rows @ question).astype(np.float64)


def threshold(scale: CosineScale, compared: int) -> float:
    """The cosine from which a hit is evidence, when it is the best of `compared` ones.

    The largest of n cosines with unrelated texts comes near mean + spread * sqrt(2 ln n), as of n normal
    numbers. On the development sets 0.7 % of the unrelated documents have a line above it, and 68 % of the
    documents that answer.
    """
    return scale.mean + scale.spread * math.sqrt(2.0 * math.log(max(compared, 2)))


def hits_of(
    document: int, tables: DocumentTables, method: Method, found: Cosines | None, least: float
) -> list[AnchorHit]:
    """The nearest titles, lines or units, best first; those whose cosine does not reach `least` are weak."""
    if found is None:
        return []
    ranked = [int(i) for i in np.argsort(-found, kind="stable")[: KEPT + 1]]
    if method == "title_embeddings":
        ranked = [i for i in ranked if i > 0]
    hits = (_hit(document, tables, method, i, float(found[i])) for i in ranked[:KEPT])
    return [replace(hit, strong=hit.score >= least) for hit in hits]


def _hit(document: int, tables: DocumentTables, method: Method, index: int, cosine: float) -> AnchorHit:
    score = round(cosine, 4)
    if method == "title_embeddings":
        section = tables.sections[index]
        unit = unit_of_section(tables).get(index)
        return AnchorHit(document, method, score, unit, section.page_start, None, index)
    if method == "line_embeddings":
        line = tables.lines[index]
        return AnchorHit(document, method, score, int(tables.unit_of[index]), line.page, index, line.section)
    first = tables.lines[tables.units[index].lines[0]]
    return AnchorHit(document, method, score, index, first.page, None, first.section)
