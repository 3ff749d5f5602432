"""`kiyo evaluate` on a small store."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bots.__main__ import run
from core.config import load_settings
from core.contribution.support import format_model, load_model
from core.storage.answers import SqlAnswerStore
from core.storage.calibrations import SqlCalibrationStore
from core.storage.engine import open_database
from core.storage.migrating import upgrade
from tests.samples import START, Shown, answer_with

DAY = (START + timedelta(days=1)).date().isoformat()


@pytest.fixture
def store(workplace: Path) -> Path:
    """Two answers of two days, and coefficients that are not published."""
    url = load_settings().database_url
    upgrade(url)
    database = open_database(url)
    answers = SqlAnswerStore(database)
    for n in range(2):
        shown = Shown("docs:a.md", {0: "A line."})
        answers.record_answer(answer_with(f"x{n}", [shown], at=START + timedelta(days=n)))
    text = format_model(load_model()).replace(load_model().version, "ours-1")
    SqlCalibrationStore(database).save("ours-1", text, {}, {})
    database.close()
    return workplace


def output(capsys: pytest.CaptureFixture[str], *command: str, code: int = 0) -> Any:
    assert run([*command, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_past_is_decided_anew(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = output(capsys, "evaluate", "--rethreshold", "0.7")
    assert (found["answers"], found["pairs"], found["threshold"]) == (2, 2, 0.7)
    assert output(capsys, "evaluate", "--rethreshold", "0.7", "--since", DAY)["answers"] == 1
    assert output(capsys, "evaluate", "--coefficients", "ours-1")["version"] == "ours-1"
    assert run(["evaluate", "--coefficients", load_model().version]) == 0
    assert "2 answers with 2 pairs are decided by" in capsys.readouterr().out


def test_nothing_waits_in_a_store_where_answers_are_measured_at_once(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert output(capsys, "evaluate", "--pending") == {
        "evaluated": 0,
        "warned": 0,
        "lost": 0,
        "failed": 0,
        "left": 0,
    }
    assert run(["evaluate", "--pending"]) == 0
    assert "0 answers were measured" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "Say either --pending"),
        (["--pending", "--rethreshold", "0.5"], "Say either --pending"),
        (["--pending", "--since", DAY], "Say either --pending"),
        (["--coefficients", "nobody-7"], "There are no coefficients nobody-7"),
        (["--rethreshold", "0.5", "--since", "soon"], "--since must be a date"),
    ],
)
def test_what_cannot_be_done_is_said(
    store: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert run(["evaluate", *options]) == 1
    assert said in capsys.readouterr().err


def test_a_threshold_outside_its_range_is_refused(store: Path) -> None:
    assert run(["evaluate", "--rethreshold", "1.5"]) == 2
