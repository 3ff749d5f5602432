"""Results go to stdout, everything else to stderr."""

from __future__ import annotations

import io
import json

import pytest

from bots.console import PlainProgress, note, one_line, show_progress, write, write_json

HOSTILE = "a\x1b[31mb\x07c\rd\x9be\u202ef\u2066g"


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


def test_nothing_that_is_written_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    write(HOSTILE)
    note(HOSTILE)
    shown = capsys.readouterr()
    assert shown.out == shown.err == "a\ufffd[31mb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg\n"


def test_json_escapes_what_commands_a_terminal_and_reads_back_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_json({"answer": HOSTILE})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {"answer": HOSTILE}
    assert all(character == "\n" or character.isprintable() for character in shown)


def test_json_stays_json_where_stdout_cannot_write_every_character(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, "euc-jp", errors="backslashreplace"))
    write_json({"answer": "有給 😀 \udcff"})
    assert json.loads(written.getvalue().decode("euc-jp")) == {"answer": "有給 😀 \udcff"}


def test_a_name_stays_on_its_line() -> None:
    assert one_line("two\nlines\x1b[2J.md") == "two\ufffdlines\ufffd[2J.md"


def test_a_file_name_cannot_end_a_line_of_progress(capsys: pytest.CaptureFixture[str]) -> None:
    PlainProgress().report(1, 1, "a\nb.md")
    assert capsys.readouterr().err == "1 of 1 a\ufffdb.md\n"
