from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from core.contribution.support import load_model, parse_model
from core.errors import AskerError, RoleError, StoreError
from core.sections.evaluation import EvaluationSettings
from core.storage.calibration_data import SqlCalibrationData
from core.storage.calibrations import SqlCalibrationStore
from core.storage.engine import Database
from core.storage.rescoring import SqlPastStore
from core.usecases import calibrations
from core.usecases.calibrations import NewVersion
from core.usecases.coefficients import published_model
from core.usecases.rethreshold import choose_rules
from tests.acting import acting_as, noted
from tests.labelled import label_answers, record_week

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
MINA = acting_as("mina", "maintainer")
TODAY = date(2026, 11, 29)
SETTINGS = EvaluationSettings()


@pytest.fixture
def kept(sqlite_database: Database) -> SqlCalibrationStore:
    return SqlCalibrationStore(sqlite_database)


@pytest.fixture
def data(sqlite_database: Database) -> SqlCalibrationData:
    """360 labelled pairs, of which fewer are supported than the shipped coefficients say."""
    label_answers(sqlite_database, record_week(sqlite_database, MONDAY, 120))
    return SqlCalibrationData(sqlite_database)


def test_a_report_has_every_figure_with_an_interval(
    data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    found = calibrations.report(data, kept, SETTINGS)
    assert (found.labels, found.missing, found.version) == (360, "", load_model().version)
    assert found.figures is not None
    for name in ("precision", "recall", "f1", "balanced_accuracy", "auc", "ece", "agreement"):
        low, high = found.figures["ci"][name]
        assert low <= found.figures[name] <= high
    assert found.figures["n"] == 360
    assert len(found.figures["bins"]) == 10
    assert {"recall", "precision", "false_alarms"} < found.figures["curve"][0].keys()


def test_too_few_labels_are_refused_saying_how_many_are_missing(
    sqlite_database: Database, kept: SqlCalibrationStore
) -> None:
    label_answers(sqlite_database, record_week(sqlite_database, MONDAY, 20))
    data = SqlCalibrationData(sqlite_database)
    with pytest.raises(AskerError, match="40 more labels"):
        calibrations.calibrate(data, kept, MINA, NewVersion("ours-1", TODAY))
    assert kept.list() == []
    found = calibrations.report(data, kept, SETTINGS)
    assert "40 more labels" in found.missing
    assert found.figures is not None


def test_without_labels_there_is_nothing_to_report(
    sqlite_database: Database, kept: SqlCalibrationStore
) -> None:
    found = calibrations.report(SqlCalibrationData(sqlite_database), kept, SETTINGS)
    assert (found.labels, found.figures) == (0, None)
    assert "100 more labels" in found.missing


def test_a_calibration_is_better_on_labels_that_it_has_not_seen(
    data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    made = calibrations.calibrate(data, kept, MINA, NewVersion("ours-1", TODAY))
    assert made.fitted_on + made.measured_on == 360
    assert made.after["ece"] < made.before["ece"]
    (row,) = kept.list()
    assert (row.version, row.in_use) == ("ours-1", False)
    assert len(row.reference["line"]) == 360
    assert row.report["after"]["n"] == made.measured_on


def test_a_wanted_precision_raises_the_threshold(data: SqlCalibrationData, kept: SqlCalibrationStore) -> None:
    plain = calibrations.calibrate(data, kept, MINA, NewVersion("ours-1", TODAY))
    precise = calibrations.calibrate(data, kept, MINA, NewVersion("ours-2", TODAY), wanted_precision=0.7)
    assert precise.threshold > plain.threshold
    with pytest.raises(AskerError, match="no threshold reaches"):
        calibrations.calibrate(data, kept, MINA, NewVersion("ours-3", TODAY), wanted_precision=1.0)


def test_what_is_published_is_used_until_it_is_withdrawn(
    data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    calibrations.calibrate(data, kept, MINA, NewVersion("ours-1", TODAY))
    assert published_model(kept).version == load_model().version
    calibrations.publish(kept, MINA, "ours-1")
    assert published_model(kept).version == "ours-1"
    assert calibrations.report(data, kept, SETTINGS).version == "ours-1"
    assert calibrations.keep_threshold(data, kept, MINA, NewVersion("ours-2", TODAY), 0.77) == "ours-2"
    calibrations.publish(kept, MINA, "ours-2")
    assert published_model(kept).threshold == 0.77
    assert calibrations.revert(kept, MINA) == ("ours-2", "ours-1")
    assert calibrations.revert(kept, MINA) == ("ours-1", None)
    with pytest.raises(StoreError, match="No calibration is published"):
        calibrations.revert(kept, MINA)


def test_what_cannot_be_read_is_not_published(kept: SqlCalibrationStore) -> None:
    kept.save("broken", "{}", {}, {})
    with pytest.raises(AskerError, match="cannot be used"):
        calibrations.publish(kept, MINA, "broken")
    with pytest.raises(StoreError, match="There is no calibration"):
        calibrations.publish(kept, MINA, "nothing")
    with pytest.raises(StoreError, match="already"):
        kept.save("broken", "{}", {}, {})


def test_a_preview_compares_with_what_was_recorded(
    data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    rules = choose_rules(SETTINGS, kept, 0.9, None)
    found = calibrations.preview(data, rules, TODAY)
    assert (found.answers, found.sampled, found.threshold) == (120, 120, 0.9)
    assert found.changed > 0
    assert calibrations.preview(data, rules, date(2027, 11, 29)).answers == 0


def test_a_threshold_outside_its_range_is_refused(
    data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    with pytest.raises(AskerError, match="between 0 and 1"):
        calibrations.keep_threshold(data, kept, MINA, NewVersion("ours-1", TODAY), 1.2)


def test_versions_are_named_by_day() -> None:
    assert calibrations.name_version([], TODAY) == "labels-2026-11-29"
    taken = ["labels-2026-11-29", "labels-2026-11-29-2"]
    assert calibrations.name_version(taken, TODAY) == "labels-2026-11-29-3"


def test_kept_coefficients_say_what_they_come_from(
    data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    calibrations.calibrate(data, kept, MINA, NewVersion("ours-1", TODAY))
    text = kept.coefficients("ours-1")
    assert text is not None
    assert parse_model(text).origin["labels"] == 360


def test_a_kept_threshold_has_features_to_measure_drift_against(
    data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    calibrations.keep_threshold(data, kept, MINA, NewVersion("ours-1", TODAY), 0.7)
    (row,) = kept.list()
    assert len(row.reference["cosine"]) == 360


def test_only_maintainers_make_publish_and_withdraw(
    data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    rie, new = acting_as("rie", "labeller"), NewVersion("ours-1", TODAY)
    with pytest.raises(RoleError):
        calibrations.calibrate(data, kept, rie, new)
    with pytest.raises(RoleError):
        calibrations.keep_threshold(data, kept, rie, new, 0.7)
    with pytest.raises(RoleError):
        calibrations.keep_fitted(kept, rie, load_model(), {})
    with pytest.raises(RoleError):
        calibrations.publish(kept, rie, "ours-1")
    with pytest.raises(RoleError):
        calibrations.revert(kept, rie)
    assert kept.list() == []


def test_what_is_done_with_versions_is_noted(
    sqlite_database: Database, data: SqlCalibrationData, kept: SqlCalibrationStore
) -> None:
    mina = acting_as("mina", "maintainer", sqlite_database)
    calibrations.calibrate(data, kept, mina, NewVersion("ours-1", TODAY))
    calibrations.publish(kept, mina, "ours-1")
    calibrations.decide_past(SqlPastStore(sqlite_database), mina, choose_rules(SETTINGS, kept, None, None))
    calibrations.revert(kept, mina)
    with pytest.raises(StoreError):
        calibrations.publish(kept, mina, "nothing")
    actions = ("make", "publish", "decide_past", "revert")
    assert noted(mina.log) == [("mina", f"calibration.{what}", "ours-1") for what in actions]
