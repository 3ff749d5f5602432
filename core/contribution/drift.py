"""Whether the measure still works on what comes in now as it did when it was calibrated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

DriftLevel = Literal["steady", "watch", "alarm", "too_few"]

WATCH_PSI = 0.1
ALARM_PSI = 0.25
"""Customary levels of the population stability index in credit scoring (Siddiqi 2006)."""
LEAST_ROWS = 100
"""Fewer values on either side say nothing."""


@dataclass(frozen=True, slots=True)
class FeatureDrift:
    """How far a feature has moved. psi: None with too few values."""

    feature: str
    psi: float | None
    level: DriftLevel


def stability_index(before: NDArray[np.float64], now: NDArray[np.float64], bins: int = 10) -> float:
    """Population stability index: sum of (q - p) * ln(q / p) over bins of equal mass of `before`.

    Values that are not numbers are left out. Half a count is added to each bin to keep empty ones finite.
    Raises ValueError if either side is empty.
    """
    old, new = before[np.isfinite(before)], now[np.isfinite(now)]
    if not len(old) or not len(new):
        raise ValueError("the stability index needs values on both sides")
    edges = np.unique(np.quantile(old, np.linspace(0, 1, bins + 1)[1:-1]))
    p = _shares(old, edges)
    q = _shares(new, edges)
    return float(((q - p) * np.log(q / p)).sum())


def find_drift(
    before: Mapping[str, NDArray[np.float64]], now: Mapping[str, NDArray[np.float64]]
) -> list[FeatureDrift]:
    """Compare each feature with the calibration period, those that moved most first."""
    found = []
    for feature in sorted(before.keys() & now.keys()):
        if min(np.isfinite(before[feature]).sum(), np.isfinite(now[feature]).sum()) < LEAST_ROWS:
            found.append(FeatureDrift(feature, None, "too_few"))
            continue
        psi = stability_index(before[feature], now[feature])
        level: DriftLevel = "alarm" if psi >= ALARM_PSI else "watch" if psi >= WATCH_PSI else "steady"
        found.append(FeatureDrift(feature, psi, level))
    return sorted(found, key=lambda item: (-(item.psi if item.psi is not None else -1.0), item.feature))


@dataclass(frozen=True, slots=True)
class WeeklyAgreement:
    """How often check and people agreed in a week. week: such as 2026-W48. share: None without labels."""

    week: str
    labels: int
    share: float | None
    level: DriftLevel


def watch_agreement(
    weeks: Sequence[tuple[str, int, int]], expected: float, alarm_below: float = 0.1, least_labels: int = 20
) -> list[WeeklyAgreement]:
    """Say for each week whether agreement with people has fallen.

    weeks: (week, labels, agreed labels). expected: agreement in the calibration period, in [0, 1].
    alarm_below: how far below expectation is an alarm, half of it is to be watched. With fewer than
    least_labels labels the level is too_few.
    """
    watched = []
    for week, labels, agreed in weeks:
        share = agreed / labels if labels else None
        level: DriftLevel = "too_few"
        if share is not None and labels >= least_labels:
            fall = expected - share
            level = "alarm" if fall >= alarm_below else "watch" if fall >= alarm_below / 2 else "steady"
        watched.append(WeeklyAgreement(week, labels, share, level))
    return watched


def _shares(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    # Values equal to an edge go right of it on both sides alike.
    counts = np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1) + 0.5
    shares: NDArray[np.float64] = counts / counts.sum()
    return shares
