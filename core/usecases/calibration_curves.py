"""How the check agrees with people at every threshold, and what is missing before it can be calibrated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.contribution.bands import Curves, measure_curves
from core.contribution.calibrate import MissingLabels, count_missing
from core.contribution.label_pairs import SettledPair
from core.contribution.population import Sample
from core.sections.evaluation import EvaluationSettings
from core.usecases.calibrations import collect_labels
from core.usecases.rethreshold import KeptCalibrations, choose_rules


class DecidedPairs(Protocol):
    """What people decided."""

    def settled(self) -> list[SettledPair]: ...


@dataclass(frozen=True, slots=True)
class CheckedLabels:
    """Coefficients against all labels. threshold: what they are used with. labels: pairs that people decided
    and whose features are kept, of which so many are supported. curves: None without both verdicts."""

    version: str
    threshold: float
    labels: int
    supported: int
    missing: MissingLabels
    curves: Curves | None


def check_labels(
    data: DecidedPairs, kept: KeptCalibrations, settings: EvaluationSettings, version: str | None = None
) -> CheckedLabels:
    """Measure a version on all labels, each counting as many pairs as it stands for; None is that in use.

    Labels that the version was fitted to are among them. Raises AskerError for a version that is not there.
    """
    rules, labelled = choose_rules(settings, kept, None, version), collect_labels(data.settled())
    curves = None
    if len(labelled.labels):
        said = rules.model.probabilities(labelled.features)
        curves = measure_curves(Sample(labelled.labels, said, labelled.weights, labelled.groups))
    return CheckedLabels(
        version=rules.model.version,
        threshold=rules.least,
        labels=len(labelled.labels),
        supported=int(labelled.labels.sum()),
        missing=count_missing(labelled.labels),
        curves=curves,
    )
