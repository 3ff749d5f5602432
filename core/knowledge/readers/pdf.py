"""Read a PDF: its outline becomes the sections, its printed rows become running text.

The rows are joined into paragraphs, so that a sentence that runs over rows or pages is one line; a
word divided at the end of a row is put together; running headers, footers and page numbers are left
out; lowered glyphs are written d_k, which the terms of search also find as dk.
"""

from __future__ import annotations

import logging
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

from core.errors import NeedsOcrError, ReadError
from core.knowledge.blocks import Layout
from core.knowledge.readers.pdf_flow import flow_rows
from core.knowledge.readers.pdf_headings import find_headings
from core.knowledge.readers.pdf_margins import without_margins
from core.knowledge.readers.pdf_outline import OutlineEntry, read_outline
from core.knowledge.readers.pdf_rows import Glyph, Row, build_rows
from core.knowledge.readers.pdf_title import find_title

_BROKEN = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    AssertionError,
    NotImplementedError,
    RecursionError,
    OSError,
    struct.error,
    zlib.error,
)
"""What parsers raise on damaged files, besides their own errors."""
_SCANNED_CHARACTERS = 25
"""Characters a page below which a document of pictures counts as a scan."""


@dataclass(frozen=True, slots=True)
class _Pages:
    rows: list[list[Row]]
    with_pictures: int


def read_pdf(content: bytes) -> Layout:
    """Read a PDF.

    Sections come from the outline, by page and height of each destination; without an outline from rows
    that are clearly set as headings; References, Appendix and the like always begin one of their own.
    Anchors are page=N, as viewers understand it. Physical lines are the rows of a page in reading order.
    Raises ReadError for a broken or encrypted file and NeedsOcrError where there is no text layer.
    """
    outline, stated_title = _read_structure(content)
    pages = _read_pages(content)
    count = len(pages.rows)
    characters = sum(len(row.text) for rows in pages.rows for row in rows)
    if characters == 0 or (characters < _SCANNED_CHARACTERS * count and pages.with_pictures * 2 >= count):
        raise NeedsOcrError(
            f"This PDF needs OCR: its {count} pages hold pictures but no text."
            if count > 1
            else "This PDF needs OCR: its page holds no text."
        )
    body = without_margins(pages.rows)
    headings = find_headings(body, outline)
    title = find_title(stated_title, pages.rows[0])
    return flow_rows(body, headings, title, count)


def _read_structure(content: bytes) -> tuple[list[OutlineEntry], str]:
    """Read outline and stated title; a damaged outline counts as none."""
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import PyPdfError

    for vendor in ("pypdf", "pdfminer"):  # they log each oddity of a file, without its name
        logging.getLogger(vendor).setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise ReadError("This PDF is encrypted; please remove its password first.")
        pages = len(reader.pages)
    except (PyPdfError, *_BROKEN) as error:
        raise ReadError("This PDF is broken and cannot be opened.") from error
    if pages == 0:
        raise ReadError("This PDF has no pages.")
    try:
        title = str((reader.metadata.title if reader.metadata else "") or "")
    except (PyPdfError, *_BROKEN):
        title = ""
    try:
        return read_outline(reader), title
    except (PyPdfError, *_BROKEN):
        return [], title


def _read_pages(content: bytes) -> _Pages:
    import pdfplumber

    rows: list[list[Row]] = []
    with_pictures = 0
    with _translated_errors(), pdfplumber.open(BytesIO(content)) as pdf:
        for page in pdf.pages:
            glyphs = [
                Glyph(
                    char["text"],
                    float(char["x0"]),
                    float(char["x1"]),
                    float(char["top"]) + float(char["y1"]) - float(char["matrix"][5]),
                    float(char["size"]),
                    str(char["fontname"]),
                )
                for char in page.chars
                if char["upright"] and not char["text"].startswith("(cid:")
            ]
            rows.append(build_rows(_without_doubles(glyphs), page.page_number))
            with_pictures += bool(page.images)
            page.close()
    return _Pages(rows, with_pictures)


@contextmanager
def _translated_errors() -> Iterator[None]:
    from pdfminer.pdfexceptions import PDFException
    from pdfminer.psexceptions import PSException
    from pdfplumber.utils.exceptions import PdfminerException

    try:
        yield
    except (PDFException, PSException, PdfminerException, *_BROKEN) as error:
        raise ReadError("This PDF is broken: its pages cannot be read.") from error


def _without_doubles(glyphs: list[Glyph]) -> list[Glyph]:
    """Drop glyphs that are printed twice almost in one place to look bold."""
    printed: dict[tuple[str, int], list[float]] = defaultdict(list)
    kept: list[Glyph] = []
    for glyph in glyphs:
        places = printed[glyph.text, round(glyph.baseline)]
        near = 0.3 * (glyph.x1 - glyph.x0)
        if glyph.text.isspace() or not any(abs(glyph.x0 - place) < near for place in places):
            places.append(glyph.x0)
            kept.append(glyph)
    return kept
