"""How well probabilities agree with people: discrimination, decisions, calibration, agreement."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def rank_auc(labels: Bools, scores: Floats) -> float | None:
    """Probability that a supported pair scores above an unsupported one, ties half; None if one is absent.

    The Mann-Whitney statistic (Hanley and McNeil 1982).
    """
    positives = int(labels.sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        return None
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def average_precision(labels: Bools, scores: Floats) -> float | None:
    """Mean precision at each supported pair, best first; equal scores count together. None without any."""
    positives = int(labels.sum())
    if not positives:
        return None
    points = threshold_points(labels, scores)
    total, recall = 0.0, 0.0
    for point in points:
        total += (point.recall - recall) * point.precision
        recall = point.recall
    return total


@dataclass(frozen=True, slots=True)
class Decision:
    """How yes-or-no decisions at a threshold agree with people; a share of nothing is 0."""

    threshold: float
    precision: float
    recall: float
    f1: float
    balanced_accuracy: float
    false_alarms: float


def decide(labels: Bools, scores: Floats, threshold: float) -> Decision:
    """Call a pair supported if its score is at least the threshold."""
    said = scores >= threshold
    return _decision(threshold, int((said & labels).sum()), int(said.sum()), int(labels.sum()), len(labels))


def threshold_points(labels: Bools, scores: Floats) -> list[Decision]:
    """List the decisions at every distinct score, highest first: the ROC and precision-recall curves."""
    order = np.argsort(-scores, kind="stable")
    ranked, truth = scores[order], labels[order]
    last_of_value = (
        np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True)) if len(ranked) else np.array([], int)
    )
    hits = np.cumsum(truth)
    positives, count = int(labels.sum()), len(labels)
    return [
        _decision(float(ranked[index]), int(hits[index]), int(index) + 1, positives, count)
        for index in last_of_value
    ]


def _decision(threshold: float, hits: int, said: int, positives: int, count: int) -> Decision:
    precision = hits / said if said else 0.0
    recall = hits / positives if positives else 0.0
    false_alarms = (said - hits) / (count - positives) if count > positives else 0.0
    f1 = 2 * hits / (said + positives) if said + positives else 0.0
    return Decision(threshold, precision, recall, f1, (recall + 1 - false_alarms) / 2, false_alarms)


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of similar probability: mean of what was said, share of what was so, how many."""

    said: float
    observed: float
    count: int


def calibration_bins(labels: Bools, probabilities: Floats, bins: int = 10) -> list[Bin]:
    """Cut the pairs, ordered by probability, into bins of equal mass; fewer if there are fewer pairs."""
    order = np.argsort(probabilities, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return [Bin(float(probabilities[part].mean()), float(labels[part].mean()), len(part)) for part in parts]


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Expected calibration error: mean distance of said and observed, weighed by count; None without bins."""
    total = sum(item.count for item in bins)
    if not total:
        return None
    return sum(abs(item.said - item.observed) * item.count for item in bins) / total


def choose_for_precision(labels: Bools, scores: Floats, wanted: float) -> Decision | None:
    """The threshold of highest recall whose precision is at least the wanted one."""
    good = [point for point in threshold_points(labels, scores) if point.precision >= wanted]
    return max(good, key=lambda point: (point.recall, point.threshold), default=None)


def choose_for_balance(labels: Bools, scores: Floats) -> Decision | None:
    """The threshold of highest balanced accuracy, the middle one among equals; None without both classes."""
    if labels.all() or not labels.any():
        return None
    points = threshold_points(labels, scores)
    best = max(point.balanced_accuracy for point in points)
    equal = [point for point in points if point.balanced_accuracy >= best - 1e-12]
    return equal[len(equal) // 2]


def bootstrap_interval(
    figure: Callable[[NDArray[np.int64]], float | None],
    groups: Sequence[Hashable],
    draws: int = 500,
    level: float = 0.95,
    seed: int = 20,
) -> tuple[float, float] | None:
    """Percentile interval of a figure, resampling whole groups with replacement (Efron 1979).

    figure: from the row indexes of a draw, with repeats, to its value or None. Returns None if hardly any
    draw gives a value. The same seed gives the same interval.
    """
    rows: dict[Hashable, list[int]] = {}
    for index, group in enumerate(groups):
        rows.setdefault(group, []).append(index)
    members = [np.array(indexes) for indexes in rows.values()]
    if not members:
        return None
    generator = np.random.default_rng(seed)
    values = []
    for _ in range(draws):
        picked = generator.integers(0, len(members), len(members))
        value = figure(np.concatenate([members[index] for index in picked]))
        if value is not None and math.isfinite(value):
            values.append(value)
    if len(values) < max(2, draws // 10):
        return None
    tail = (1 - level) / 2
    return float(np.quantile(values, tail)), float(np.quantile(values, 1 - tail))


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Agreement of two labellers beyond chance (Cohen 1960): 1 full, 0 chance; None if it is not defined.

    Raises ValueError if they did not label the same number of pairs.
    """
    if len(first) != len(second):
        raise ValueError("both labellers must have judged the same pairs")
    if not first:
        return None
    agreed = sum(one == other for one, other in zip(first, second, strict=True)) / len(first)
    values = set(first) | set(second)
    chance = sum((first.count(value) / len(first)) * (second.count(value) / len(first)) for value in values)
    return (agreed - chance) / (1 - chance) if chance < 1 else None
