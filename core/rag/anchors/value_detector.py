"""The detector of values: amounts, dates, codes and numbers that stand next to the question's keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from core.rag.anchors.hits import AnchorHit
from core.rag.anchors.keywords import Occurrences
from core.rag.anchors.parsing import AnchorQuestion
from core.rag.anchors.tables import DocumentTables
from core.text.quantities import find_quantities
from core.text.quantity import Quantity

MEASURED_LINES = 60
"""Most lines in which values are read; those with the most keywords come first."""
EXACT = 2.0
"""A value of the question that stands in the line counts as much as two keywords."""


def detect_values(
    document: int, tables: DocumentTables, question: AnchorQuestion, occurrences: Occurrences
) -> list[AnchorHit]:
    """Lines that hold a value of the question, or a value of the kind it asks for beside a keyword.

    score: distinct keywords of the line, plus EXACT for each value of the question in it. Best first, then in
    reading order. Nothing when the question neither holds nor asks for a value.
    """
    if not question.values and not question.wanted:
        return []
    distinct = (occurrences.counts > 0).sum(axis=0)
    hits = [
        hit
        for row in _promising(tables, question, distinct)
        if (hit := _judge(document, tables, question, row, int(distinct[row]))) is not None
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.line or 0))


def _promising(tables: DocumentTables, question: AnchorQuestion, distinct: np.ndarray) -> list[int]:
    """Lines with a value of the question as it is written, then lines with keywords and a digit."""
    literal: dict[int, None] = {}
    for quantity in question.values:
        written = question.text[quantity.start : quantity.end].lower()
        position = tables.text.find(written) if written else -1
        while position >= 0 and len(literal) < MEASURED_LINES:
            literal[int(tables.lines_at(np.array([position]))[0])] = None
            position = tables.text.find(written, position + 1)
    if question.wanted or question.values:
        order = np.argsort(-distinct, kind="stable")
        literal.update(dict.fromkeys(int(row) for row in order[:MEASURED_LINES] if distinct[row]))
    return list(literal)[:MEASURED_LINES]


def _judge(
    document: int, tables: DocumentTables, question: AnchorQuestion, row: int, keywords: int
) -> AnchorHit | None:
    line = tables.lines[row]
    found = find_quantities(line.text)
    same = sum(1 for value in question.values if any(_equal(value, other) for other in found))
    asked = keywords > 0 and any(quantity.kind in question.wanted for quantity in found)
    if not same and not asked:
        return None
    return AnchorHit(
        document,
        "values",
        keywords + EXACT * same,
        unit=int(tables.unit_of[row]),
        page=line.page,
        line=row,
        section=line.section,
        keywords=tuple(_shown(question)) if same else (),
    )


def _equal(one: Quantity, other: Quantity) -> bool:
    return (one.kind, one.value, one.unit) == (other.kind, other.value, other.unit)


def _shown(question: AnchorQuestion) -> Iterator[str]:
    for quantity in question.values:
        yield re.sub(r"\s+", " ", question.text[quantity.start : quantity.end])
