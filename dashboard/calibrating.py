"""What the page of the check reads and does: labels as curves, past and drift; versions made and published.

Reads are kept for a while, since a slider asks for the same again and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from core.config import load_settings
from core.contribution.biases import Biases
from core.contribution.previews import PastPreview
from core.contribution.support import load_model
from core.ports import Progress
from core.storage.calibration_data import SqlCalibrationData
from core.storage.calibrations import CalibrationRow, SqlCalibrationStore
from core.storage.labels import SqlLabelStore
from core.storage.rescoring import SqlPastStore
from core.usecases import calibrations
from core.usecases.calibration_curves import CheckedLabels, check_labels
from core.usecases.calibrations import MadeCalibration, NewVersion
from core.usecases.drift import DriftReport, watch_drift
from core.usecases.rethreshold import PastReport, choose_rules
from dashboard.keeping import forget, keep
from dashboard.runtime import Viewer, choose_period

PREVIEWED = 1_000
"""Answers that the slider tries a threshold on."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Coefficients that can be looked at. rows: made here, latest first. in_use: a version of either kind."""

    shipped: str
    rows: tuple[CalibrationRow, ...]
    in_use: str

    @property
    def names(self) -> tuple[str, ...]:
        """The one in use first, then those made here, the shipped one last."""
        others = (*(row.version for row in self.rows), self.shipped)
        return (self.in_use, *(name for name in others if name != self.in_use))


class Calibrating:
    """The calibrations of the database that somebody looks at."""

    def __init__(self, viewer: Viewer) -> None:
        self._acting = viewer.acting
        self._database = viewer.database
        self._place = str(viewer.database.engine.url)
        self._readable = viewer.audiences()
        self._revision = viewer.revision
        self._data = SqlCalibrationData(viewer.database, self._readable)
        self._kept = SqlCalibrationStore(viewer.database)
        self._biases = viewer.read_biases
        self._settings = load_settings().evaluation

    @property
    def configured_threshold(self) -> float | None:
        """The threshold of the settings, which goes before that of any version."""
        return self._settings.threshold

    def versions(self) -> Versions:
        rows, shipped = tuple(self._kept.list()), load_model().version
        return Versions(shipped, rows, next((row.version for row in rows if row.in_use), shipped))

    def check(self, version: str) -> CheckedLabels:
        """The version against all labels."""
        key = ("check", self._place, version, self._settings.threshold, self._labels())
        return keep(key, lambda: check_labels(self._data, self._kept, self._settings, version))

    def preview(self, version: str, threshold: float, day: date) -> PastPreview:
        """How the 90 days up to this one would look."""
        rules = choose_rules(self._settings, self._kept, threshold, version)
        key = ("preview", self._place, tuple(self._readable), self._revision(), version, threshold, day)
        return keep(key, lambda: calibrations.preview(self._data, rules, day, limit=PREVIEWED))

    def drift(self, day: date) -> DriftReport:
        """The last weeks against the calibration in use."""
        in_use = next((row for row in self._kept.list() if row.in_use), None)
        key = ("drift", self._place, in_use.version if in_use else None, day, self._labels())
        return keep(key, lambda: watch_drift(self._data, in_use, day))

    def biases(self, day: date) -> Biases:
        """Of the 90 days up to this one."""
        return keep(("biases", self._place, day), lambda: self._biases(choose_period("days_90", day)))

    def make(self, precision: float | None, today: date) -> MadeCalibration:
        """Raises RoleError, or AskerError saying what is missing."""
        new = self._new_version(today)
        return calibrations.calibrate(self._data, self._kept, self._acting, new, precision)

    def keep_threshold(self, threshold: float, today: date) -> str:
        """The coefficients in use with another threshold, as a version of its own. Raises RoleError."""
        new = self._new_version(today)
        return calibrations.keep_threshold(self._data, self._kept, self._acting, new, threshold)

    def publish(self, version: str) -> None:
        """Raises RoleError, or StoreError when there is no such version."""
        calibrations.publish(self._kept, self._acting, version)

    def revert(self) -> tuple[str, str]:
        """The version that was withdrawn, and the one in use now. Raises RoleError."""
        withdrawn, before = calibrations.revert(self._kept, self._acting)
        return withdrawn, before if before is not None else load_model().version

    def decide_past(self, version: str, days: int | None, today: date, progress: Progress) -> PastReport:
        """Decide the answers of the last days, or all, by a version. Raises RoleError."""
        rules = choose_rules(self._settings, self._kept, None, version)
        since = None if days is None else today - timedelta(days=days - 1)
        report = calibrations.decide_past(SqlPastStore(self._database), self._acting, rules, since, progress)
        forget()
        return report

    def _new_version(self, today: date) -> NewVersion:
        return NewVersion(calibrations.name_version((row.version for row in self._kept.list()), today), today)

    def _labels(self) -> tuple[int, int]:
        return SqlLabelStore(self._database).state()


def today() -> date:
    """In UTC, as all days of the figures."""
    return datetime.now(UTC).date()
