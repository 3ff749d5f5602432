"""The file of `[rag.anchors] dictionary`: words of a domain that mean the same."""

from __future__ import annotations

import tomllib
from pathlib import Path

from core.errors import SettingsError
from core.rag.anchors.dictionary import DictionaryEntry, read_entries

_FORM = "every entry is a table [[entry]] with `terms` and, if you like, `related`, both lists of texts"
_read: dict[str, tuple[int, tuple[DictionaryEntry, ...]]] = {}
"""path -> when the file was changed, its entries."""


def load_dictionary(path: str) -> tuple[DictionaryEntry, ...]:
    """Its entries, read again when the file changes; none without a path.

    Raises SettingsError when it cannot be read or is no dictionary.
    """
    if not path:
        return ()
    try:
        modified_ns = Path(path).stat().st_mtime_ns
        known = _read.get(path)
        if known is None or known[0] != modified_ns:
            known = (modified_ns, _entries(Path(path).read_text(encoding="utf-8")))
            _read[path] = known
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsError(f"rag.anchors.dictionary: {path} cannot be read ({why}).") from error
    except ValueError as error:
        raise SettingsError(f"rag.anchors.dictionary: {path}: {error}.") from error
    return known[1]


def _entries(text: str) -> tuple[DictionaryEntry, ...]:
    content = tomllib.loads(text)
    rows = content.get("entry", [])
    if content.keys() - {"entry"} or not isinstance(rows, list) or not all(map(_is_entry, rows)):
        raise ValueError(_FORM)
    return read_entries(rows)


def _is_entry(row: object) -> bool:
    if not isinstance(row, dict) or not row.get("terms") or row.keys() - {"terms", "related"}:
        return False
    return all(isinstance(texts, list) and all(map(_is_text, texts)) for texts in row.values())


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
