"""What a file of answers is called, where it lies, and how it is asked for; `exporting` writes it."""

from __future__ import annotations

from collections.abc import Mapping

from core.domain import Principal

FOLDER = "exports"
ANSWERS = "kiyo-answers"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_payload(wanted: Mapping[str, object], principal: Principal) -> dict[str, object]:
    """The payload of an `export` job. wanted: the filter as plain values. principal: who asks."""
    return {"answers": dict(wanted), "person": principal.id, "groups": sorted(principal.groups)}


def plain(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets a sign in front that makes it a text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
