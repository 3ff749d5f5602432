"""`kiyo labels` on a small store."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bots.__main__ import run
from bots.label_files import read_labels, write_labels
from core.config import load_settings
from core.errors import AskerError, ReadError
from core.storage.answers import SqlAnswerStore
from core.storage.engine import open_database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.migrating import upgrade
from tests.samples import SOURCE, Shown, answer_with, article_record

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture
def store(workplace: Path) -> Path:
    """Three answers of one week with a pair each; one line begins like a formula."""
    url = load_settings().database_url
    upgrade(url)
    database = open_database(url)
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("a.md", ["=1+1 is two, 日本語も。"]))
    for n in range(3):
        shown = Shown("docs:a.md", {0: "=1+1 is two, 日本語も。"})
        answers.record_answer(answer_with(f"x{n}", [shown], at=MONDAY))
    database.close()
    return workplace


def output(capsys: pytest.CaptureFixture[str], *command: str, code: int = 0) -> Any:
    assert run([*command, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_week_is_drawn_once(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = output(capsys, "labels", "draw", "--week", "2026-W48", "--count", "2")
    assert drawn == {"week": "2026-W48", "population": 3, "items": 2, "is_new": True}
    assert output(capsys, "labels", "draw", "--week", "2026-W48")["is_new"] is False
    assert run(["labels", "draw", "--week", "2026-W01"]) == 0
    assert "no answers" in capsys.readouterr().out
    assert run(["labels", "draw", "--week", "soon"]) == 1
    assert "A week is written" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_labels_come_back_from_a_file(store: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    output(capsys, "labels", "draw", "--week", "2026-W48")
    assert output(capsys, "labels", "export", name)["rows"] == 3
    rows = read_labels(store / name)
    assert {row["line"] for row in rows} == {"=1+1 is two, 日本語も。"}
    labelled = [{**row, "labeller": who, "label": "supported"} for row in rows for who in ("ana", "ben")]
    write_labels(store / name, labelled, list(rows[0]))
    assert output(capsys, "labels", "import", name) == {"rows": 6, "labels": 6}
    found = output(capsys, "labels", "agreement")
    assert found["counts"]["supported"] == 3
    assert [(one["labellers"], one["share"]) for one in found["agreement"]] == [(["ana", "ben"], 1.0)]
    assert run(["labels", "agreement"]) == 0
    assert "ana and ben" in capsys.readouterr().out


def test_a_spreadsheet_runs_nothing_of_an_exported_file(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output(capsys, "labels", "draw", "--week", "2026-W48")
    output(capsys, "labels", "export", "labels.csv")
    with (store / "labels.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_a_file_without_labels_is_told(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, "labels", "draw", "--week", "2026-W48")
    output(capsys, "labels", "export", "labels.csv")
    assert run(["labels", "import", "labels.csv"]) == 0
    assert "fill in the columns" in capsys.readouterr().err


def test_files_that_are_no_labels_are_named(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes("a,b\nläßt,1\n".encode("latin-1"))
    (tmp_path / "open.csv").write_text('a,b\n"never closed,1\n', encoding="utf-8")
    with pytest.raises(ReadError, match="CSV UTF-8"):
        read_labels(tmp_path / "old.csv")
    with pytest.raises(ReadError, match="not valid CSV"):
        read_labels(tmp_path / "open.csv")
    with pytest.raises(AskerError, match="end in"):
        read_labels(tmp_path / "labels.xlsx")
    with pytest.raises(AskerError, match="cannot be written"):
        write_labels(tmp_path / "nowhere" / "labels.csv", [], ["a"])
