from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Principal
from core.errors import AskerError
from core.lab_requests import (
    LabQuestion,
    LabRequest,
    LabSettings,
    lab_payload,
    measure_ranks,
    read_lab,
    read_question_lines,
    read_settings,
    write_question_lines,
)

ANA = Principal("ana", frozenset({"public", "managers"}))


def test_a_request_comes_back_from_its_payload() -> None:
    settings = LabSettings(mode="anchors", fusion="rrf", max_results=3)
    request = LabRequest((LabQuestion("When?", ("docs:a.md",)),), ANA, settings, detailed=True)
    assert read_lab(lab_payload(request)) == request


@pytest.mark.parametrize("questions", [(), (LabQuestion(" "),), (LabQuestion("x" * 2001),)])
def test_what_cannot_be_asked_is_refused(questions: tuple[LabQuestion, ...]) -> None:
    with pytest.raises(AskerError):
        lab_payload(LabRequest(questions, ANA))


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(AskerError, match="colour"):
        read_settings({"colour": "red"})
    with pytest.raises(AskerError, match="mode"):
        read_settings({"mode": "magic"})


words = st.text(st.characters(categories=("L", "N"), include_characters=" ?。"), min_size=1).map(str.strip)
ids = st.lists(st.text("abc:/.漢", min_size=1), min_size=1, max_size=3)


@given(st.lists(st.builds(LabQuestion, words.filter(bool), ids.map(tuple))))
def test_lines_are_read_as_they_are_written(questions: list[LabQuestion]) -> None:
    assert list(read_question_lines(write_question_lines(questions))) == questions


def test_a_line_without_an_article_is_named() -> None:
    with pytest.raises(AskerError, match="Line 3"):
        read_question_lines("One\tdocs:a.md\n\nTwo")


@given(st.lists(st.none() | st.integers(1, 50), max_size=30))
def test_figures_of_ranks_are_shares_and_grow_with_k(ranks: list[int | None]) -> None:
    found = measure_ranks(ranks)
    assert 0 <= found["recall_at_1"] <= found["recall_at_5"] <= found["recall_at_10"] <= 1
    assert found["recall_at_1"] <= found["mrr"] <= 1
    assert found["n"] == len(ranks)


def test_the_mean_reciprocal_rank_counts_what_was_not_found_as_nothing() -> None:
    assert measure_ranks([1, 2, None, 4])["mrr"] == pytest.approx((1 + 0.5 + 0.25) / 4)
