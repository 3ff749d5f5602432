"""Whether the check still works as it did when it was calibrated: agreement with people, and features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Protocol

import numpy as np

from core.contribution.drift import DriftLevel, FeatureDrift, WeeklyAgreement, find_drift, watch_agreement
from core.contribution.label_pairs import SettledPair

WEEKS = 12
RECENT_DAYS = 28
"""Days up to today whose features are compared."""
SAMPLED = 2_000
_ORDER: tuple[DriftLevel, ...] = ("too_few", "steady", "watch", "alarm")
_EPOCH = date(1970, 1, 1)


class DriftData(Protocol):
    """What people decided, and values of features."""

    def settled(self) -> list[SettledPair]: ...

    def feature_values(self, days: tuple[int, int], limit: int) -> dict[str, list[float]]: ...


class Calibration(Protocol):
    """A calibration in use."""

    @property
    def version(self) -> str: ...

    @property
    def report(self) -> Mapping[str, Any]: ...

    @property
    def reference(self) -> Mapping[str, Sequence[float]]: ...


@dataclass(frozen=True, slots=True)
class DriftReport:
    """level: the worst of all. expected: agreement that the weeks are held against, None without labels.

    calibration: the version in use that was made here, None for the shipped one. features: against the period
    of that calibration, empty without one, since there is nothing to compare with.
    """

    level: DriftLevel
    calibration: str | None
    expected: float | None
    weeks: tuple[WeeklyAgreement, ...]
    features: tuple[FeatureDrift, ...]


def watch_drift(data: DriftData, in_use: Calibration | None, today: date) -> DriftReport:
    """Hold the last weeks against the period of the calibration in use.

    Agreement is weighted by what a pair stands for. Without a calibration, or one without labels, it is held
    against that of all labelled weeks together.
    """
    settled = [pair for pair in data.settled() if pair.week]
    expected = _expected(in_use, settled)
    weeks = watch_agreement(_by_week(settled)[-WEEKS:], expected, 0.1) if expected is not None else []
    features: list[FeatureDrift] = []
    if in_use is not None and in_use.reference:
        first = (today - timedelta(days=RECENT_DAYS - 1) - _EPOCH).days
        recent = data.feature_values((first, first + RECENT_DAYS - 1), SAMPLED)
        features = find_drift(_arrays(in_use.reference), _arrays(recent))
    levels: list[DriftLevel] = [*(one.level for one in weeks[-1:]), *(one.level for one in features)]
    return DriftReport(
        level=max(levels, key=_ORDER.index, default="too_few"),
        calibration=in_use.version if in_use is not None else None,
        expected=expected,
        weeks=tuple(weeks),
        features=tuple(features),
    )


def _expected(in_use: Calibration | None, settled: Sequence[SettledPair]) -> float | None:
    told = in_use.report.get("after", {}).get("agreement") if in_use is not None else None
    return float(told) if told is not None else _agreement(settled)


def _agreement(pairs: Sequence[SettledPair]) -> float | None:
    """Share of pairs on which check and people agree, each counted as often as it stands for others."""
    total = sum(pair.weight for pair in pairs)
    agreed = sum(pair.weight for pair in pairs if pair.checked == pair.supported)
    return agreed / total if total else None


def _by_week(settled: Sequence[SettledPair]) -> list[tuple[str, int, int]]:
    """(week, labels, agreed), oldest first; `agreed` is the weighted share of the labels."""
    weeks: dict[str, list[SettledPair]] = {}
    for pair in settled:
        weeks.setdefault(pair.week, []).append(pair)
    return [
        (week, len(pairs), round((_agreement(pairs) or 0.0) * len(pairs)))
        for week, pairs in sorted(weeks.items())
    ]


def _arrays(values: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    return {name: np.array(column, dtype=np.float64) for name, column in values.items()}
