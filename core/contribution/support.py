"""The independent check: how probable is it that a line of an article supports a statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import TermStats, coverage
from core.domain import ArticleId, LineRef


@dataclass(frozen=True, slots=True)
class PairVectors:
    """Unit vectors of one model: statements (n_statements, d), lines (n_lines, d); a zero row has no cosine."""

    statements: NDArray[np.float32]
    lines: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SupportModel:
    """A logistic model whose coefficients are data."""

    version: str
    intercept: float
    weights: Mapping[str, float]
    threshold: float

    def probability(self, features: Mapping[str, float]) -> float:
        """Calibrated probability that a pair with these features is supported."""
        total = self.intercept + sum(self.explain(features).values())
        return float(1 / (1 + np.exp(-total)))

    def explain(self, features: Mapping[str, float]) -> dict[str, float]:
        """How much each feature adds to the log odds."""
        return {name: weight * features.get(name, 0.0) for name, weight in self.weights.items()}


def load_model() -> SupportModel:
    """Load the coefficients that Kiyo ships."""
    weights = {"line_coverage": 3.0, "span_coverage": 5.0, "cosine": 2.0}
    return SupportModel("support-0", -5.0, weights, 0.5)


@dataclass(frozen=True, slots=True)
class PairScore:
    """The best line of an article for a statement. line: index into the lines that were scored."""

    article_id: ArticleId
    line: int
    probability: float
    features: Mapping[str, float]


def score_statement(
    statement: str, lines: Sequence[LineRef], cosines: Sequence[float] | None, stats: TermStats, model: SupportModel
) -> list[PairScore]:
    """Give the best line of every article for one statement, articles in order of first appearance."""
    by_article: dict[ArticleId, list[int]] = {}
    for index, ref in enumerate(lines):
        by_article.setdefault(ref.article_id, []).append(index)
    line_coverage = coverage(statement, [ref.line.text for ref in lines], stats)
    scores = []
    for article_id, indexes in by_article.items():
        span = " \n".join(lines[index].line.text for index in indexes)
        span_coverage = float(coverage(statement, [f"{lines[indexes[0]].heading}\n{span}"], stats)[0])
        best: PairScore | None = None
        for index in indexes:
            features = {
                "line_coverage": float(line_coverage[index]),
                "span_coverage": span_coverage,
                "cosine": max(0.0, float(cosines[index])) if cosines is not None else 0.0,
            }
            probability = model.probability(features)
            if best is None or probability > best.probability:
                best = PairScore(article_id, index, probability, features)
        if best is not None:
            scores.append(best)
    return scores
