from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import Candidate
from core.usecases.anchor_documents import choose_documents
from tests.core.rag.conftest import MakeCandidate, make_candidate

__all__ = ["make_candidate"]


@pytest.fixture
def ranked(make_candidate: MakeCandidate) -> list[Candidate]:
    titles = {"a": "Pump manual for winters", "b": "Leave", "c": "就業規則の手引き", "d": "Leave policy"}
    relevances = [("b", 0.8), ("a", 0.6), ("b", 0.5), ("c", 0.45), ("d", 0.1)]
    return [
        make_candidate(n, f"text {n}", relevance, article, titles[article])
        for n, (article, relevance) in enumerate(relevances, start=1)
    ]


def test_articles_come_by_their_best_chunk(ranked: list[Candidate]) -> None:
    assert choose_documents("What?", ranked, 3, 0.0) == ["b", "a", "c"]
    assert choose_documents("What?", ranked, 9, 0.0) == ["b", "a", "c", "d"]


def test_a_further_article_needs_a_share_of_the_best_relevance(ranked: list[Candidate]) -> None:
    assert choose_documents("What?", ranked, 9, 0.7) == ["b", "a"]


def test_nothing_ranked_is_nothing_chosen() -> None:
    assert choose_documents("What?", [], 3, 0.5) == []


@pytest.mark.parametrize(
    ("question", "chosen"),
    [
        ("What does d.md say?", ["d"]),
        ("What does the pump manual for winters say?", ["a"]),
        ("就業規則の手引きには何とありますか", ["c"]),
        ('What does "Leave" say?', ["b"]),
        ("How do I leave?", ["b", "a", "c", "d"]),
        ("What about old-d.md?", ["b", "a", "c", "d"]),
    ],
)
def test_an_article_that_is_named_is_chosen_alone(
    ranked: list[Candidate], question: str, chosen: list[str]
) -> None:
    assert choose_documents(question, ranked, 9, 0.0) == chosen


def test_names_are_compared_without_case_and_width(ranked: list[Candidate]) -> None:
    renamed = [replace(c, article=replace(c.article, path=f"X/{c.article.id.upper()}.MD")) for c in ranked]
    assert choose_documents("Ｄ.md ?", renamed, 9, 0.0) == ["d"]
