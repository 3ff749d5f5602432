"""From measured features to an order and to one calibrated relevance in [0, 1]; the weights are data.

Nothing is rescaled inside a question, so scores and relevances of different questions can be compared:
that is what lets one threshold, and the question "does anything answer this", work at all.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]

FEATURES = ("bm25", "covered", "chunk", "line", "heading", "article", "pairs")
"""Of a question and a chunk, in the order of the weights:
bm25: the formula's score / 10. covered: idf mass of the shared terms / root of the question's idf mass.
chunk, line, heading: cosine of the question with the chunk, its best line, its breadcrumb.
article: cosine with the article's centre, less that with the chunk. pairs: see TermMatch."""

KIND_BOOST = {"core": 0.4, "document": 0.0, "memory": -0.2, "conversation": -0.4}
RECENCY_BOOST = 0.1
RECENCY_HALF_LIFE_DAYS = 365.0

FITTED_FROM = 75
"""Chunks of the smallest knowledge base that the weights were fitted on."""
SMALL_SHARE = 2.0
"""Log odds for holding all words of the question, where next to nothing else could hold them by chance."""


@dataclass(frozen=True, slots=True)
class CosineScale:
    """Mean and spread of the cosines between unrelated texts: how a model's cosines are to be read."""

    mean: float
    spread: float

    def translate(self, cosines: Column, to: CosineScale) -> Column:
        """The cosines that a model of the other scale would have given for texts as far from unrelated."""
        return to.mean + (cosines - self.mean) * (to.spread / max(self.spread, 1e-6))


@dataclass(frozen=True, slots=True)
class RankingModel:
    """What orders candidates and what makes their relevance.

    weights: of FEATURES. relevance: log odds as a sum over its terms; "score" is the weighted sum of the
    features, "root" the root of the question's idf mass, "share" the covered share of it. embedder: beginning
    of the id of the model that both were fitted with, scale: its cosines. version: recorded with what it
    decided.
    """

    version: str
    embedder: str
    weights: Column
    relevance: Mapping[str, float]
    scale: CosineScale


@cache
def load_ranking_model() -> RankingModel:
    """The weights that Kiyo ships; `python -m tests.bench.fit_ranking` makes them."""
    content = json.loads((files("core.rag") / "ranking_weights.json").read_text(encoding="utf-8"))
    return RankingModel(
        version=content["version"],
        embedder=content["model"],
        weights=np.array([content["weights"][name] for name in FEATURES], dtype=np.float64),
        relevance=content["relevance"],
        scale=CosineScale(**content["scale"]),
    )


def score_features(table: Column, model: RankingModel) -> Column:
    """(n,) the order of the candidates, higher is better. table: (n, len(FEATURES))."""
    return table @ model.weights


def calibrate_relevance(
    table: Column, mass: float, model: RankingModel, boosts: Column | None = None
) -> Column:
    """(n,) in [0, 1]: how likely each chunk holds the answer.

    mass: idf mass of the question's terms. boosts: (n,) log odds to add, for kind and recency.
    """
    root = float(np.sqrt(max(mass, 1e-6)))
    named = dict(zip(FEATURES, table.T, strict=True))
    columns: dict[str, Column | float] = {
        **named,
        "score": score_features(table, model),
        "root": root,
        "share": named["covered"] / root,
        "offset": 1.0,
    }
    logit = np.zeros(len(table)) if boosts is None else boosts.astype(np.float64)
    for name, weight in model.relevance.items():
        logit = logit + weight * columns[name]
    return 1.0 / (1.0 + np.exp(-logit))


def stretch_of(chunks: int) -> float:
    """What idf is multiplied with, so that a rare word weighs in a few files what it weighs in those that
    the weights were fitted on; 1 from FITTED_FROM chunks on."""
    return _rarest_idf(FITTED_FROM) / _rarest_idf(min(max(chunks, 1), FITTED_FROM))


def small_bonus(shares: Column, chunks: int) -> Column:
    """(n,) log odds to add in a knowledge base of few chunks, where off-topic questions share no words.

    shares: (n,) of the question's idf mass that each chunk holds. 0 from FITTED_FROM chunks on.
    """
    return SMALL_SHARE * (1.0 - 1.0 / stretch_of(chunks)) * shares


def _rarest_idf(chunks: int) -> float:
    """Of a word that one chunk of so many holds."""
    return math.log1p((chunks - 0.5) / 1.5)


def boost(kind: str, age_days: float) -> float:
    """Log odds that an article's kind and freshness add to its relevance."""
    freshness = float(0.5 ** (max(age_days, 0.0) / RECENCY_HALF_LIFE_DAYS))
    return KIND_BOOST[kind] + RECENCY_BOOST * freshness
