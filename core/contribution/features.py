"""What a statement and a line have in common, as numbers between 0 and 1 that the support model weighs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.text.terms import content_terms

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TermStats:
    """How rare terms are: in how many of `documents` texts each term occurs; an unknown term is as rare as can be."""

    documents: int = 0
    frequencies: Mapping[str, int] = field(default_factory=dict)

    def weight(self, term: str) -> float:
        """Inverse document frequency ln(1 + (N - df + 0.5) / (df + 0.5)), damped for small collections."""
        frequency = self.frequencies.get(term, 0)
        return math.log(1 + (self.documents + 10 - frequency + 0.5) / (frequency + 0.5))


def count_terms(texts: Iterable[str]) -> TermStats:
    """Count in how many of the texts each term occurs."""
    frequencies: dict[str, int] = {}
    documents = 0
    for text in texts:
        documents += 1
        for term in set(terms_of(text)):
            frequencies[term] = frequencies.get(term, 0) + 1
    return TermStats(documents, frequencies)


@lru_cache(maxsize=65536)
def terms_of(text: str) -> tuple[str, ...]:
    """List the distinct content terms of a text; for asking a keyword index how rare they are."""
    return tuple(content_terms(text))


def coverage(statement: str, texts: Sequence[str], stats: TermStats) -> NDArray[np.float64]:
    """Share of a statement's terms, weighted by rarity, that each text holds; 0 for a statement without terms."""
    terms = terms_of(statement)
    weights = np.array([stats.weight(term) for term in terms])
    if not terms:
        return np.zeros(len(texts))
    held = np.array([[term in words for term in terms] for words in (set(terms_of(text)) for text in texts)])
    return (held.reshape(len(texts), len(terms)) @ weights) / weights.sum()
