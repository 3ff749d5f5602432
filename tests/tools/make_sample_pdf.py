"""Draw the two PDF manuals of the sample knowledge base from the texts beside this file.

    python tests/tools/make_sample_pdf.py        writes both below core/sample/knowledge

The text is a small part of Markdown: `#` to `###` headings (they become the outline), paragraphs,
`- ` and `1. ` items, and tables. Pages are uncompressed and carry no date, so that the same text
gives the same bytes with every zlib.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

# reportlab ships no types
from reportlab import platypus  # type: ignore[import-untyped]
from reportlab.lib import colors, pagesizes, styles, units  # type: ignore[import-untyped]
from reportlab.pdfbase import cidfonts, pdfmetrics  # type: ignore[import-untyped]

HERE = Path(__file__).parent
KNOWLEDGE = HERE.parents[1] / "core" / "sample" / "knowledge"
PAGE = pagesizes.A5
MARGIN = 16 * units.mm
FOOT = 9 * units.mm
HEADING_SIZES = {1: 15, 2: 12.5, 3: 11}


@dataclass(frozen=True, slots=True)
class Manual:
    """One PDF to draw: its text, its place, its fonts and what stands on top of the first page."""

    source: Path
    target: Path
    title: str
    subtitle: str
    body_font: str
    heading_font: str
    bullet: str
    word_wrap: str | None


MANUALS = (
    Manual(
        source=HERE / "manual-ja.md",
        target=KNOWLEDGE / "product" / "ja" / "tokiame-manual.pdf",
        title="Tokiame TA-4 / TA-8 取扱説明書",
        subtitle="株式会社カゼミズ製作所　第4版　2026年10月",
        body_font="HeiseiMin-W3",
        heading_font="HeiseiKakuGo-W5",
        bullet="・ ",
        word_wrap="CJK",
    ),
    Manual(
        source=HERE / "manual-en.md",
        target=KNOWLEDGE / "product" / "en" / "tokiame-manual.pdf",
        title="Tokiame TA-4 / TA-8 User Manual",
        subtitle="Kazemizu Works, second edition, May 2025",
        body_font="Times-Roman",
        heading_font="Helvetica-Bold",
        bullet="- ",
        word_wrap=None,
    ),
)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the text: heading level 1 to 3, or 0 for a paragraph, item or table."""

    level: int
    lines: tuple[str, ...]

    @property
    def is_table(self) -> bool:
        return self.lines[0].startswith("|")


def draw_manual(manual: Manual) -> bytes:
    """Lay the manual out and return the PDF, equal bytes for equal text."""
    for font in (manual.body_font, manual.heading_font):
        if font.startswith("Heisei"):
            pdfmetrics.registerFont(cidfonts.UnicodeCIDFont(font))
    buffer = io.BytesIO()
    template = _ManualTemplate(buffer, manual)
    template.build([*_title(manual), *_flow(manual)])
    return buffer.getvalue()


class _ManualTemplate(platypus.BaseDocTemplate):  # type: ignore[misc] # reportlab ships no types
    """Adds an outline entry for each heading and a page number at the foot."""

    def __init__(self, buffer: io.BytesIO, manual: Manual) -> None:
        super().__init__(
            buffer, pagesize=PAGE, invariant=1, pageCompression=0, title=manual.title, author="Kazemizu Works"
        )
        width, height = PAGE
        frame = platypus.Frame(MARGIN, MARGIN, width - 2 * MARGIN, height - 2 * MARGIN, 0, 0, 0, 0)
        self.addPageTemplates(platypus.PageTemplate(frames=[frame], onPage=_draw_page_number))

    def afterFlowable(self, flowable: platypus.Flowable) -> None:  # noqa: N802 - the name is reportlab's
        level = getattr(flowable, "outline_level", None)
        if level is None:
            return
        key = f"h{self.canv.getPageNumber()}-{round(self.frame._y)}"
        self.canv.bookmarkHorizontal(key, 0, self.frame._y + flowable.height)
        self.canv.addOutlineEntry(flowable.outline_title, key, level - 1)


def _draw_page_number(canvas: Any, _template: platypus.BaseDocTemplate) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawCentredString(PAGE[0] / 2, FOOT, str(canvas.getPageNumber()))


def _title(manual: Manual) -> list[platypus.Flowable]:
    big = _style(manual, manual.heading_font, 18, space_after=4)
    small = _style(manual, manual.body_font, 9, space_after=10)
    return [platypus.Paragraph(escape(manual.title), big), platypus.Paragraph(escape(manual.subtitle), small)]


def _flow(manual: Manual) -> Iterator[platypus.Flowable]:
    body = _style(manual, manual.body_font, 10.5, space_after=6)
    item = _style(manual, manual.body_font, 10.5, space_after=3, indent=12)
    for block in split_blocks(manual.source.read_text(encoding="utf-8")):
        if block.level:
            yield _heading(manual, block)
        elif block.is_table:
            yield _table(manual, block)
        else:
            for line in block.lines:
                listed = re.match(r"(- |\d+\. )", line)
                yield platypus.Paragraph(
                    escape(re.sub(r"^- ", manual.bullet, line)), item if listed else body
                )


def split_blocks(text: str) -> Iterator[Block]:
    """Cut a manual's text at blank lines and name the heading level of each piece."""
    for piece in re.split(r"\n\s*\n", text.strip()):
        marks = re.match(r"(#{1,3}) ", piece)
        if marks:
            yield Block(len(marks[1]), (piece[marks.end() :],))
        else:
            yield Block(0, tuple(piece.splitlines()))


def _heading(manual: Manual, block: Block) -> platypus.Flowable:
    style = _style(manual, manual.heading_font, HEADING_SIZES[block.level], space_after=4)
    style.spaceBefore = 12 - 2 * block.level
    style.keepWithNext = 1
    heading = platypus.Paragraph(escape(block.lines[0]), style)
    heading.outline_level = block.level
    heading.outline_title = block.lines[0]
    return heading


def _table(manual: Manual, block: Block) -> platypus.Flowable:
    cell = _style(manual, manual.body_font, 9, space_after=0)
    rows = [
        [platypus.Paragraph(escape(text.strip()), cell) for text in line.strip("|").split("|")]
        for line in block.lines
        if not line.startswith("|---")
    ]
    lines = platypus.TableStyle(
        [("GRID", (0, 0), (-1, -1), 0.4, colors.grey), ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke)]
    )
    table = platypus.Table(rows, repeatRows=1, spaceAfter=8)
    table.setStyle(lines)
    return table


def _style(
    manual: Manual, font: str, size: float, *, space_after: float, indent: float = 0
) -> styles.ParagraphStyle:
    return styles.ParagraphStyle(
        f"{font}-{size}-{indent}",
        fontName=font,
        fontSize=size,
        leading=size * 1.55,
        spaceAfter=space_after,
        leftIndent=indent,
        wordWrap=manual.word_wrap,
    )


def write_manuals() -> None:
    """Draw both manuals and put them where the sample knowledge base has them."""
    for manual in MANUALS:
        manual.target.write_bytes(draw_manual(manual))


if __name__ == "__main__":
    write_manuals()
