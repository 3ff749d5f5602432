"""Merging rankings: the tutorial's figures, order, ties and refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Hit
from core.rag.fusion import fuse_rankings, fuse_scores

TRAVEL, EXPENSES, REMOTE, COMPUTER = 1, 2, 3, 4


def hits(*chunk_ids: int) -> list[Hit]:
    return [Hit(chunk_id, 1.0 / position) for position, chunk_id in enumerate(chunk_ids, start=1)]


def test_reciprocal_ranks_give_the_published_figures() -> None:
    fused = fuse_rankings({"a": hits(TRAVEL, EXPENSES, REMOTE), "b": hits(EXPENSES, COMPUTER, TRAVEL)}, k=60)
    figures = [(hit.chunk_id, round(hit.score, 4)) for hit in fused]
    assert figures == [(EXPENSES, 0.0325), (TRAVEL, 0.0323), (COMPUTER, 0.0161), (REMOTE, 0.0159)]


def test_equal_scores_are_ordered_by_chunk_id() -> None:
    assert [h.chunk_id for h in fuse_rankings({"a": hits(9, 3), "b": hits(3, 9)})] == [3, 9]


def test_weighted_scores_are_scaled_inside_each_ranking() -> None:
    rankings = {"keyword": [Hit(1, 30.0), Hit(2, 20.0), Hit(3, 10.0)], "vector": [Hit(2, 0.9), Hit(1, 0.1)]}
    fused = fuse_scores(rankings, {"keyword": 0.4, "vector": 0.6})
    assert [(h.chunk_id, round(h.score, 6)) for h in fused] == [(2, 0.8), (1, 0.4), (3, 0.0)]


def test_a_ranking_of_one_counts_fully() -> None:
    assert fuse_scores({"keyword": [Hit(7, 0.2)]}, {"keyword": 0.5})[0].score == 0.5


@pytest.mark.parametrize("fuse", [fuse_rankings, lambda r: fuse_scores(r, {"a": 1.0})])
def test_a_repeated_chunk_is_refused(fuse: object) -> None:
    assert callable(fuse)
    with pytest.raises(ValueError, match="repeats"):
        fuse({"a": [Hit(1, 1.0), Hit(1, 0.5)]})


def test_damping_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="k must"):
        fuse_rankings({}, k=0)


rankings = st.dictionaries(
    st.sampled_from(["a", "b", "c"]), st.lists(st.integers(0, 30), unique=True).map(lambda ids: hits(*ids))
)


@given(rankings)
def test_every_chunk_comes_once_and_best_first(ranking: dict[str, list[Hit]]) -> None:
    for fused in (fuse_rankings(ranking), fuse_scores(ranking, dict.fromkeys("abc", 1.0))):
        ids = [h.chunk_id for h in fused]
        assert sorted(ids) == sorted({h.chunk_id for found in ranking.values() for h in found})
        scores = [h.score for h in fused]
        assert scores == sorted(scores, reverse=True)
