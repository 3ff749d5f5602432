"""The page on which the check is held against people."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.contribution.support import load_model
from core.storage.calibration_data import SqlCalibrationData
from core.storage.calibrations import SqlCalibrationStore
from core.storage.engine import Database
from core.storage.reports import Period, Reports
from core.usecases import calibrations
from core.usecases.calibrations import NewVersion
from core.usecases.people import ROLES, Person, Role
from dashboard.pages import pages_for
from dashboard.words.calibration import WORDS
from tests.acting import acting_as
from tests.dashboard.test_pages import shown
from tests.labelled import label_answers, record_week

SHIPPED = load_model().version


def calibration_page(wanted: str) -> None:
    from core.domain import Principal
    from core.usecases.people import ROLES
    from dashboard.pages import words_of
    from dashboard.runtime import Viewer, open_viewer
    from dashboard.text import Words
    from dashboard.views import calibration

    role = next(role for role in ROLES if role == wanted)
    viewer = Viewer(open_viewer().database, Principal("visitor"), role)
    calibration.render(viewer, words_of(calibration.PAGE, Words("en")))


def open_as(role: Role = "maintainer", **query: str) -> AppTest:
    app = AppTest.from_function(calibration_page, default_timeout=60, args=(role,))
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert not app.exception


@pytest.fixture
def labelled(configured: Path, database: Database) -> SqlCalibrationStore:
    """360 decided pairs of the last days, of which fewer are supported than the check says."""
    assert configured.exists()
    monday = datetime.now(UTC) - timedelta(days=6)
    label_answers(database, record_week(database, monday, 120, first=1000))
    return SqlCalibrationStore(database)


def metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def test_too_few_labels_say_how_many_are_missing(configured: Path, database: Database) -> None:
    label_answers(database, record_week(database, datetime.now(UTC) - timedelta(days=6), 20, first=1000))
    app = open_as()
    assert "40 in all" in app.info[0].value
    press(app, "calibration_make")
    assert "40 more labels" in app.warning[0].value
    assert SqlCalibrationStore(database).list() == []


def test_without_labels_the_page_says_what_to_do(configured: Path) -> None:
    app = open_as()
    assert "100 in all" in app.info[0].value
    assert "labelling?lang=en" in app.info[0].value
    assert "both verdicts" in app.info[1].value


def test_curves_have_their_number_and_their_interval(labelled: SqlCalibrationStore) -> None:
    text = shown(open_as())
    assert "n = 360" in text
    assert text.count("95 %:") >= 3


def test_the_slider_shows_what_a_threshold_would_change(labelled: SqlCalibrationStore) -> None:
    app = open_as()
    before = metrics(app)
    assert before["Carried now"] == before["Carried then"]
    app.slider(key="calibration_threshold").set_value(0.9).run()
    assert not app.exception
    after = metrics(app)
    assert float(after["Carried then"][:-1]) < float(before["Carried then"][:-1])
    assert int(after["Precision"][:-1]) > int(before["Precision"][:-1])
    assert int(after["Recall"][:-1]) < int(before["Recall"][:-1])
    assert app.query_params["threshold"] in ("0.90", ["0.90"])


def test_the_address_chooses_version_and_threshold(database: Database, labelled: SqlCalibrationStore) -> None:
    data, new = SqlCalibrationData(database), NewVersion("strict", date(2026, 12, 1))
    calibrations.keep_threshold(data, labelled, acting_as("mina", "maintainer"), new, 0.8)
    app = open_as(version="strict", threshold="0.70")
    assert app.selectbox(key="calibration_version").value == "strict"
    assert app.slider(key="calibration_threshold").value == 0.7
    assert metrics(app)["Threshold"] == "0.80"
    assert open_as(threshold="x").slider(key="calibration_threshold").value == 0.5


def test_a_calibration_is_made_published_and_withdrawn(labelled: SqlCalibrationStore) -> None:
    app = open_as()
    press(app, "calibration_make")
    (row,) = labelled.list()
    assert not row.in_use
    assert row.version in app.success[0].value
    assert app.selectbox(key="calibration_version").value == row.version
    press(app, "calibration_publish")
    assert labelled.list()[0].in_use
    assert "next answer on" in app.success[0].value
    press(app, "calibration_revert")
    assert not labelled.list()[0].in_use
    assert app.selectbox(key="calibration_version").value == SHIPPED


def test_the_past_is_decided_anew_by_the_version_in_use(
    labelled: SqlCalibrationStore, database: Database
) -> None:
    days = Period(datetime.now(UTC).date() - timedelta(days=20), datetime.now(UTC).date())
    before = Reports(database).overview(days).carried
    app = open_as()
    press(app, "calibration_make")
    press(app, "calibration_publish")
    assert Reports(database).overview(days).carried == before
    press(app, "calibration_past")
    assert "120 answers are decided by" in app.success[0].value
    assert Reports(database).overview(days).carried < before
    now = metrics(app)
    assert now["Carried now"] == now["Carried then"]


def test_a_threshold_can_be_kept_as_a_version(labelled: SqlCalibrationStore) -> None:
    app = open_as(threshold="0.70")
    keep = next(button for button in app.button if "0.70" in button.label)
    keep.click().run()
    assert not app.exception
    (row,) = labelled.list()
    assert app.selectbox(key="calibration_version").value == row.version
    assert metrics(app)["Threshold"] == "0.70"


def test_everybody_may_look_and_maintainers_alone_may_act(labelled: SqlCalibrationStore) -> None:
    for role in ROLES:
        assert "calibration" in {page.name for page in pages_for(Person("x", role))}
        keys = {button.key for button in open_as(role).button}
        assert ("calibration_publish" in keys) is (role == "maintainer")


def test_drift_is_told_with_its_level(labelled: SqlCalibrationStore) -> None:
    app = open_as()
    assert "there is nothing to compare with" in shown(app)
    press(app, "calibration_make")
    press(app, "calibration_publish")
    text = shown(app)
    assert "Population stability index" in text
    tables = [table.value for table in app.dataframe]
    features = next(table for table in tables if "Feature" in table.columns)
    assert set(features["Level"]) <= {"● steady", "▲ watch", "■ alarm", "– too few"}


def test_biases_are_told(labelled: SqlCalibrationStore) -> None:
    told = metrics(open_as())
    assert told["Correlation with length"]
    assert told["Correlation with number of sentences"]


def test_articles_that_may_not_be_read_are_not_named(configured: Path, database: Database) -> None:
    record_week(database, datetime.now(UTC) - timedelta(days=6), 30, first=1000)
    app = open_as(threshold="0.95")
    tables = [table.value for table in app.dataframe]
    assert not [table for table in tables if "Article" in table.columns]
    assert "more would change that you may not read" in shown(app)


def test_every_word_is_there_in_both_languages() -> None:
    same = {"count", "psi"}
    for name, (english, japanese) in WORDS.items():
        assert english
        assert japanese
        assert name in same or english != japanese
