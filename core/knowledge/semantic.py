"""Topic borders: where what is said before and after a line differs more than usual in the article."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.knowledge.units import Unit
from core.ports import Vectors

_WINDOW = 3
"""Units looked at on each side of a possible border."""
_LEAST_DISTANCE = 0.02
"""Cosine distance below which two sides are the same topic, however alike the rest of the article is."""


def semantic_borders(vectors: Vectors, spread: float = 0.75) -> list[int]:
    """Find the positions i at which a new topic begins with row i.

    vectors: (n, dimensions), in order; rows of zeros or NaN (no content) count for nothing. A border is
    where the mean vectors of up to three rows on each side have a cosine distance that is a local peak
    and lies `spread` standard deviations above the mean of all distances (TextTiling's depth rule,
    Hearst 1997, on embeddings). Identical rows and fewer than two rows give no border.
    """
    count = len(vectors)
    if count < 2:
        return []
    distances = _distances(np.nan_to_num(np.asarray(vectors, dtype=np.float64)))
    threshold = max(float(distances.mean() + spread * distances.std()), _LEAST_DISTANCE)
    borders: list[int] = []
    for index, distance in enumerate(distances):
        before = distances[index - 1] if index else -1.0
        after = distances[index + 1] if index + 1 < len(distances) else -1.0
        if distance >= threshold and distance > before and distance >= after:
            borders.append(index + 1)
    return borders


def group_by_topic(units: Sequence[Unit], line_vectors: Vectors) -> list[tuple[int, int]]:
    """Give the runs of units [first, last) that stay on one topic.

    line_vectors: (n_lines of the article, dimensions); a unit of several lines counts by their mean.
    """
    rows = np.asarray(line_vectors, dtype=np.float64)
    means = np.zeros((len(units), rows.shape[1]), dtype=np.float32)
    for index, unit in enumerate(units):
        if unit.lines[1] > unit.lines[0]:
            means[index] = rows[unit.lines[0] : unit.lines[1]].mean(axis=0)
    borders = [0, *semantic_borders(means), len(units)]
    return list(pairwise(borders))


def _distances(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosine distance of the means before and after each position 1..n-1; 0 where a side is empty."""
    sums = np.vstack([np.zeros(rows.shape[1]), np.cumsum(rows, axis=0)])
    middle = np.arange(1, len(rows))
    before = sums[middle] - sums[np.maximum(middle - _WINDOW, 0)]
    after = sums[np.minimum(middle + _WINDOW, len(rows))] - sums[middle]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    products = np.einsum("ij,ij->i", before, after)
    cosines = np.divide(products, lengths, out=np.ones_like(products), where=lengths > 1e-9)
    distances: NDArray[np.float64] = np.clip(1.0 - cosines, 0.0, 2.0)
    return distances
