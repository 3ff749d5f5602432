"""Adjust calibration and threshold to labels: fitted on one half of them, measured on the other."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.contribution.calibrate import fit_logistic, require_labels
from core.contribution.features import Features
from core.contribution.population import Floats, Sample, choose_threshold, describe
from core.contribution.support import Calibration, SupportModel

_HEAVIEST = 10.0
"""A pair counts at most this many times the middle one, so that a rare stratum does not decide alone."""
_LEAST_SLOPE = 0.05


@dataclass(frozen=True, slots=True)
class Labelled:
    """Pairs that people judged. features: FEATURES of the best line, (n, len(FEATURES)).

    labels: (n,) supported or not. weights: (n,) how many pairs each stands for. groups: pairs with the same
    group, such as an answer or a source, stay on one side.
    """

    features: Features
    labels: NDArray[np.bool_]
    weights: Floats
    groups: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Recalibrated:
    """The adjusted model, and how it and the model before do on the half that it has not seen."""

    model: SupportModel
    fitted_on: int
    after: dict[str, Any]
    before: dict[str, Any]


def recalibrate_on_half(
    model: SupportModel, labelled: Labelled, version: str, wanted_precision: float | None = None
) -> Recalibrated:
    """Fit the line from log odds to probability and choose the threshold on one half; measure on the other.

    Weights of features stay as they are. Deterministic. Raises TooFewLabelsError, saying what is missing, or
    ValueError if the halves cannot be told apart or no threshold reaches the wanted precision.
    """
    require_labels(labelled.labels)
    fitting, measuring = split_groups(labelled.groups)
    for rows in (fitting, measuring):
        if labelled.labels[rows].all() or not labelled.labels[rows].any():
            raise ValueError(
                "one half of the labels has one verdict only: the labels come from too few answers"
            )
    log_odds = model.log_odds(labelled.features)
    calibration = fit_line(log_odds[fitting], labelled.labels[fitting], _bounded(labelled.weights[fitting]))
    adjusted = replace(
        model, version=version, calibration=calibration, rival_odds=_rival_odds(model, calibration)
    )
    threshold = choose_threshold(_sample(adjusted, labelled).part(fitting), wanted_precision)
    if threshold is None:
        raise ValueError(f"no threshold reaches a precision of {wanted_precision} on these labels")
    adjusted = replace(adjusted, threshold=threshold)
    return Recalibrated(
        model=adjusted,
        fitted_on=len(fitting),
        after=describe(_sample(adjusted, labelled).part(measuring), threshold),
        before=describe(_sample(model, labelled).part(measuring), model.threshold),
    )


def split_groups(groups: Sequence[Hashable]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of two halves of about the same size, each group whole; the same groups are always split alike."""
    members: dict[str, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(str(group), []).append(row)
    halves: tuple[list[int], list[int]] = ([], [])
    for name in sorted(members, key=lambda one: hashlib.sha256(one.encode()).digest()):
        smaller = 0 if len(halves[0]) <= len(halves[1]) else 1
        halves[smaller].extend(members[name])
    first, second = (np.array(sorted(half), dtype=np.int64) for half in halves)
    return first, second


def fit_line(log_odds: Floats, labels: NDArray[np.bool_], weights: Floats) -> Calibration:
    """Fit p = 1 / (1 + exp(-(slope * x + offset))) to weighted, smoothed targets (Platt 1999)."""
    supported, unsupported = int(labels.sum()), int((~labels).sum())
    targets = np.where(labels, (supported + 1) / (supported + 2), 1 / (unsupported + 2))
    slope, offset = fit_logistic(log_odds.reshape(-1, 1), targets, weights, np.array([1]), 1e-3)
    if slope[0] >= _LEAST_SLOPE:
        return Calibration(float(slope[0]), float(offset))
    mean = float(np.average(targets, weights=weights))
    middle = float(np.average(log_odds, weights=weights))
    return Calibration(_LEAST_SLOPE, float(np.log(mean / (1 - mean))) - _LEAST_SLOPE * middle)


def _sample(model: SupportModel, labelled: Labelled) -> Sample:
    probabilities = model.probabilities(labelled.features)
    return Sample(labelled.labels, probabilities, labelled.weights, labelled.groups)


def _bounded(weights: Floats) -> Floats:
    bounded: Floats = np.minimum(weights, _HEAVIEST * np.median(weights))
    scaled: Floats = bounded / bounded.mean()
    return scaled


def _rival_odds(model: SupportModel, calibration: Calibration) -> float:
    """A slope other than before stretches the log odds, and the distance between rivals with them."""
    before = model.calibration.slope if not model.calibration.knots else 1.0
    return float(model.rival_odds ** (calibration.slope / before))
