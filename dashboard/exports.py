"""Tables as files: CSV that spreadsheets read as text, and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO

from core.usecases.export_files import plain


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
