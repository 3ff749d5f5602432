"""Check what a model quotes: a quote counts only where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain import Line
from core.text.normalise import normalise

_REFERENCE = re.compile(r"\[\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\]")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """valid, or the reason why not."""

    valid: bool
    reason: str = ""


def check_quote(lines: Sequence[Line], start: int | None, end: int | None, quote: str) -> QuoteCheck:
    """Whether `quote` stands in lines[start..end], both ordinals of the whole article.

    White space, width and reference marks such as [12] do not count. Numbers of lines within a page are what
    models mix up with ordinals; the quote then stands elsewhere and the check fails.
    """
    if start is None or end is None or not quote.strip():
        return QuoteCheck(False, "no lines or no quote")
    if not 0 <= start <= end < len(lines):
        return QuoteCheck(False, f"lines {start}-{end} do not exist")
    spanned = _fold(" ".join(line.text for line in lines[start : end + 1]))
    if _fold(quote) in spanned:
        return QuoteCheck(True)
    return QuoteCheck(False, f"the quote does not stand in lines {start}-{end}")


def _fold(text: str) -> str:
    return _SPACE.sub("", _REFERENCE.sub("", normalise(text)))
