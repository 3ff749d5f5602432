"""Checks the files of a tantivy index against the checksums that tantivy writes and does not read.

tantivy panics, which Python can hardly catch, when it meets a damaged file in the middle of a search.
"""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

_TAIL = struct.Struct("<II")
"""Length of the footer before it, and a fixed number that marks tantivy's files."""

_MARK = 1337


def check_sums(home: Path) -> None:
    """Read every file of the committed segments once (about 30 ms for 60 MB).

    Raises ValueError when a file differs from its checksum, OSError when the folder cannot be read.
    Files of an unfinished commit are not looked at.
    """
    segments = json.loads((home / "meta.json").read_text("utf-8"))["segments"]
    committed = {segment["segment_id"].replace("-", "") for segment in segments}
    for path in sorted(home.iterdir()):
        if path.name.partition(".")[0] in committed and not _is_intact(path.read_bytes()):
            raise ValueError(f"{path.name} differs from its checksum")


def _is_intact(content: bytes) -> bool:
    if len(content) < _TAIL.size:
        return False
    length, mark = _TAIL.unpack_from(content, len(content) - _TAIL.size)
    start = len(content) - _TAIL.size - length
    if mark != _MARK or start < 0:
        return False
    try:
        expected = json.loads(content[start : -_TAIL.size])["crc"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(zlib.crc32(memoryview(content)[:start]) == expected)
