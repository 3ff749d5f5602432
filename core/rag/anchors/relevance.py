"""How likely a place holds the answer, calibrated, on the scale of the thresholds that all retrieval shares.

Fitted by logistic regression on 870 questions about documents of the development sets, each asked of its own
document and of an unrelated one; left out one kind of document at a time, the expected calibration error is
0.04, and at 0.3 the first place is kept for 92 % of the questions that it answers and 4 % of the unrelated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.rag.anchors.aggregation import NAMED, AnchorCandidate
from core.rag.relevance import CosineScale

CLEAN = 0.9
"""A place that alone holds all keywords of a point question; 95 % of them answered."""
_WITH_MEANING = {"score": 1.33, "line": 0.22, "unit": 0.41, "margin": 2.01, "first": 1.64, "offset": -4.90}
_WORDS_ALONE = {"words": 1.10, "distinct": 0.67, "margin": 1.75, "first": 1.89, "offset": -4.01}
_MOST_DISTINCT = 4


def calibrate_anchors(
    candidates: Sequence[AnchorCandidate], scale: CosineScale | None, *, clean: bool = False
) -> list[float]:
    """In [0, 1], for candidates that are ordered by their scores, best first.

    scale: of the cosines, None where words alone were compared. clean: the first one settles the question.
    """
    return [
        CLEAN if clean and rank == 0 else _squash(_features(candidates, rank, scale))
        for rank in range(len(candidates))
    ]


def _features(
    candidates: Sequence[AnchorCandidate], rank: int, scale: CosineScale | None
) -> tuple[dict[str, float], dict[str, float]]:
    one = candidates[rank]
    first = {"first": 1.0 if rank == 0 else 0.0, "offset": 1.0, "margin": 0.0}
    following = candidates[1] if len(candidates) > 1 else None
    if scale is None or one.cosine < -0.99:
        if rank == 0:
            first["margin"] = one.words - (following.words if following else 0.0)
        distinct = min(one.distinct, _MOST_DISTINCT)
        return _WORDS_ALONE, {**first, "words": one.words, "distinct": float(distinct)}
    if rank == 0:
        first["margin"] = one.score - following.score if following else 1.0
    score = one.score - NAMED * one.named
    unit = _deviation(one.cosine if one.unit_cosine is None else one.unit_cosine, scale)
    line = _deviation(one.cosine if one.line is None else one.line, scale)
    return _WITH_MEANING, {**first, "score": score, "line": line, "unit": unit}


def _deviation(cosine: float, scale: CosineScale) -> float:
    return (cosine - scale.mean) / max(scale.spread, 1e-6)


def _squash(weighted: tuple[dict[str, float], dict[str, float]]) -> float:
    weights, values = weighted
    return 1.0 / (1.0 + math.exp(-sum(weights[name] * value for name, value in values.items())))
