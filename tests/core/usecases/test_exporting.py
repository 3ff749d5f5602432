"""Files of many answers."""

from __future__ import annotations

import csv
import io
import os
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.usecases.export_files import FOLDER, plain
from core.usecases.exporting import write_export


def rows(count: int) -> Iterator[dict[str, object]]:
    for number in range(count):
        yield {"id": f"x{number}", "question": f"犬は{number}？" if number else "=1+1", "share": None}


def read(folder: Path, file: object) -> list[list[str]]:
    with zipfile.ZipFile(folder / FOLDER / str(file)) as archive:
        text = archive.read("answers.csv").decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


def test_every_row_is_written_and_nothing_starts_a_formula(tmp_path: Path) -> None:
    made = write_export(tmp_path, "answers", rows(3))
    assert made["rows"] == 3
    header, first, second, _ = read(tmp_path, made["file"])
    assert header == ["id", "question", "share"]
    assert first == ["x0", "'=1+1", ""]
    assert second == ["x1", "犬は1？", ""]


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    peaks = []
    for count in (2_000, 40_000):
        tracemalloc.start()
        write_export(tmp_path, "answers", rows(count))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 200_000


def test_a_file_that_fails_halfway_is_not_left_behind(tmp_path: Path) -> None:
    def broken() -> Iterator[dict[str, object]]:
        yield {"id": "x0"}
        raise ValueError("gone")

    with pytest.raises(ValueError, match="gone"):
        write_export(tmp_path, "answers", broken())
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_files_of_the_day_before_are_taken_away(tmp_path: Path) -> None:
    old = write_export(tmp_path, "answers", rows(1), clock=lambda: 1_000_000.0)["file"]
    os.utime(tmp_path / FOLDER / old, (1_000_000, 1_000_000))
    write_export(tmp_path, "answers", rows(1), clock=lambda: 1_000_000.0 + 86_000)
    assert (tmp_path / FOLDER / old).exists()
    write_export(tmp_path, "answers", rows(1), clock=lambda: 1_000_000.0 + 90_000)
    assert not (tmp_path / FOLDER / old).exists()


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\tx"])
def test_texts_that_look_like_formulas_stay_texts(text: str) -> None:
    assert plain(text) == f"'{text}"
    assert plain(-1) == -1
