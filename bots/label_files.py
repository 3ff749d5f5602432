"""Labels as JSON lines and as CSV, for people who label in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bots.jsonl import read_lines, read_rows
from core.errors import AskerError, ReadError

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet runs what begins like this."""


def write_labels(path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Write rows as the ending of the file says. Raises AskerError for other endings and unwritable files."""
    text = _to_csv(rows, columns) if _is_csv(path) else _to_json_lines(rows)
    try:
        # A byte order mark, or spreadsheets take the text for an old encoding.
        path.write_text(text, encoding="utf-8-sig" if _is_csv(path) else "utf-8", newline="")
    except OSError as error:
        raise AskerError(f"{path} cannot be written: {error.strerror or error}.") from error


def read_labels(path: Path) -> list[dict[str, Any]]:
    """Raises ReadError naming the file and what is wrong with it, AskerError for other endings."""
    if not _is_csv(path):
        return read_rows(path)
    text = "\n".join(read_lines(path))
    try:
        text.encode()
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        return [{name: _plain(value) for name, value in row.items() if name} for row in reader]
    except UnicodeEncodeError:
        raise ReadError(f"{path}: not UTF-8; save the sheet as “CSV UTF-8”.") from None
    except csv.Error as error:
        raise ReadError(f"{path}: not valid CSV ({error}).") from error


def _is_csv(path: Path) -> bool:
    if path.suffix.lower() not in (".csv", ".jsonl"):
        raise AskerError(f"{path.name}: labels are files that end in .jsonl or .csv.")
    return path.suffix.lower() == ".csv"


def _to_json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(dict(row), ensure_ascii=False)}\n" for row in rows)


def _to_csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows({name: _harmless(row[name]) for name in columns} for row in rows)
    return out.getvalue()


def _harmless(value: object) -> object:
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else value


def _plain(value: object) -> object:
    """What `_harmless` was given."""
    text = value if isinstance(value, str) else ""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else value
