"""`kiyo calibrate` and `kiyo drift` on a small store."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bots.__main__ import run
from core.config import load_settings
from core.contribution.support import load_model
from core.storage.engine import open_database
from core.storage.migrating import upgrade
from tests.labelled import label_answers, record_week

SHIPPED = load_model().version
BEFORE = datetime.now(UTC) - timedelta(days=20)


def make_store(labelled: int) -> None:
    url = load_settings().database_url
    upgrade(url)
    database = open_database(url)
    label_answers(database, record_week(database, BEFORE, 60)[:labelled])
    database.close()


def output(capsys: pytest.CaptureFixture[str], *command: str, code: int = 0) -> Any:
    assert run([*command, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_calibration_is_made_published_and_withdrawn(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_store(60)
    made = output(capsys, "calibrate", "--name", "ours-1")
    assert made["fitted_on"] + made["measured_on"] == 180
    assert output(capsys, "calibrate", "report")["version"] == SHIPPED
    assert output(capsys, "calibrate", "publish", "ours-1") == {"published": "ours-1"}
    assert output(capsys, "calibrate", "report")["version"] == "ours-1"
    (row,) = output(capsys, "calibrate", "list")["calibrations"]
    assert (row["version"], row["in_use"]) == ("ours-1", True)
    assert output(capsys, "calibrate", "revert") == {"withdrawn": "ours-1", "in_use": SHIPPED}
    assert run(["calibrate", "revert"]) == 1


def test_everything_is_told_in_words(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_store(60)
    assert run(["calibrate", "list"]) == 0
    assert "Kiyo's own coefficients" in capsys.readouterr().out
    assert run(["calibrate", "--name", "ours-1"]) == 0
    assert "balanced accuracy" in capsys.readouterr().out
    assert run(["calibrate", "report"]) == 0
    assert "180 labels" in capsys.readouterr().out
    assert run(["calibrate", "list"]) == 0
    assert "ours-1" in capsys.readouterr().out
    assert run(["calibrate", "preview", "--threshold", "0.95"]) == 0
    assert "seen on 60 of 60 answers" in capsys.readouterr().out
    assert run(["calibrate", "publish", "ours-1"]) == 0
    assert "kiyo evaluate --coefficients ours-1" in capsys.readouterr().err


def test_too_few_labels_are_refused(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_store(5)
    assert run(["calibrate"]) == 1
    assert "85 more labels" in capsys.readouterr().err
    assert run(["calibrate", "report"]) == 0
    assert "85 more labels" in capsys.readouterr().err


def test_a_preview_of_other_coefficients_changes_nothing(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_store(60)
    output(capsys, "calibrate", "--name", "ours-1")
    first = output(capsys, "calibrate", "preview", "--version", "ours-1")
    assert first["version"] == "ours-1"
    assert first["changed"] > 0
    assert output(capsys, "calibrate", "preview", "--version", "ours-1") == first
    assert output(capsys, "calibrate", "preview")["changed"] == 0


def write_rows(path: Path, texts: list[tuple[str, str]], count: int) -> None:
    rows = [
        {"source_text": source, "sentence": said, "label": label, "lang": "en", "group": f"{path.stem}{n}"}
        for n in range(count)
        for source, right in texts
        for said, label in ((right, "supported"), (f"Nobody knows who moved {n} chairs.", "unsupported"))
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def test_coefficients_are_fitted_to_files_with_one_left_out(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_store(0)
    texts = [
        ("Leave is asked for three days before. Pay comes monthly.", "Leave is asked for three days before.")
    ]
    write_rows(workplace / "support-a.jsonl", texts, 6)
    write_rows(workplace / "support-b.jsonl", [("The office opens at nine.", "The office opens at nine.")], 6)
    files = ("--data", "support-a.jsonl", "--data", "support-b.jsonl")
    found = output(capsys, "calibrate", *files, "--exclude", "support-b", "--name", "rows-1")
    assert found["origin"]["sets"] == {"support-a": 12}
    assert found["left_out"]["support-b"]["n"] == 12
    assert output(capsys, "calibrate", "list")["calibrations"][0]["version"] == "rows-1"
    assert run(["calibrate", *files, "--exclude", "support-b", "--name", "rows-2"]) == 0
    assert "support-b, left out: auc" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--exclude", "a"], "--exclude leaves out"),
        (["--data", "a.jsonl", "--precision", "0.9"], "--precision needs labels"),
        (["--data", "a.jsonl"], "does not exist"),
        (["publish", "nothing"], "no calibration nothing"),
        (["preview", "--version", "nothing"], "no coefficients nothing"),
    ],
)
def test_what_cannot_be_done_is_said(
    workplace: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    make_store(0)
    assert run(["calibrate", *options]) == 1
    assert said in capsys.readouterr().err


def test_drift_is_told_and_an_alarm_fails(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_store(60)
    assert output(capsys, "drift")["level"] == "too_few"
    output(capsys, "calibrate", "--name", "ours-1")
    output(capsys, "calibrate", "publish", "ours-1")
    assert output(capsys, "drift")["level"] == "steady"
    database = open_database(load_settings().database_url)
    record_week(database, datetime.now(UTC) - timedelta(days=2), 90, first=900, least=0.7)
    database.close()
    assert output(capsys, "drift", code=1)["level"] == "alarm"
    assert run(["drift"]) == 1
    assert "ALARM" in capsys.readouterr().out
