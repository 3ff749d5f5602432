"""Calibration on labels of your own: how good the check is, other coefficients, and what they would change.

Coefficients are versions: made here, published, withdrawn again; evaluations use the one published last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import Any, Protocol

import numpy as np

from core.contribution.calibrate import TooFewLabelsError, require_labels
from core.contribution.features import FEATURES
from core.contribution.label_pairs import SettledPair
from core.contribution.population import Sample, describe
from core.contribution.previews import PastPreview
from core.contribution.recalibration import Labelled, Recalibrated, recalibrate_on_half
from core.contribution.redeciding import NewRules
from core.contribution.support import SupportModel, as_row, format_model
from core.errors import AskerError
from core.ports import Progress, no_progress
from core.sections.evaluation import EvaluationSettings
from core.usecases.audit import Acting
from core.usecases.rethreshold import (
    KeptCalibrations,
    PastReport,
    PastStore,
    choose_rules,
    find_model,
    redecide_past,
)

PREVIEW_DAYS = 90
PREVIEWED = 3_000
"""Answers that a preview looks at."""
REFERENCE = 2_000
"""Pairs whose features are kept with a calibration, to see later whether they have moved."""
_EPOCH = date(1970, 1, 1)


class CalibrationData(Protocol):
    """What people decided, and the past as features."""

    def settled(self) -> list[SettledPair]: ...

    def feature_values(self, days: tuple[int, int], limit: int) -> dict[str, list[float]]: ...

    def preview(self, rules: NewRules, since: int, limit: int) -> PastPreview: ...


class Calibrations(KeptCalibrations, Protocol):
    """Coefficients by version, one of them in use."""

    def save(
        self,
        version: str,
        coefficients: str,
        report: Mapping[str, Any],
        reference: Mapping[str, Sequence[float]],
    ) -> None: ...

    def publish(self, version: str) -> None: ...

    def revert(self) -> tuple[str, str | None]: ...


@dataclass(frozen=True, slots=True)
class NewVersion:
    """How a calibration is to be called, and the day (UTC) on which it is made."""

    name: str
    day: date


@dataclass(frozen=True, slots=True)
class LabelReport:
    """How the coefficients in use agree with people.

    labels: pairs that people decided and whose features are kept. missing: why a calibration would be
    refused, "" if it would not. figures: see `population.describe`, None without any label.
    """

    version: str
    threshold: float
    labels: int
    missing: str
    figures: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class MadeCalibration:
    """A calibration that is kept and not yet published. after, before: how it and the one in use do on the
    half of the labels that it has not seen; see `population.describe`."""

    version: str
    threshold: float
    fitted_on: int
    measured_on: int
    after: Mapping[str, Any]
    before: Mapping[str, Any]


def report(data: CalibrationData, kept: Calibrations, settings: EvaluationSettings) -> LabelReport:
    """Measure the coefficients in use on all labels, each counting as many pairs as it stands for."""
    rules, labelled = choose_rules(settings, kept, None, None), collect_labels(data.settled())
    missing = ""
    try:
        require_labels(labelled.labels)
    except TooFewLabelsError as error:
        missing = str(error)
    figures = None
    if len(labelled.labels):
        said = rules.model.probabilities(labelled.features)
        sample = Sample(labelled.labels, said, labelled.weights, labelled.groups)
        figures = describe(sample, rules.least)
    return LabelReport(rules.model.version, rules.least, len(labelled.labels), missing, figures)


def calibrate(
    data: CalibrationData,
    kept: Calibrations,
    acting: Acting,
    new: NewVersion,
    wanted_precision: float | None = None,
) -> MadeCalibration:
    """Fit calibration and threshold of the coefficients in use to one half of the labels, keep them under a
    new version, and say how they do on the other half.

    wanted_precision: the threshold of highest recall that reaches it; without it that of highest balanced
    accuracy. Raises AskerError saying how many labels are missing, or that nothing reaches the precision, and
    RoleError for who is no maintainer.
    """
    acting.require("maintainer")
    settled = data.settled()
    labelled = collect_labels(settled)
    try:
        made = recalibrate_on_half(find_model(kept, None), labelled, new.name, wanted_precision)
    except ValueError as error:
        raise AskerError(f"{error}.") from error
    result = _describe(made)
    model = replace(made.model, origin={**made.model.origin, "labels": len(labelled.labels)})
    reference = data.feature_values(_days_of(settled, new.day), REFERENCE)
    with acting.changing() as note:
        kept.save(new.name, format_model(model), asdict(result), reference)
        note("calibration.make", "calibration", new.name, labels=len(labelled.labels))
    return result


def keep_fitted(kept: Calibrations, acting: Acting, model: SupportModel, figures: Mapping[str, Any]) -> None:
    """Keep coefficients that were fitted to judged rows, not yet published. figures: of rows left out.

    Raises RoleError for who is no maintainer.
    """
    acting.require("maintainer")
    with acting.changing() as note:
        kept.save(model.version, format_model(model), dict(figures), {})
        note("calibration.fit", "calibration", model.version)


def keep_threshold(
    data: CalibrationData, kept: Calibrations, acting: Acting, new: NewVersion, threshold: float
) -> str:
    """Keep the coefficients in use with another threshold under a new version, not yet published.

    Drift is measured against the pairs of the last 90 days. Raises RoleError for who is no maintainer.
    """
    acting.require("maintainer")
    if not 0 <= threshold <= 1:
        raise AskerError("A threshold lies between 0 and 1.")
    model = find_model(kept, None)
    origin = {**model.origin, "threshold_of": model.version}
    changed = replace(model, version=new.name, threshold=threshold, origin=origin)
    reference = data.feature_values(_days_of((), new.day), REFERENCE)
    with acting.changing() as note:
        kept.save(new.name, format_model(changed), {}, reference)
        note("calibration.threshold", "calibration", new.name, threshold=threshold, of=model.version)
    return new.name


def preview(
    data: CalibrationData,
    rules: NewRules,
    today: date,
    days: int = PREVIEW_DAYS,
    limit: int = PREVIEWED,
) -> PastPreview:
    """How the last days would look if they were decided by these rules (see `choose_rules`)."""
    since = (today - timedelta(days=days - 1) - _EPOCH).days * 86_400_000
    return data.preview(rules, since, limit)


def publish(kept: Calibrations, acting: Acting, version: str) -> None:
    """Use a version from the next evaluation on; the past stays until `kiyo evaluate --coefficients`.

    Raises AskerError when its coefficients cannot be read, StoreError when there is no such version, and
    RoleError for who is no maintainer.
    """
    acting.require("maintainer")
    if kept.coefficients(version) is not None:
        find_model(kept, version)
    with acting.changing() as note:
        kept.publish(version)
        note("calibration.publish", "calibration", version)


def revert(kept: Calibrations, acting: Acting) -> tuple[str, str | None]:
    """Withdraw the version in use; returns it and the one in use now, None for what Kiyo ships.

    Raises RoleError for who is no maintainer.
    """
    acting.require("maintainer")
    with acting.changing() as note:
        withdrawn, now = kept.revert()
        note("calibration.revert", "calibration", withdrawn, in_use=now)
    return withdrawn, now


def decide_past(
    store: PastStore,
    acting: Acting,
    rules: NewRules,
    since: date | None = None,
    progress: Progress = no_progress,
) -> PastReport:
    """Apply rules to the answers from a day on; see `redecide_past`. Noted when it starts, since it may be
    stopped. Raises RoleError for who is no maintainer."""
    acting.require("maintainer")
    with acting.changing() as note:
        version, day = rules.model.version, since.isoformat() if since else None
        note("calibration.decide_past", "calibration", version, threshold=rules.least, since=day)
    return redecide_past(store, rules, since, progress)


def name_version(known: Iterable[str], today: date) -> str:
    """A version that is not taken, such as labels-2026-12-01."""
    taken = set(known)
    base = f"labels-{today.isoformat()}"
    return next(
        name for name in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if name not in taken
    )


def collect_labels(settled: Sequence[SettledPair]) -> Labelled:
    """The pairs whose features are kept, as columns."""
    pairs = [pair for pair in settled if pair.features]
    rows = [as_row(pair.features)[0] for pair in pairs]
    return Labelled(
        features=np.array(rows, dtype=np.float64).reshape(len(pairs), len(FEATURES)),
        labels=np.array([pair.supported for pair in pairs], dtype=bool),
        weights=np.array([pair.weight for pair in pairs], dtype=np.float64),
        groups=tuple(pair.group for pair in pairs),
    )


def _describe(made: Recalibrated) -> MadeCalibration:
    return MadeCalibration(
        version=made.model.version,
        threshold=made.model.threshold,
        fitted_on=made.fitted_on,
        measured_on=int(made.after["n"]),
        after=made.after,
        before=made.before,
    )


def _days_of(settled: Sequence[SettledPair], today: date) -> tuple[int, int]:
    """First and last day of the weeks that the labels come from; without any, the last 90 days."""
    weeks = sorted({pair.week for pair in settled if pair.week})
    if not weeks:
        return (today - _EPOCH).days - PREVIEW_DAYS + 1, (today - _EPOCH).days
    first, last = (date.fromisoformat(f"{week}-1") for week in (weeks[0], weeks[-1]))
    return (first - _EPOCH).days, (last - _EPOCH).days + 6
