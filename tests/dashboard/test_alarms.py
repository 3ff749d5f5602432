"""What needs a person, each with the page that mends it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from core.contribution.support import format_model, load_model
from core.storage.calibrations import SqlCalibrationStore
from core.storage.channel_state import SqlHealthStore
from core.storage.engine import Database
from core.storage.evaluation_tables import calibrations as table
from core.storage.jobs import SqlJobStore
from core.storage.keys import to_ms
from dashboard import alarms
from dashboard.alarms import Alarm, find_alarms
from dashboard.pages import find_pages
from dashboard.runtime import Viewer
from dashboard.words.overview import WORDS
from tests.labelled import label_answers, record_week

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


def clock(at: datetime = NOW) -> int:
    return to_ms(at)


def words(found: list[Alarm]) -> list[str]:
    return [alarm.word for alarm in found]


@pytest.mark.parametrize("minutes", [1, 10])
def test_a_channel_is_down_when_it_says_so_or_says_nothing(
    configured: Path, database: Database, visitor: Viewer, minutes: int
) -> None:
    quiet = SqlHealthStore(database, lambda: clock(NOW - timedelta(minutes=minutes)))
    quiet.report("slack", "one", "up", "")
    assert words(find_alarms(visitor, NOW)) == (["alarm_channel"] if minutes > 5 else [])
    SqlHealthStore(database, clock).report("slack", "one", "down", "token refused")
    (alarm,) = find_alarms(visitor, NOW)
    assert dict(alarm.values)["error"] == "token refused"
    assert alarm.level == "alarm"


def test_a_channel_that_another_process_serves_or_that_was_stopped_is_not_down(
    configured: Path, database: Database, visitor: Viewer
) -> None:
    store = SqlHealthStore(database, clock)
    store.report("slack", "one", "down", "")
    store.report("slack", "two", "up", "")
    store.report("discord", "one", "stopped", "")
    assert find_alarms(visitor, NOW) == []
    assert words(find_alarms(visitor, NOW + timedelta(days=30))) == []


def test_work_that_nobody_takes_up_is_told(configured: Path, database: Database, visitor: Viewer) -> None:
    SqlJobStore(database, clock).enqueue("reindex", {}, "ana")
    assert find_alarms(visitor, NOW + timedelta(minutes=1)) == []
    (alarm,) = find_alarms(visitor, NOW + timedelta(minutes=6))
    assert alarm.word == "alarm_work"
    assert dict(alarm.values)["count"] == 1


def test_drift_and_an_old_calibration_are_told(configured: Path, database: Database, visitor: Viewer) -> None:
    label_answers(database, record_week(database, NOW - timedelta(days=6), 60, first=1000))
    store = SqlCalibrationStore(database, clock)
    model = load_model()
    reference = {"line": [0.001 * n for n in range(200)]}
    store.save("old", format_model(model), {}, reference)
    store.publish("old")
    found = {alarm.word: alarm for alarm in find_alarms(visitor, NOW)}
    assert found["alarm_drift_alarm"].page == "calibration#drift"
    assert "alarm_old" not in found
    with database.writing() as connection:
        connection.execute(update(table).values(created_at=to_ms(NOW - timedelta(days=91))))
    assert "alarm_old" in words(find_alarms(visitor, NOW))


def test_every_alarm_has_its_sentence_and_a_page_that_exists_or_is_left_out() -> None:
    named = {name for name in WORDS if name.startswith("alarm_")}
    source = Path(alarms.__file__).read_text(encoding="utf-8")
    assert all(name.removesuffix("_alarm").removesuffix("_watch") in source for name in named)
    assert "calibration" in {page.name for page in find_pages()}
