"""How well each unit matches: what the detectors found, as one score.

score = KEYWORDS * coverage * best coverage + TITLE * title share + MEANING * (line + unit), where coverage is
the weight of the distinct keywords that the unit holds as a share of all, and line and unit are cosines in
standard deviations. Keywords count the more, the more of them stand together somewhere.
Fitted on questions about manuals, guides and encyclopaedias, none of them in `tests/bench/data`; one after
the other (distinct keywords, then title, then cosine) found the right place less often (67 % against 79 %).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.rag.anchors.keyword_detectors import count_by_place
from core.rag.anchors.keywords import Keyword, Occurrences
from core.rag.anchors.meaning_detectors import Cosines, Nearness
from core.rag.anchors.parsing import AnchorQuestion
from core.rag.anchors.tables import DocumentTables
from core.text.latin import CJK

KEYWORDS = 0.6
TITLE = 0.25
MEANING = 0.12

BEHIND = 0.3
"""What a list of references or thanks loses: it names subjects and explains none."""
BEFORE = 0.1
"""What the text before the first heading loses: it announces what the sections say."""
CLEAN_WORDS = 2
CLEAN_LINE_WORDS = 3
_HAS_CJK = re.compile(f"[{CJK}]")
_TAIL_TITLE = re.compile(
    r"(?:[\d.]+\s*)?(?:references|bibliography|works cited|literature cited|acknowledge?ments?"
    r"|参考文献.*|引用文献|文献|謝辞)"
)

Row = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class UnitScores:
    """(n units,) each. distinct: keywords in its lines. coverage, titles: shares of the keywords' weight.
    line, unit: cosines of its nearest line and of all of it, None where nothing was compared. score: order.
    """

    distinct: NDArray[np.int64]
    coverage: Row
    titles: Row
    line: Row | None
    unit: Row | None
    score: Row


def score_units(
    documents: Sequence[DocumentTables],
    question: AnchorQuestion,
    occurrences: Sequence[Occurrences],
    nearness: Sequence[Nearness],
) -> list[UnitScores]:
    """Score every unit of every document, on one scale for all of them.

    A keyword that could not stand in a document's language, and does not, is left out; a missing one of its
    own language weighs like a rare one.
    """
    words = [_score_words(*pair) for pair in zip(documents, occurrences, strict=True)]
    best = max((float(word.coverage.max(initial=0.0)) for word in words), default=0.0)
    lines = [_unit_lines(tables, near.lines) for tables, near in zip(documents, nearness, strict=True)]
    units = [near.units for near in nearness]
    meaning = [a + b for a, b in zip(_standardise(lines, words), _standardise(units, words), strict=True)]
    scored = []
    for i, (tables, word) in enumerate(zip(documents, words, strict=True)):
        score = KEYWORDS * best * word.coverage + TITLE * word.titles + MEANING * meaning[i]
        score = score - _remoteness(tables, question)
        scored.append(replace(word, line=lines[i], unit=units[i], score=score))
    return scored


def _score_words(tables: DocumentTables, occurrences: Occurrences) -> UnitScores:
    counts = count_by_place(occurrences, tables.unit_of)
    weights = _weigh(tables, occurrences.keywords, counts.held)
    total = max(float(weights.sum()), 1e-9)
    return UnitScores(
        distinct=counts.distinct,
        coverage=weights @ counts.held / total,
        titles=weights @ _unit_titles(tables, occurrences) / total,
        line=None,
        unit=None,
        score=np.zeros(len(tables.units)),
    )


def is_clean(tables: DocumentTables, question: AnchorQuestion, occurrences: Occurrences) -> str:
    """Why the keywords alone settle a point question in this document, "" if they do not.

    They do where exactly one unit, or one line of exactly one unit, holds all of them. On 238 questions about
    documents of the development sets that unit answered in 95 %.
    """
    wanted = [k.source != "related" for k in occurrences.keywords]
    needed = int(sum(wanted))
    certain = any(k.source in ("identifier", "quoted") for k in occurrences.keywords)
    if question.shape != "point" or needed < (1 if certain else CLEAN_WORDS):
        return ""
    held = count_by_place(occurrences, tables.unit_of).held[wanted].all(axis=0)
    if held.sum() == 1:
        return f"{tables.units[int(held.argmax())].title!r} alone holds all {needed} keywords"
    lines = (occurrences.counts[wanted] > 0).all(axis=0)
    if needed >= CLEAN_LINE_WORDS and len(np.unique(tables.unit_of[lines])) == 1:
        return f"line {int(lines.argmax())} holds all {needed} keywords"
    return ""


def _weigh(tables: DocumentTables, keywords: tuple[Keyword, ...], held: NDArray[np.bool_]) -> Row:
    """(n keywords,) weight * log(1 + (n - u + 0.5) / (u + 0.5)) with u of n units holding the keyword."""
    units = len(tables.units)
    holding = held.sum(axis=1)
    rarity = np.log1p((units - holding + 0.5) / (holding + 0.5))
    own = np.array([k.weight for k in keywords], dtype=np.float64)
    foreign = np.array([not _could_stand(k, tables.article.language) for k in keywords], dtype=np.bool_)
    return np.asarray(np.where(foreign & (holding == 0), 0.0, own * rarity), dtype=np.float64)


def _could_stand(keyword: Keyword, language: str) -> bool:
    japanese = [bool(_HAS_CJK.search(form)) for form in keyword.forms]
    return any(japanese) if language == "ja" else not all(japanese)


def _unit_titles(tables: DocumentTables, occurrences: Occurrences) -> NDArray[np.bool_]:
    """(n keywords, n units): titles of sections only; pages and chunks have none of their own."""
    if tables.unit_kind != "section":
        return np.zeros((len(occurrences.keywords), len(tables.units)), dtype=np.bool_)
    found: NDArray[np.bool_] = occurrences.in_titles[:, [unit.number for unit in tables.units]]
    found[:, [i for i, unit in enumerate(tables.units) if unit.number == 0]] = False
    return found


def _unit_lines(tables: DocumentTables, lines: Cosines | None) -> Cosines | None:
    """Cosine of the nearest line of each unit."""
    if lines is None:
        return None
    best = np.full(len(tables.units), -1.0)
    np.maximum.at(best, tables.unit_of, lines)
    return best


def _standardise(found: Sequence[Cosines | None], words: Sequence[UnitScores]) -> list[Row]:
    """Standard deviations from the mean of all documents; 0 where nothing was compared."""
    compared = [one for one in found if one is not None]
    together = np.concatenate(compared) if compared else np.zeros(1)
    mean, spread = float(together.mean()), max(float(together.std()), 1e-6)
    return [
        np.zeros(len(word.score)) if one is None else (one - mean) / spread
        for one, word in zip(found, words, strict=True)
    ]


def _remoteness(tables: DocumentTables, question: AnchorQuestion) -> Row:
    """What places lose that seldom hold the answer itself, unless the whole document is asked for."""
    lost = np.zeros(len(tables.units))
    if tables.unit_kind != "section" or question.shape == "whole":
        return lost
    for index, unit in enumerate(tables.units):
        if unit.number == 0:
            lost[index] = BEFORE
        elif _TAIL_TITLE.fullmatch(tables.titles[unit.number]):
            lost[index] = BEHIND
    return lost
