"""Measuring retrieval on a corpus whose answers are known."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ReadError
from core.ports import Services
from core.usecases.eval_retrieval import (
    Mode,
    evaluate_retrieval,
    measure_ranking,
    read_corpus,
    read_questions,
)

CORPUS = [
    {"id": "travel", "title": "Travel", "text": "Hotels are paid up to 14,000 yen a night."},
    {"id": "leave", "title": "Leave", "text": "Apply for annual leave three days before."},
    {"id": "休暇", "title": "休暇", "text": "有給休暇は3営業日前までに申請します。"},
]
QUERIES = [
    {"id": "q1", "text": "How much is paid for hotels?", "gold_doc_ids": ["travel"]},
    {"id": "q2", "text": "When do I apply for annual leave?", "gold_doc_ids": ["leave"]},
    {"id": "q3", "text": "有給休暇の申請", "gold_doc_ids": ["休暇"]},
    {"id": "q4", "text": "zebra giraffe", "gold_doc_ids": []},
]


@pytest.mark.parametrize("mode", ["keyword", "vector", "hybrid"])
async def test_every_mode_reports_the_promised_keys(services: Services, mode: Mode) -> None:
    figures = await evaluate_retrieval(services, read_corpus(CORPUS), read_questions(QUERIES), mode)
    assert set(figures) >= {
        *("n", "n_answerable", "recall@1", "recall@3", "recall@10", "mrr@10", "ndcg@10"),
        *("answerable_auc", "p50_ms", "p95_ms", "index_seconds"),
    }
    assert (figures["n"], figures["n_answerable"]) == (4, 3)
    assert figures["recall@1"] == figures["mrr@10"] == figures["ndcg@10"] == 1.0


async def test_a_question_that_finds_nothing_scores_below_those_that_do(services: Services) -> None:
    figures = await evaluate_retrieval(services, read_corpus(CORPUS), read_questions(QUERIES), "keyword")
    assert figures["answerable_auc"] == 1.0


async def test_a_document_counts_by_its_best_chunk(services: Services) -> None:
    long = "\n\n".join(f"Part {n} speaks of other things. {'Words and words. ' * 120}" for n in range(5))
    corpus = [*CORPUS, {"id": "long", "title": "Long", "text": f"{long}\n\nThe zebra eats 14 giraffes."}]
    queries = [{"text": "zebra giraffes", "gold_doc_ids": ["long"]}]
    figures = await evaluate_retrieval(services, read_corpus(corpus), read_questions(queries), "keyword")
    assert figures["recall@1"] == 1.0


async def test_without_answerable_questions_ranking_figures_are_absent(services: Services) -> None:
    figures = await evaluate_retrieval(services, read_corpus(CORPUS), read_questions(QUERIES[3:]))
    assert figures["mrr@10"] is None
    assert figures["answerable_auc"] is None


def test_the_measures_of_a_known_ranking() -> None:
    ranking = ["a", "b", "c", "d"]
    made = measure_ranking([(frozenset({"b", "d"}), ranking), (frozenset({"x"}), ranking)])
    gain = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    assert made == {
        "recall@1": 0.0,
        "recall@3": 0.5,
        "recall@10": 0.5,
        "mrr@10": 0.25,
        "ndcg@10": round(gain / 2, 4),
    }


def test_what_stands_behind_the_tenth_place_does_not_count() -> None:
    ranking = [str(n) for n in range(11)]
    assert measure_ranking([(frozenset({"10"}), ranking)])["recall@10"] == 0.0


@given(st.sets(st.sampled_from("abcdefgh"), min_size=1), st.permutations(list("abcdefgh")))
def test_every_measure_is_between_0_and_1_and_recall_grows_with_k(gold: set[str], order: list[str]) -> None:
    made = measure_ranking([(frozenset(gold), order)])
    values = [value for value in made.values() if value is not None]
    assert len(values) == 5
    assert all(0.0 <= value <= 1.0 for value in values)
    assert values[:3] == sorted(values[:3])


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "a", "text": ""}],
        [{"text": "no id"}],
        [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}],
    ],
)
def test_a_wrong_corpus_is_refused(rows: list[dict[str, str]]) -> None:
    with pytest.raises(ReadError):
        read_corpus(rows)


def test_wrong_gold_is_refused_by_its_row() -> None:
    with pytest.raises(ReadError, match="Row 2"):
        read_questions([QUERIES[0], {"text": "x", "gold_doc_ids": "travel"}])
