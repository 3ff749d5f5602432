import numpy as np
import pytest

from core.contribution.biases import (
    AnswerFigures,
    count_needed,
    find_biases,
    rank_correlation,
    repeated_share,
)


def answers(carried: list[float], characters: list[int]) -> list[AnswerFigures]:
    return [
        AnswerFigures(share, length, 3, "prose" if index % 2 else "markdown", "model")
        for index, (share, length) in enumerate(zip(carried, characters, strict=True))
    ]


def test_a_warning_when_length_explains_the_score() -> None:
    found = find_biases(answers([i / 40 for i in range(40)], [100 + 10 * i for i in range(40)]))
    assert found.length == pytest.approx(1.0)
    assert found.warns


def test_no_warning_when_it_does_not() -> None:
    generator = np.random.default_rng(1)
    found = find_biases(answers(generator.random(400).tolist(), generator.integers(50, 900, 400).tolist()))
    assert found.length is not None
    assert abs(found.length) < 0.2
    assert not found.warns
    assert found.sentences is None
    assert found.by_format["prose"][0] == 200


def test_too_few_answers_have_no_correlation() -> None:
    assert find_biases(answers([0.1, 0.9], [1, 2])).length is None
    assert find_biases([]).by_model == {}


def test_rank_correlation_ignores_the_scale() -> None:
    values = np.arange(40.0)
    assert rank_correlation(values, np.exp(values / 10)) == pytest.approx(1.0)
    assert rank_correlation(values, -values) == pytest.approx(-1.0)


def test_repeated_statements_are_counted() -> None:
    one, other = frozenset({"refund", "14", "day"}), frozenset({"voucher", "cash"})
    assert repeated_share([one, other, one, frozenset()]) == 0.25
    assert repeated_share([]) == 0.0


def test_a_reader_needs_what_is_carried_and_not_said_before() -> None:
    refund, voucher = frozenset({"refund", "14", "day"}), frozenset({"voucher", "cash"})
    assert count_needed([(refund, True), (voucher, True), (refund, True)]) == 2
    assert count_needed([(refund, False), (voucher, True)]) == 1
    assert count_needed([(frozenset(), True)]) == 1
    assert count_needed([]) == 0
