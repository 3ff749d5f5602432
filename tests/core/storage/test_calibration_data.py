from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core.contribution.features import FEATURES
from core.contribution.measure import MeasureSettings
from core.contribution.redeciding import NewRules
from core.contribution.support import load_model
from core.storage.answers import SqlAnswerStore
from core.storage.calibration_data import SqlCalibrationData
from core.storage.engine import Database
from core.storage.keys import day_number, to_ms
from core.storage.labels import SqlLabelStore
from tests.labelled import label_answers, labelled_answer, record_week

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
DAY = day_number(MONDAY.date())
MODEL = load_model()


def rules(threshold: float) -> NewRules:
    return NewRules(MODEL, threshold, 0.3, MeasureSettings().counted)


def test_settled_pairs_carry_features_and_what_they_stand_for(database: Database) -> None:
    answers = record_week(database, MONDAY, 20)
    labels = SqlLabelStore(database)
    labels.draw("2026-W48", (DAY, DAY + 6), 12, 0.5)
    label_answers(database, answers[:6])
    found = SqlCalibrationData(database).settled()
    assert len(found) == 18
    assert {pair.week for pair in found} == {"", "2026-W48"}
    assert all(pair.weight == 1 for pair in found if not pair.week)
    assert all(pair.weight > 1 for pair in found if pair.week)
    assert set(found[0].features) == set(FEATURES)


def test_disputed_and_unclear_pairs_are_not_settled(database: Database) -> None:
    (answer,) = record_week(database, MONDAY, 1)
    labels = SqlLabelStore(database)
    items = [labels.find_item(answer.id, f"docs:{n}.md", n) for n in range(3)]
    for item, said in zip(items, ("supported", "unclear", "unsupported"), strict=True):
        assert item is not None
        labels.save("ana", item, "supported")
        labels.save("ben", item, "unclear" if said == "unclear" else "unsupported")
    found = SqlCalibrationData(database).settled()
    assert [pair.item for pair in found] == [items[1]]


def test_a_label_outlives_its_answer_without_features(database: Database) -> None:
    label_answers(database, record_week(database, MONDAY, 2))
    with database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM answers")
    found = SqlCalibrationData(database).settled()
    assert len(found) == 6
    assert not any(pair.features for pair in found)
    assert len({pair.group for pair in found}) == 6


def test_values_of_features_come_from_the_days(database: Database) -> None:
    record_week(database, MONDAY, 30)
    data = SqlCalibrationData(database)
    assert len(data.feature_values((DAY, DAY + 6), 1000)["line"]) == 90
    assert 10 <= len(data.feature_values((DAY, DAY + 6), 20)["line"]) <= 20
    assert data.feature_values((DAY + 7, DAY + 13), 20)["line"] == []


def test_a_preview_tells_what_a_threshold_would_change_and_changes_nothing(database: Database) -> None:
    record_week(database, MONDAY, 30)
    data = SqlCalibrationData(database)
    same = data.preview(rules(MODEL.threshold), to_ms(MONDAY), 100)
    assert (same.answers, same.sampled, same.statements, same.changed) == (30, 30, 90, 0)
    assert same.carried_before == same.carried_after
    strict = data.preview(rules(0.97), to_ms(MONDAY), 100)
    assert strict.changed > 0
    assert strict.carried_before == same.carried_before
    assert strict.carried_after is not None
    assert strict.carried_before is not None
    assert strict.carried_after < strict.carried_before
    assert strict.articles[0].after < strict.articles[0].before
    assert data.preview(rules(MODEL.threshold), to_ms(MONDAY), 100) == same


def test_a_preview_looks_at_a_sample_of_the_period(database: Database) -> None:
    record_week(database, MONDAY, 30)
    SqlAnswerStore(database).record_answer(labelled_answer(99, MONDAY, MODEL), example=True)
    data = SqlCalibrationData(database)
    found = data.preview(rules(0.5), to_ms(MONDAY), 10)
    assert found.answers == 31
    assert 0 < found.sampled <= 10
    empty = data.preview(rules(0.5), to_ms(MONDAY + timedelta(days=50)), 10)
    assert (empty.answers, empty.carried_before, empty.articles) == (0, None, ())


@pytest.mark.parametrize("limit", [1, 7])
def test_a_preview_counts_every_verdict(database: Database, limit: int) -> None:
    record_week(database, MONDAY, 14)
    found = SqlCalibrationData(database).preview(rules(0.5), to_ms(MONDAY), limit)
    assert sum(found.verdicts_before.values()) == sum(found.verdicts_after.values()) == found.statements
