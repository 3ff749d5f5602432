"""Results go to stdout, everything else to stderr."""

from __future__ import annotations

import json

import pytest

from bots.console import PlainProgress, show_progress, write_json


def test_json_is_one_object_with_readable_japanese(capsys: pytest.CaptureFixture[str]) -> None:
    write_json({"answer": "有給休暇"})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {"answer": "有給休暇"}
    assert "有給休暇" in shown


def test_away_from_a_terminal_progress_is_a_line_for_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress() as progress:
        for done in range(101):
            progress(done, 100, "files")
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [f"{tenth * 10} of 100 files" for tenth in range(1, 11)]
    assert captured.out == ""


def test_a_new_total_starts_new_lines(capsys: pytest.CaptureFixture[str]) -> None:
    progress = PlainProgress()
    progress.report(2, 2, "files")
    progress.report(3, 3, "chunks")
    progress.report(3, 3, "chunks")
    progress.report(5, None, "unknown")
    assert capsys.readouterr().err.splitlines() == ["2 of 2 files", "3 of 3 chunks"]
