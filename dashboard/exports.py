"""Tables as files: CSV that spreadsheets read as text, and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def table_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """The rows as CSV; nothing in it starts a formula."""
    written = StringIO()
    writer = csv.DictWriter(written, list(rows[0]))
    writer.writeheader()
    writer.writerows({name: plain(value) for name, value in row.items()} for row in rows)
    return written.getvalue()


def table_parquet(rows: Sequence[Mapping[str, object]]) -> bytes:
    """The rows as a Parquet file; numbers stay numbers."""
    import pyarrow  # type: ignore[import-untyped]  # it ships no types
    from pyarrow import parquet

    written = BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), written)
    return written.getvalue()


def plain(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets a sign in front that makes it a text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
