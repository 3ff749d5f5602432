"""The detector of named places: "page 8", "section 3.2", 第5条."""

from __future__ import annotations

import re
import unicodedata

from core.rag.anchors.hits import AnchorHit
from core.rag.anchors.keyword_detectors import unit_of_section
from core.rag.anchors.parsing import AnchorQuestion
from core.rag.anchors.tables import DocumentTables

_NUMBER = re.compile(
    r"^(?:(?:section|chapter|article|appendix)\s+)?(\d+(?:\.\d+)*|[a-z](?=[\s.:]))\.?", re.IGNORECASE
)
_JAPANESE_NUMBER = re.compile(r"^第\s*(\d+|[一二三四五六七八九十]+)\s*[章節条項編]")
_KANJI = {character: value for value, character in enumerate("一二三四五六七八九十", start=1)}


def detect_named(document: int, tables: DocumentTables, question: AnchorQuestion) -> list[AnchorHit]:
    """Pages and sections that the question names, in reading order, whether or not they hold a keyword."""
    pages = [
        AnchorHit(document, "named", 1.0, page=page)
        for page in sorted(question.pages & {int(page) for page in tables.pages if page})
    ]
    if not question.sections:
        return pages
    units = unit_of_section(tables)
    printed = {line.section: line.text for line in reversed(tables.lines) if line.kind == "heading"}
    return pages + [
        AnchorHit(document, "named", 1.0, units.get(s.ordinal), s.page_start, None, s.ordinal)
        for s in tables.toc
        if section_number(printed.get(s.ordinal) or s.title) in question.sections
    ]


def section_number(heading: str) -> str:
    """The number that a heading begins with ("3.2.1 Attention": "3.2.1", "第五条": "5"), "" for none."""
    folded = unicodedata.normalize("NFKC", heading).strip()
    japanese = _JAPANESE_NUMBER.match(folded)
    if japanese:
        return japanese[1] if japanese[1].isdigit() else str(_read_kanji(japanese[1]))
    number = _NUMBER.match(folded)
    return number[1].lower() if number else ""


def _read_kanji(digits: str) -> int:
    """Numbers up to 99."""
    tens, _, ones = digits.rpartition("十")
    if "十" not in digits:
        return _KANJI.get(digits, 0)
    return 10 * (_KANJI.get(tens, 0) if tens else 1) + (_KANJI.get(ones, 0) if ones else 0)
