"""How well the support measure agrees with people, on pairs of sentence and source that they judged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.contribution import metrics
from core.contribution.support import SupportModel, load_model
from core.ports import Embedder, Progress, no_progress
from core.usecases.judged_rows import MeasuredPair, best_log_odds, measure_pairs, read_support_rows


@dataclass(frozen=True, slots=True)
class _Judged:
    """labels, probabilities, overlaps: one a pair, in order."""

    measured: Sequence[MeasuredPair]
    labels: NDArray[np.bool_]
    probabilities: NDArray[np.float64]
    overlaps: NDArray[np.float64]

    def subset(self, rows: NDArray[np.int64]) -> _Judged:
        return _Judged(
            [self.measured[row] for row in rows],
            self.labels[rows],
            self.probabilities[rows],
            self.overlaps[rows],
        )


async def evaluate_support(
    rows: Iterable[Mapping[str, Any]],
    embedder: Embedder | None,
    model: SupportModel | None = None,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Score every row {source_text, sentence, label, lang?, group?, error_type?} and compare with its label.

    Returns n, n_supported, auc, auc_overlap (share of the sentence's content words found in the source),
    average_precision, balanced_accuracy, precision, recall, f1, threshold, ece, bins (10 of equal mass), ci
    (95 %, resampled by group), by_language, by_error_type (each against all supported rows). A figure that
    cannot be computed is None. Raises ReadError for a row that is wrong.
    """
    chosen = model if model is not None else load_model()
    measured = await measure_pairs(read_support_rows(rows), embedder, progress)
    return await asyncio.to_thread(_summarise, _judge(measured, chosen), chosen.threshold)


def _judge(measured: Sequence[MeasuredPair], model: SupportModel) -> _Judged:
    return _Judged(
        measured,
        np.array([item.pair.supported for item in measured], dtype=bool),
        model.calibration.apply(best_log_odds(model, measured)),
        np.array([item.overlap for item in measured]),
    )


def _summarise(judged: _Judged, threshold: float) -> dict[str, Any]:
    bins = metrics.calibration_bins(judged.labels, judged.probabilities)
    return {
        **_figures(judged, threshold),
        "auc_overlap": metrics.rank_auc(judged.labels, judged.overlaps),
        "average_precision": metrics.average_precision(judged.labels, judged.probabilities),
        "threshold": threshold,
        "bins": [{"said": item.said, "observed": item.observed, "n": item.count} for item in bins],
        "ci": _intervals(judged, threshold),
        "by_language": {
            lang: _figures(judged.subset(rows), threshold)
            for lang, rows in _split(judged, lambda item: item.pair.lang).items()
        },
        "by_error_type": _by_error_type(judged, threshold),
    }


def _figures(judged: _Judged, threshold: float) -> dict[str, float | int | None]:
    labels, probabilities = judged.labels, judged.probabilities
    decision = metrics.decide(labels, probabilities, threshold)
    both = bool(labels.any()) and not labels.all()
    return {
        "n": len(labels),
        "n_supported": int(labels.sum()),
        "auc": metrics.rank_auc(labels, probabilities),
        "balanced_accuracy": decision.balanced_accuracy if both else None,
        "precision": decision.precision,
        "recall": decision.recall,
        "f1": decision.f1,
        "ece": metrics.calibration_error(metrics.calibration_bins(labels, probabilities)),
    }


def _intervals(judged: _Judged, threshold: float) -> dict[str, list[float] | None]:
    groups = [item.pair.group for item in judged.measured]
    labels, probabilities = judged.labels, judged.probabilities

    def accuracy(rows: NDArray[np.int64]) -> float | None:
        drawn = labels[rows]
        if drawn.all() or not drawn.any():
            return None
        return metrics.decide(drawn, probabilities[rows], threshold).balanced_accuracy

    intervals = {
        "auc": metrics.bootstrap_interval(
            lambda rows: metrics.rank_auc(labels[rows], probabilities[rows]), groups
        ),
        "balanced_accuracy": metrics.bootstrap_interval(accuracy, groups),
        "f1": metrics.bootstrap_interval(
            lambda rows: metrics.decide(labels[rows], probabilities[rows], threshold).f1, groups
        ),
    }
    return {name: list(ends) if ends is not None else None for name, ends in intervals.items()}


def _by_error_type(judged: _Judged, threshold: float) -> dict[str, dict[str, float | int | None]]:
    """Figures of each kind of error against all supported rows; `caught`: share below the threshold."""
    supported = np.flatnonzero(judged.labels)
    found: dict[str, dict[str, float | int | None]] = {}
    unsupported = judged.subset(np.flatnonzero(~judged.labels))
    for name, rows in _split(unsupported, lambda item: item.pair.error_type or "unspecified").items():
        wrong = unsupported.subset(rows)
        labels = np.concatenate([np.ones(len(supported), dtype=bool), np.zeros(len(rows), dtype=bool)])
        scores = np.concatenate([judged.probabilities[supported], wrong.probabilities])
        found[name] = {
            "n": len(rows),
            "auc": metrics.rank_auc(labels, scores),
            "caught": float((wrong.probabilities < threshold).mean()),
        }
    return found


def _split(judged: _Judged, key: Any) -> dict[str, NDArray[np.int64]]:
    rows: dict[str, list[int]] = {}
    for index, item in enumerate(judged.measured):
        rows.setdefault(key(item), []).append(index)
    return {name: np.array(rows[name]) for name in sorted(rows)}
