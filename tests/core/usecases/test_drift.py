from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from core.contribution.features import FEATURES
from core.storage.calibration_data import SqlCalibrationData
from core.storage.calibrations import CalibrationRow, SqlCalibrationStore
from core.storage.engine import Database
from core.storage.labels import SqlLabelStore
from core.usecases.drift import watch_drift
from core.usecases.labels import draw_week
from tests.acting import acting_as
from tests.labelled import label_answers, record_week

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
TODAY = date(2026, 11, 29)


def week(database: Database, number: int, *, shift: float, count: int = 30, least: float = 0.0) -> None:
    """Answers of the n-th week, all drawn and labelled."""
    monday = MONDAY + timedelta(weeks=number)
    answers = record_week(database, monday, count, first=1000 * number, least=least)
    draw_week(
        SqlLabelStore(database), acting_as("mina", "maintainer"), f"2026-W{45 + number}", 3 * count, 0.5
    )
    label_answers(database, answers, shift=shift)


def in_use(database: Database, reference: dict[str, list[float]], agreement: float) -> CalibrationRow:
    store = SqlCalibrationStore(database)
    store.save("ours-1", "{}", {"after": {"agreement": agreement}}, reference)
    store.publish("ours-1")
    return store.list()[0]


def test_people_who_agree_as_expected_raise_no_alarm(sqlite_database: Database) -> None:
    for number in range(3):
        week(sqlite_database, number, shift=0.0)
    found = watch_drift(SqlCalibrationData(sqlite_database), None, TODAY)
    assert (found.calibration, found.level, found.features) == (None, "steady", ())
    assert [(one.week, one.labels) for one in found.weeks] == [(f"2026-W{45 + n}", 90) for n in range(3)]


def test_people_who_agree_less_than_when_calibrated_raise_one(sqlite_database: Database) -> None:
    week(sqlite_database, 0, shift=4.0)
    row = in_use(sqlite_database, {}, 0.9)
    found = watch_drift(SqlCalibrationData(sqlite_database), row, TODAY)
    assert (found.expected, found.level, found.calibration) == (0.9, "alarm", "ours-1")


def test_features_that_moved_raise_an_alarm_and_are_named_first(sqlite_database: Database) -> None:
    record_week(sqlite_database, MONDAY, 60)
    data = SqlCalibrationData(sqlite_database)
    before = data.feature_values((0, 40_000), 1000)
    row = in_use(sqlite_database, before, 0.9)
    assert watch_drift(data, row, TODAY).level == "steady"
    record_week(sqlite_database, MONDAY + timedelta(weeks=4), 60, first=5000, least=0.6)
    found = watch_drift(data, row, date(2026, 12, 27))
    assert found.level == "alarm"
    assert found.features[0].feature in ("window", "line", "clause", "pieces", "cosine")
    assert {one.feature for one in found.features} == set(FEATURES)


@pytest.mark.parametrize("labelled", [0, 3])
def test_few_labels_say_nothing(sqlite_database: Database, labelled: int) -> None:
    if labelled:
        week(sqlite_database, 0, shift=4.0, count=labelled)
    found = watch_drift(SqlCalibrationData(sqlite_database), None, TODAY)
    assert found.level == "too_few"
