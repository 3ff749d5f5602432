"""What stands in the prompt: threshold, order, diversity, duplicates, budget."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain import Candidate
from core.rag.selection import SelectionSettings, list_exposures, select_within_budget
from tests.core.rag.conftest import MakeCandidate


def limits(
    max_results: int = 10,
    threshold: float = 0.0,
    budget: int = 1000,
    strategy: Literal["top_k", "mmr"] = "top_k",
    mmr_lambda: float = 0.7,
) -> SelectionSettings:
    return SelectionSettings(max_results, threshold, budget, strategy, mmr_lambda)


def unit(*values: float) -> Any:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def flat(candidates: list[Candidate], cost: int = 10) -> dict[int, int]:
    return {c.chunk_id: cost for c in candidates}


def test_the_threshold_cuts_by_relevance(make_candidate: MakeCandidate) -> None:
    candidates = [make_candidate(1, "one", 0.31), make_candidate(2, "two", 0.29)]
    selection = select_within_budget(candidates, limits(threshold=0.3), {}, flat(candidates))
    assert [s.candidate.chunk_id for s in selection.sources] == [1]
    assert [(c.chunk_id, why) for c, why in selection.cut] == [(2, "below the threshold")]


def test_a_candidate_over_the_budget_is_cut_and_a_smaller_one_still_fits(
    make_candidate: MakeCandidate,
) -> None:
    candidates = [make_candidate(i, f"text {i}", 0.9 - i / 10) for i in range(3)]
    selection = select_within_budget(candidates, limits(budget=50), {}, {0: 40, 1: 30, 2: 10})
    assert [s.candidate.chunk_id for s in selection.sources] == [0, 2]
    assert [(c.chunk_id, why) for c, why in selection.cut] == [(1, "over the token budget")]


def test_equal_texts_stand_once_and_both_articles_are_in_the_ledger(make_candidate: MakeCandidate) -> None:
    candidates = [
        make_candidate(1, "The same  text.", article="a"),
        make_candidate(2, "Ｔhe same text.", article="b"),
    ]
    selection = select_within_budget(candidates, limits(), {}, flat(candidates))
    assert len(selection.sources) == 1
    exposures = list_exposures(selection, flat(candidates))
    assert [(e.article_id, e.source_number, e.in_prompt) for e in exposures] == [
        ("a", 1, True),
        ("b", 1, True),
    ]


def test_mmr_prefers_what_is_not_said_yet(make_candidate: MakeCandidate) -> None:
    candidates = [
        make_candidate(1, "a", 0.9),
        make_candidate(2, "b", 0.89),
        make_candidate(3, "c", 0.8),
    ]
    vectors = {1: unit(1, 0), 2: unit(1, 0.01), 3: unit(0, 1)}
    chosen = select_within_budget(
        candidates, limits(max_results=2, strategy="mmr", mmr_lambda=0.5), vectors, flat(candidates)
    )
    assert [s.candidate.chunk_id for s in chosen.sources] == [1, 3]


def test_mmr_with_lambda_one_orders_like_top_k(make_candidate: MakeCandidate) -> None:
    candidates = [make_candidate(i, f"t{i}", 0.9 - i / 20) for i in range(6)]
    vectors = {c.chunk_id: unit(1, c.chunk_id % 2) for c in candidates}
    plain = select_within_budget(candidates, limits(max_results=3), vectors, flat(candidates))
    mmr = select_within_budget(
        candidates, limits(max_results=3, strategy="mmr", mmr_lambda=1.0), vectors, flat(candidates)
    )
    assert [s.candidate.chunk_id for s in mmr.sources] == [s.candidate.chunk_id for s in plain.sources]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    costs=st.lists(st.integers(1, 60), max_size=12),
    budget=st.integers(1, 120),
    most=st.integers(1, 6),
    strategy=st.sampled_from(["top_k", "mmr"]),
)
def test_the_budget_holds_and_nothing_is_lost(
    make_candidate: MakeCandidate,
    costs: list[int],
    budget: int,
    most: int,
    strategy: Literal["top_k", "mmr"],
) -> None:
    candidates = [make_candidate(i, f"text {i % 7}", 1.0 - i / 20) for i in range(len(costs))]
    vectors = {i: unit(1, i) for i in range(len(costs))}
    selection = select_within_budget(
        candidates, limits(most, 0.0, budget, strategy), vectors, dict(enumerate(costs))
    )
    assert sum(costs[s.candidate.chunk_id] for s in selection.sources) <= budget
    assert len(selection.sources) <= most
    assert [s.number for s in selection.sources] == list(range(1, len(selection.sources) + 1))
    exposures = list_exposures(selection, dict(enumerate(costs)))
    assert sorted(e.chunk_id for e in exposures if e.chunk_id is not None) == list(range(len(costs)))
