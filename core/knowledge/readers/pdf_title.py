"""Find the title of a PDF: what it states itself, or what is printed largest at its beginning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from core.knowledge.folding import joint_between
from core.knowledge.readers.pdf_rows import Row

_NO_TITLE = re.compile(
    r"\s*|untitled.*|無題.*|document\d*|title|contents|目次|table of contents|スライド\s*\d*"
    r"|microsoft (?:word|powerpoint|excel).*"
    r"|.*\.(?:docx?|pdf|tex|dvi|indd|pptx?|xlsx?|md|html?|odt|rtf|txt)|[\W\d_]+",
    re.IGNORECASE,
)
_FIRST_ROWS = 12
_LONGEST = 160


def find_title(stated: str, first_page: Sequence[Row]) -> str:
    """Give the stated title if it is one, else the largest rows at the top of page 1, else ""."""
    title = " ".join(stated.replace("\x00", "").split())
    if not _NO_TITLE.fullmatch(title):
        return title
    sizes = [row.size for row in first_page for _ in row.text]
    if not sizes:
        return ""
    top = [row for row in first_page[:_FIRST_ROWS] if any(character.isalpha() for character in row.text)]
    largest = max((row.size for row in top), default=0.0)
    if largest < 1.15 * median(sizes):
        return ""
    title = ""
    for row in top:
        if row.size >= 0.95 * largest:
            title += (joint_between(title[-1], row.text[0]) if title else "") + row.text
        elif title:
            break
    return title if len(title) <= _LONGEST else ""
