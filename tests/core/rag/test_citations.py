"""Checked marks: what leads nowhere is removed and counted, the rest leads to its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Evaluation, Statement, Support
from core.rag.citations import check_citations, locate_citations
from core.rag.selection import Selected
from tests.core.rag.conftest import MakeCandidate


@pytest.mark.parametrize(
    ("text", "expected", "numbers", "removed"),
    [
        ("Fine [1].", "Fine [1].", (1,), 0),
        ("Wrong [7].", "Wrong.", (), 1),
        ("Both [1, 9] and [2].", "Both [1] and [2].", (1, 2), 1),
        ("Range [1-3]", "Range [1][2][3]", (1, 2, 3), 0),
        ("全角［２］です。", "全角[2]です。", (2,), 0),
        ("発明【3】、【8】。", "発明[3]、。", (3,), 1),
        ("A link [1](https://example.com) stays.", "A link [1](https://example.com) stays.", (), 0),
        ("Code `a[9]` stays [1].", "Code `a[9]` stays [1].", (1,), 0),
        ("```\nx[9]\n```\nEnd [1]", "```\nx[9]\n```\nEnd [1]", (1,), 0),
        ("Zero [0] is nobody.", "Zero is nobody.", (), 1),
    ],
)
def test_marks(text: str, expected: str, numbers: tuple[int, ...], removed: int) -> None:
    checked = check_citations(text, [1, 2, 3])
    assert " ".join(checked.text.split(" ")).replace("  ", " ") == expected
    assert (checked.numbers, checked.removed) == (numbers, removed)


@given(st.text(alphabet="ab [](),1239-`\n。［］", max_size=60))
def test_every_number_left_is_known_and_checking_again_changes_nothing(text: str) -> None:
    checked = check_citations(text, [1, 2, 3])
    assert set(checked.numbers) <= {1, 2, 3}
    again = check_citations(checked.text, [1, 2, 3])
    assert (again.text, again.removed) == (checked.text, 0)


def test_a_citation_leads_to_the_line_that_carried_its_sentence(make_candidate: MakeCandidate) -> None:
    candidate = make_candidate(1, "First line.\nSecond line.\nThird line.")
    statement = Statement(0, "Second.", 0, 7, (1,), judged=True)
    support = Support(0, "a", "v1", 1, "Second line.", True, 0.9, "supported")
    evaluation = Evaluation((statement,), ("supported",), (support,), (), "test")
    (citation,) = locate_citations([1], [Selected(1, candidate)], evaluation)
    assert (citation.quote, citation.line_start, citation.line_end) == ("Second line.", 2, 2)


def test_a_citation_without_evidence_leads_to_the_whole_source(make_candidate: MakeCandidate) -> None:
    candidate = make_candidate(1, "First line.\nSecond line.")
    (citation,) = locate_citations([1], [Selected(1, candidate)], Evaluation((), (), (), (), "test"))
    assert (citation.line_start, citation.line_end) == (1, 2)
