from __future__ import annotations

import numpy as np
import pytest

from core.domain import Chunk, Line, Section
from core.rag.anchors.tables import build_tables, choose_unit_kind
from tests.core.rag.anchors.documents import Part, article, document


def test_a_section_is_a_unit_of_its_own_lines_without_its_subsections() -> None:
    tables = document(
        Part("One", ("a", "b")), Part("Inner", ("c",), level=2), Part("Two", ("d",)), Part("Three", ("e",))
    )
    assert tables.unit_kind == "section"
    assert [(unit.title, unit.lines) for unit in tables.units] == [
        ("One", (0, 1, 2)),
        ("Inner", (3, 4)),
        ("Two", (5, 6)),
        ("Three", (7, 8)),
    ]


def test_three_headings_are_too_few_to_tell_where_things_stand() -> None:
    parts = [Part(f"P{n}", ("x",), page=n) for n in range(1, 4)]
    tables = document(*parts)
    assert tables.unit_kind == "page"
    assert [unit.title for unit in tables.units] == [f"Manual, page {n}" for n in (1, 2, 3)]


def test_without_pages_lines_belong_to_the_chunk_that_holds_their_end() -> None:
    sections = [Section(0, 0, "T", None, "T")]
    lines = [Line(n, 0, "sentence", f"l{n}", 0, 0, None, n + 1, n + 1) for n in range(4)]
    chunks = [Chunk(0, 0, "", 0, 0, 0, 1, 1, "T"), Chunk(1, 0, "", 0, 0, 1, 3, 1, "T")]
    tables = build_tables(article(), sections, lines, chunks)
    assert [(unit.kind, unit.lines) for unit in tables.units] == [("chunk", (0, 1)), ("chunk", (2, 3))]


def test_one_page_is_no_unit() -> None:
    sections = [Section(0, 0, "T", None, "T")]
    lines = [Line(0, 0, "sentence", "x", 0, 0, 1, 1, 1)]
    assert choose_unit_kind(sections, lines) == "chunk"


def test_offsets_lead_to_their_lines() -> None:
    tables = document(Part("One", ("ｆｕｌｌ width", "two\nrows")))
    at = [tables.text.index("full"), tables.text.index("rows")]
    assert tables.lines_at(np.array(at)).tolist() == [1, 2]
    assert tables.text.count("\n") == len(tables.lines) - 1


def test_an_article_without_lines_is_refused() -> None:
    with pytest.raises(ValueError, match="no lines"):
        build_tables(article(), [Section(0, 0, "T", None, "T")], [], [])
