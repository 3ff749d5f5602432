"""Files with one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.errors import ReadError


def read_rows(path: Path) -> list[dict[str, Any]]:
    """All objects; empty lines are passed over. Raises ReadError naming the file, the line and the fault."""
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            line.encode()
            row = json.loads(line)
        except UnicodeEncodeError as error:
            raise ReadError(f"{path}, line {number}: not UTF-8.") from error
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{path}, line {number}: not valid JSON ({error}).") from error
        if not isinstance(row, dict):
            raise ReadError(f"{path}, line {number}: expected an object.")
        rows.append(row)
    return rows


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file, a byte order mark left out. Raises ReadError.

    A byte that is no UTF-8 stands in its line as a lone surrogate, so that the line can be named.
    """
    try:
        return path.read_text(encoding="utf-8-sig", errors="surrogateescape").split("\n")
    except FileNotFoundError:
        raise ReadError(f"{path} does not exist.") from None
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from error
