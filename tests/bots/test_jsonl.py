"""Files with one JSON object a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.jsonl import read_lines, read_rows
from core.errors import ReadError


def test_empty_lines_a_byte_order_mark_and_odd_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes('\ufeff{"a": "x\u2028y"}\r\n\n{"a": "有給"}\n'.encode())
    assert read_rows(path) == [{"a": "x\u2028y"}, {"a": "有給"}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{}\n{", "line 2: not valid JSON"),
        (b"[1]", "line 1: expected"),
        (b"[" * 100_000, "line 1: not valid JSON"),
        (b'{}\n{"a": "\xff"}', "line 2: not UTF-8"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(ReadError, match=said):
        read_rows(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"absent\.jsonl does not exist"):
        read_lines(tmp_path / "absent.jsonl")
    with pytest.raises(ReadError, match="cannot be read"):
        read_lines(tmp_path)
