"""Detectors one by one: lines, pages, titles, values, named places, meaning."""

from __future__ import annotations

import numpy as np
import pytest

from core.rag.anchors.hits import AnchorHit
from core.rag.anchors.keyword_detectors import LINES_OF_UNIT, detect_lines, detect_pages, detect_titles
from core.rag.anchors.keywords import find_occurrences
from core.rag.anchors.meaning_detectors import cosines, hits_of, threshold
from core.rag.anchors.named import detect_named, section_number
from core.rag.anchors.parsing import parse_question
from core.rag.anchors.tables import DocumentTables
from core.rag.anchors.value_detector import detect_values
from core.rag.relevance import CosineScale
from tests.core.rag.anchors.documents import Part, document, substrings

PRICES = document(
    Part("Deductible", ("The deductible is explained here.", "The deductible is $500."), page=1),
    Part("Premium", ("The premium is $500 as well.", "It is due on May 1, 2026."), page=1),
    Part("Limits", ("Nothing is said.",), page=2),
    Part("Contact", ("Call us.",), page=3),
)


def lines_of(hits: list[AnchorHit]) -> list[int | None]:
    return [hit.line for hit in hits]


def values(text: str) -> list[AnchorHit]:
    question = parse_question(text)
    return detect_values(0, PRICES, question, find_occurrences(PRICES, question.keywords))


def test_distinct_keywords_count_more_than_repeats() -> None:
    tables = document(Part("x", ("pump pump pump pump", "pump valve", "nothing")))
    hits = detect_lines(0, tables, find_occurrences(tables, substrings(["pump", "valve"])))
    assert [(hit.line, hit.score, hit.density) for hit in hits] == [(2, 2.0, 2), (1, 1.0, 4)]
    assert hits[0].keywords == ("pump", "valve")


def test_a_unit_reports_its_best_lines_only() -> None:
    tables = document(
        Part("x", tuple(f"pump {n}" for n in range(20))), *(Part(f"y{n}", ("pump",)) for n in range(3))
    )
    hits = detect_lines(0, tables, find_occurrences(tables, substrings(["pump"])))
    assert [hit.line for hit in hits if hit.unit == 0] == list(range(1, LINES_OF_UNIT + 1))
    assert [hit.unit for hit in hits[LINES_OF_UNIT:]] == [1, 2, 3]


def test_of_pages_with_equal_keywords_the_denser_one_comes_first() -> None:
    hits = detect_pages(0, PRICES, find_occurrences(PRICES, substrings(["is"])))
    assert [(hit.page, hit.density) for hit in hits] == [(1, 4), (2, 1)]


def test_a_document_without_pages_has_no_hit_on_pages() -> None:
    tables = document(Part("x", ("pump",)))
    assert detect_pages(0, tables, find_occurrences(tables, substrings(["pump"]))) == []


def test_the_title_of_the_document_is_no_title_of_a_place() -> None:
    tables = document(Part("Setup", ("x",)), title="Setup manual")
    hits = detect_titles(0, tables, find_occurrences(tables, substrings(["setup"])))
    assert [hit.section for hit in hits] == [1]


def test_an_amount_beside_its_keyword_is_found_where_an_amount_is_asked_for() -> None:
    assert lines_of(values("How much is the deductible?")) == [2]


def test_a_date_beside_its_keyword_is_found_where_a_date_is_asked_for() -> None:
    assert lines_of(values("When is it due?")) == [5]


def test_a_value_of_the_question_is_found_wherever_it_stands() -> None:
    hits = values("Which deductible has $500?")
    assert lines_of(hits) == [2, 4]
    assert hits[0].score > hits[1].score


def test_a_question_without_a_value_looks_for_none() -> None:
    assert values("Who explains the deductible?") == []


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        ("3.2.1 Attention", "3.2.1"),
        ("Section 4: Fees", "4"),
        ("Appendix B. Codes", "b"),
        ("第五条 目的", "5"),
        ("第 12 章 保守", "12"),
        ("第二十三条", "23"),
        ("Attention", ""),
        ("A valve", "a"),
    ],
)
def test_the_number_of_a_heading_is_read(heading: str, number: str) -> None:
    assert section_number(heading) == number


def test_named_pages_and_sections_are_hits_without_a_keyword() -> None:
    tables = document(*(Part(f"第{n}条", (f"本文{n}",), page=n) for n in range(1, 6)))
    hits = detect_named(0, tables, parse_question("第3条と4ページと99ページを見せてください"))
    assert [(hit.page, hit.section) for hit in hits] == [(4, None), (3, 3)]
    assert all(hit.strong for hit in hits)


def unit_vectors(tables: DocumentTables, best: int) -> np.ndarray:
    rows = np.zeros((len(tables.sections), 2), dtype=np.float32)
    rows[:, 1] = 1.0
    rows[best] = (1.0, 0.0)
    return rows


def test_the_nearest_titles_are_hits_and_weak_below_the_threshold() -> None:
    question = np.array([1.0, 0.0], dtype=np.float32)
    found = cosines(unit_vectors(PRICES, 3), question)
    hits = hits_of(0, PRICES, "title_embeddings", found, 0.5)
    assert [(hit.section, hit.score, hit.strong) for hit in hits[:2]] == [(3, 1.0, True), (1, 0.0, False)]
    assert 0 not in [hit.section for hit in hits]


def test_without_vectors_nothing_is_near() -> None:
    assert cosines(None, np.zeros(2, dtype=np.float32)) is None
    assert hits_of(0, PRICES, "line_embeddings", None, 0.0) == []


def test_the_more_is_compared_the_nearer_a_hit_must_be() -> None:
    scale = CosineScale(0.1, 0.1)
    assert threshold(scale, 10) < threshold(scale, 10_000)
    assert threshold(scale, 0) == threshold(scale, 2)
