"""Reliability, ROC and precision-recall curves of a labelled sample, each with its interval.

Intervals are percentiles of a bootstrap that draws whole groups with replacement (Efron 1979). A band of a
curve is vertical: what may be told at a fixed share of false alarms or of recall (Fawcett 2006).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.contribution.population import Floats, Rows, Sample, place_in_bins

STEPS = 60
"""Places at which curves are told."""
_LEVEL = 0.95
_SEED = 20


@dataclass(frozen=True, slots=True)
class Told:
    """A figure with its interval; low and high are None where hardly any draw gives a value."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a curve. x: what was said, share of false alarms, or recall. n: labels, 0 in a curve."""

    x: float
    told: Told
    n: int = 0


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """What a threshold would do to the labelled pairs. accepted: labels at or above it."""

    threshold: float
    precision: Told
    recall: Told
    accepted: int


@dataclass(frozen=True, slots=True)
class Curves:
    """n: labels. reliability: by what was said, ascending. roc: recall by false alarms.
    precision: precision by recall. thresholds: from 0 to 1 in hundredths."""

    n: int
    reliability: tuple[Place, ...]
    roc: tuple[Place, ...]
    precision: tuple[Place, ...]
    thresholds: tuple[AtThreshold, ...]


def measure_curves(sample: Sample, draws: int = 300) -> Curves | None:
    """All curves over what the sample stands for. The same sample gives the same intervals.

    None without labels of both verdicts.
    """
    if not len(sample.labels) or sample.labels.all() or not sample.labels.any():
        return None
    weights = np.vstack([sample.weights, _drawn_weights(sample, draws)])
    grid = np.linspace(0, 1, STEPS + 1)
    cuts = np.unique(np.concatenate([sample.probabilities, [0.0]]))[::-1]
    hits, said = _sums(sample, weights, cuts)
    recall, alarms = hits / hits[:, -1:], (said - hits) / (said - hits)[:, -1:]
    precision = _ratio(hits, said)
    roc = np.vstack([_read(grid, row, other, 0.0) for row, other in zip(alarms, recall, strict=True)])
    kept = []
    for row, other in zip(recall, precision, strict=True):
        # Before the first pair is accepted, precision is that of the first one.
        known = np.isfinite(other)
        kept.append(_read(grid, row[known], other[known], other[known][0]))
    by_recall = np.vstack(kept)
    return Curves(
        n=len(sample.labels),
        reliability=_reliability(sample, weights),
        roc=tuple(Place(float(x), _told(roc[:, n])) for n, x in enumerate(grid)),
        precision=tuple(Place(float(x), _told(by_recall[:, n])) for n, x in enumerate(grid)),
        thresholds=_by_threshold(sample, weights),
    )


def _drawn_weights(sample: Sample, draws: int) -> Floats:
    """Weight of each pair in each draw, (draws, n); draws with one verdict only are left out."""
    _, group = np.unique(np.array([str(one) for one in sample.groups]), return_inverse=True)
    count = int(group.max()) + 1
    chance = np.random.default_rng(_SEED)
    times = np.vstack([np.bincount(chance.integers(0, count, count), minlength=count) for _ in range(draws)])
    weights: Floats = times[:, group] * sample.weights
    hits, all_ = weights @ sample.labels, weights.sum(axis=1)
    both: Floats = weights[(hits > 0) & (hits < all_)]
    return both


def _sums(sample: Sample, weights: Floats, cuts: Floats) -> tuple[Floats, Floats]:
    """Weight of the supported and of all pairs at or above each cut, (draws, cuts)."""
    above = (sample.probabilities[:, None] >= cuts).astype(np.float64)
    return weights @ (above * sample.labels[:, None]), weights @ above


def _read(grid: Floats, x: Floats, y: Floats, first: float) -> Floats:
    """The curve (x, y) at the places of the grid; nothing accepted is (0, first)."""
    read: Floats = np.interp(grid, np.append(0.0, x), np.append(first, y))
    return read


def _reliability(sample: Sample, weights: Floats) -> tuple[Place, ...]:
    places = place_in_bins(sample)
    found = []
    for place in np.unique(places):
        rows = np.flatnonzero(places == place)
        found.append(_bin(sample, weights, rows))
    return tuple(found)


def _bin(sample: Sample, weights: Floats, rows: Rows) -> Place:
    said = float(np.average(sample.probabilities[rows], weights=sample.weights[rows]))
    return Place(
        said, _told(_ratio(weights[:, rows] @ sample.labels[rows], weights[:, rows].sum(axis=1))), len(rows)
    )


def _by_threshold(sample: Sample, weights: Floats) -> tuple[AtThreshold, ...]:
    cuts = np.arange(101) / 100
    hits, said = _sums(sample, weights, cuts)
    precision, recall = _ratio(hits, said), _ratio(hits, (weights @ sample.labels)[:, None])
    accepted = (sample.probabilities[:, None] >= cuts).sum(axis=0)
    return tuple(
        AtThreshold(float(cut), _told(precision[:, n]), _told(recall[:, n]), int(accepted[n]))
        for n, cut in enumerate(cuts)
    )


def _ratio(part: Floats, whole: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    whole = np.broadcast_to(whole, part.shape)
    share: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return share


def _told(values: Floats) -> Told:
    """The first value is that of the sample itself, the others of the draws; nothing accepted tells 0."""
    value = float(values[0]) if np.isfinite(values[0]) else 0.0
    drawn = values[1:][np.isfinite(values[1:])]
    if len(drawn) < 20:
        return Told(value, None, None)
    low, high = np.quantile(drawn, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    # A band may miss the value where pairs are few; it is told so that it holds it.
    return Told(value, min(float(low), value), max(float(high), value))
