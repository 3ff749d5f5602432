from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.providers.bm25 import NO_TERMS, match_packed, pack_terms, score_packed, term_token, weigh_terms

TERMS = st.lists(st.text(max_size=4), max_size=12)


def score(question: dict[str, int], bags: list[list[str]], chunks: int, average: float) -> list[float]:
    packed = [pack_terms(bag) for bag in bags]
    return [float(value) for value in score_packed(packed, average, weigh_terms(question, chunks))]


def test_score_is_the_published_formula() -> None:
    expected = math.log(1 + (5 - 2 + 0.5) / (2 + 0.5)) * 3 * 2.5 / (3 + 1.5 * (0.25 + 0.75 * 4 / 8))
    assert score({"a": 2}, [["a", "b", "a", "a"]], 5, 8.0) == pytest.approx([expected], abs=1e-12)


def test_a_bag_without_the_term_scores_nothing() -> None:
    assert score({"z": 1}, [["a"], []], 5, 8.0) == [0.0, 0.0]


def test_no_question_terms_score_nothing() -> None:
    assert score({}, [["a"]], 5, 8.0) == [0.0]


def test_no_bags_have_no_scores() -> None:
    assert score({"a": 1}, [], 5, 8.0) == []


def test_a_term_in_every_chunk_still_scores_above_zero() -> None:
    assert score({"a": 5}, [["a"]], 5, 1.0)[0] > 0


@given(TERMS)
def test_equal_sequences_pack_to_equal_bytes_with_an_entry_a_term_and_a_pair(terms: list[str]) -> None:
    packed = pack_terms(terms)
    assert packed == pack_terms(list(terms))
    assert len(packed.terms) == 8 * len(set(terms))
    assert len(packed.pairs) == 4 * len(set(pairwise(terms)))
    assert packed.length == len(terms)


@given(st.text())
def test_a_token_is_twelve_plain_characters(term: str) -> None:
    token = term_token(term)
    assert len(token) == 12
    assert token.isascii()
    assert token.isalnum()


@given(st.lists(TERMS, min_size=1, max_size=6), TERMS)
def test_scoring_together_equals_scoring_apart(bags: list[list[str]], question: list[str]) -> None:
    frequencies = {term: sum(term in bag for bag in bags) for term in question}
    average = max(1.0, sum(map(len, bags)) / len(bags))
    together = score(frequencies, bags, len(bags), average)
    assert together == [score(frequencies, [bag], len(bags), average)[0] for bag in bags]


def test_a_match_tells_what_is_covered_and_which_neighbours_stay_neighbours() -> None:
    question = weigh_terms({"a": 1, "b": 1, "c": 1}, 4)
    idf = math.log(1 + 3.5 / 1.5)
    chunks = [pack_terms(["b", "c", "a"]), pack_terms(["a", "b", "c"]), pack_terms(["c"]), NO_TERMS]
    match = match_packed(chunks, 3.0, question)
    assert match.covered == pytest.approx([3 * idf, 3 * idf, idf, 0])
    assert match.pairs == pytest.approx([0.5, 1, 0, 0])
    assert match.mass == pytest.approx(3 * idf)
    assert match.bm25 == pytest.approx(score_packed(chunks, 3.0, question))


def test_a_question_of_one_term_has_no_neighbours() -> None:
    match = match_packed([pack_terms(["a"])], 1.0, weigh_terms({"a": 1}, 1))
    assert match.pairs.tolist() == [0.0]


@given(st.lists(TERMS, min_size=1, max_size=5), st.lists(st.text(max_size=2), max_size=6, unique=True))
def test_the_pairs_of_a_match_are_those_of_the_plain_texts(bags: list[list[str]], terms: list[str]) -> None:
    frequencies = {term: sum(term in bag for bag in bags) for term in terms}
    weights = {term: math.log(1 + (len(bags) - df + 0.5) / (df + 0.5)) for term, df in frequencies.items()}
    wanted = {pair: min(weights[pair[0]], weights[pair[1]]) for pair in pairwise(terms)}
    expected = [
        sum(weight for pair, weight in wanted.items() if pair in set(pairwise(bag)))
        / (sum(wanted.values()) or 1)
        for bag in bags
    ]
    match = match_packed([pack_terms(bag) for bag in bags], 5.0, weigh_terms(frequencies, len(bags)))
    assert match.pairs == pytest.approx(expected)
