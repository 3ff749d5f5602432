"""Figures of a drawn sample that hold for everything it was drawn from: each pair counts 1 / inclusion."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.contribution.metrics import Bin, Decision, bootstrap_interval, calibration_error

LEAST_ACCEPTED = 15
"""A precision reached by fewer pairs is chance."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sample:
    """Labelled pairs, (n,) each. labels: supported or not. probabilities: what the check says.

    weights: how many pairs each stands for. groups: pairs of one answer are drawn together.
    """

    labels: Bools
    probabilities: Floats
    weights: Floats
    groups: tuple[Hashable, ...]

    def part(self, rows: Rows) -> Sample:
        groups = tuple(self.groups[row] for row in rows)
        return Sample(self.labels[rows], self.probabilities[rows], self.weights[rows], groups)

    def resampled(self, rows: Rows) -> Sample:
        """The same for a bootstrap draw, which needs no groups any more."""
        return Sample(self.labels[rows], self.probabilities[rows], self.weights[rows], ())


def decide_weighted(sample: Sample, threshold: float) -> Decision:
    """How yes-or-no decisions at a threshold agree with people, over the population."""
    said = sample.probabilities >= threshold
    weights = sample.weights
    return _decision(
        threshold,
        float(weights[said & sample.labels].sum()),
        float(weights[said].sum()),
        (float(weights[sample.labels].sum()), float(weights.sum())),
    )


def curve(sample: Sample) -> list[Decision]:
    """The decisions at every distinct probability, highest first: the ROC and precision-recall curves."""
    thresholds, hits, said = _cumulate(sample)
    totals = (float(hits[-1]), float(said[-1])) if len(said) else (0.0, 0.0)
    return [
        _decision(float(threshold), float(hit), float(all_), totals)
        for threshold, hit, all_ in zip(thresholds, hits, said, strict=True)
    ]


def area(sample: Sample) -> float | None:
    """Area under the ROC curve, by trapezes, which counts ties half; None without both verdicts."""
    if sample.labels.all() or not sample.labels.any():
        return None
    _, hits, said = _cumulate(sample)
    recall = np.append(0.0, hits / hits[-1])
    false_alarms = np.append(0.0, (said - hits) / (said[-1] - hits[-1]))
    return float((np.diff(false_alarms) * (recall[1:] + recall[:-1]) / 2).sum())


def _cumulate(sample: Sample) -> tuple[Floats, Floats, Floats]:
    """Distinct probabilities, highest first; for each the weight of supported and of all pairs from it up."""
    order = np.argsort(-sample.probabilities, kind="stable")
    ranked, weights = sample.probabilities[order], sample.weights[order]
    last_of_value = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True)) if len(ranked) else order
    hits, said = np.cumsum(weights * sample.labels[order]), np.cumsum(weights)
    return ranked[last_of_value], hits[last_of_value], said[last_of_value]


def bins(sample: Sample, count: int = 10) -> list[Bin]:
    """Pairs ordered by probability, in bins that stand for about equally many; `count` of a bin is what it
    stands for."""
    if not len(sample.labels):
        return []
    places = place_in_bins(sample, count)
    found = []
    for place in np.unique(places):
        rows = np.flatnonzero(places == place)
        share = sample.weights[rows]
        found.append(
            Bin(
                float(np.average(sample.probabilities[rows], weights=share)),
                float(np.average(sample.labels[rows], weights=share)),
                round(float(share.sum())),
            )
        )
    return found


def place_in_bins(sample: Sample, count: int = 10) -> Rows:
    """Bin of each pair, (n,), from the least probable ones up; bins stand for about equally many pairs."""
    order = np.argsort(sample.probabilities, kind="stable")
    weights = sample.weights[order]
    middles = (np.cumsum(weights) - weights / 2) / weights.sum()
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.minimum((middles * count).astype(int), count - 1)
    return places


def choose_threshold(sample: Sample, wanted_precision: float | None) -> float | None:
    """The threshold of highest balanced accuracy, the middle one among equals; or, for a wanted precision,
    the one of highest recall that reaches it with LEAST_ACCEPTED pairs at least. None where there is none."""
    points = curve(sample)
    if wanted_precision is not None:
        enough = np.sort(sample.probabilities)[-LEAST_ACCEPTED:][:1]
        good = [
            point
            for point in points
            if point.precision >= wanted_precision and len(enough) and point.threshold <= enough[0]
        ]
        best = max(good, key=lambda point: (point.recall, point.threshold), default=None)
        return best.threshold if best is not None else None
    if sample.labels.all() or not sample.labels.any():
        return None
    highest = max(point.balanced_accuracy for point in points)
    equal = [point for point in points if point.balanced_accuracy >= highest - 1e-12]
    return equal[len(equal) // 2].threshold


def describe(sample: Sample, threshold: float) -> dict[str, Any]:
    """All figures at a threshold with intervals of 95 %, resampled by group.

    Keys: n, n_supported, stands_for, threshold, agreement (share of pairs decided as people do), precision,
    recall, f1, balanced_accuracy, auc, ece, ci (the same names), bins (said, observed, n), curve (threshold,
    precision, recall, false_alarms), thinned to at most 50 points.
    """
    return {
        "n": len(sample.labels),
        "n_supported": int(sample.labels.sum()),
        "stands_for": round(float(sample.weights.sum())),
        "threshold": threshold,
        **{name: figure(sample) for name, figure in _figures(threshold).items()},
        "ci": {name: _interval(sample, figure) for name, figure in _figures(threshold).items()},
        "bins": [{"said": one.said, "observed": one.observed, "n": one.count} for one in bins(sample)],
        "curve": _thinned(curve(sample)),
    }


def _figures(threshold: float) -> dict[str, Callable[[Sample], float | None]]:
    def of_decision(name: str) -> Callable[[Sample], float | None]:
        def figure(sample: Sample) -> float | None:
            if not len(sample.labels) or sample.labels.all() or not sample.labels.any():
                return None
            return float(getattr(decide_weighted(sample, threshold), name))

        return figure

    return {
        "agreement": lambda sample: _agreement(sample, threshold),
        **{name: of_decision(name) for name in ("precision", "recall", "f1", "balanced_accuracy")},
        "auc": area,
        "ece": lambda sample: calibration_error(bins(sample)),
    }


def _agreement(sample: Sample, threshold: float) -> float | None:
    if not len(sample.labels):
        return None
    agreed = (sample.probabilities >= threshold) == sample.labels
    return float(np.average(agreed, weights=sample.weights))


def _interval(sample: Sample, figure: Callable[[Sample], float | None]) -> list[float] | None:
    ends = bootstrap_interval(lambda rows: figure(sample.resampled(rows)), sample.groups)
    return list(ends) if ends is not None else None


def _decision(threshold: float, hits: float, said: float, totals: tuple[float, float]) -> Decision:
    positives, count = totals
    precision = hits / said if said else 0.0
    recall = hits / positives if positives else 0.0
    false_alarms = (said - hits) / (count - positives) if count > positives else 0.0
    f1 = 2 * hits / (said + positives) if said + positives else 0.0
    return Decision(threshold, precision, recall, f1, (recall + 1 - false_alarms) / 2, false_alarms)


def _thinned(points: Sequence[Decision], most: int = 50) -> list[dict[str, float]]:
    if len(points) > most:
        chosen = np.unique(np.linspace(0, len(points) - 1, most).astype(int))
        points = [points[index] for index in chosen]
    names = ("threshold", "precision", "recall", "false_alarms")
    return [{name: asdict(point)[name] for name in names} for point in points]
