"""Whether something other than the articles explains the contribution: length, number of sentences, model."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_ANSWERS = 30
"""Fewer answers give no correlation worth showing."""
WARNING_CORRELATION = 0.3
"""From this rank correlation on, length explains a noticeable part of the score."""


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """One answer. carried: share of its judged statements that some article carries."""

    carried: float
    characters: int
    sentences: int
    format: str
    model: str


@dataclass(frozen=True, slots=True)
class Biases:
    """length, sentences: Spearman rank correlation with `carried`, None if too few or all equal.

    by_format, by_model: name -> (answers, mean carried). warns: length or number of sentences explains
    the score.
    """

    answers: int
    length: float | None
    sentences: float | None
    by_format: dict[str, tuple[int, float]]
    by_model: dict[str, tuple[int, float]]
    warns: bool


def find_biases(answers: Sequence[AnswerFigures]) -> Biases:
    """Correlate contribution with what should not matter to it."""
    carried = np.array([answer.carried for answer in answers], dtype=np.float64)
    length = rank_correlation(carried, np.array([answer.characters for answer in answers], dtype=np.float64))
    sentences = rank_correlation(
        carried, np.array([answer.sentences for answer in answers], dtype=np.float64)
    )
    strongest = max(abs(length or 0.0), abs(sentences or 0.0))
    return Biases(
        answers=len(answers),
        length=length,
        sentences=sentences,
        by_format=_means([(answer.format, answer.carried) for answer in answers]),
        by_model=_means([(answer.model, answer.carried) for answer in answers]),
        warns=strongest >= WARNING_CORRELATION,
    )


def rank_correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """Spearman's correlation, equal values sharing a rank; None below LEAST_ANSWERS or without spread."""
    if len(one) < LEAST_ANSWERS or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def repeated_share(statements: Sequence[frozenset[str]], same: float = 0.8) -> float:
    """Share of an answer's statements that mostly repeat an earlier one.

    statements: the terms of each. same: share of a statement's terms that an earlier one has. 0 without any.
    """
    repeated = 0
    for index, terms in enumerate(statements):
        if terms and any(len(terms & earlier) >= same * len(terms) for earlier in statements[:index]):
            repeated += 1
    return repeated / len(statements) if statements else 0.0


def count_needed(statements: Sequence[tuple[frozenset[str], bool]], same: float = 0.8) -> int:
    """Count the statements that a reader needs: some article carries them, and no earlier one says them.

    statements: the terms of each, and whether it is carried. same: as for `repeated_share`.
    """
    return sum(
        carried
        and not any(len(terms & earlier) >= same * len(terms) for earlier, _ in statements[:index] if terms)
        for index, (terms, carried) in enumerate(statements)
    )


def _means(pairs: Sequence[tuple[str, float]]) -> dict[str, tuple[int, float]]:
    values: dict[str, list[float]] = defaultdict(list)
    for name, value in pairs:
        values[name].append(value)
    return {name: (len(found), sum(found) / len(found)) for name, found in sorted(values.items())}


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks
