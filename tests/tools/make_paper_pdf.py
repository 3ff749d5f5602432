"""Draw the synthetic paper of the anchor tests from the text beside this file.

    python tests/tools/make_paper_pdf.py        writes tests/data/paper.pdf

It has the headings, levels and pages of a well-known paper on attention, and sentences of its own. The text
is a small markup: `#` to `###` numbered headings that are entries of the outline, `!` headings that are not,
`~` a subtitle, `=` a centred row, `- ` and `* ` items, `|` rows of a table, `%%` a new page, `d_{k}` and
`n^{2}` lowered and raised letters, everything else paragraphs. Equal text gives equal bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# reportlab ships no types
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

HERE = Path(__file__).parent
SOURCE = HERE / "paper.md"
TARGET = HERE.parent / "data" / "paper.pdf"

WIDTH, HEIGHT = A4
LEFT, TOP, BOTTOM = 90.0, 90.0, 90.0
LEADING = 13.0
BODY, BOLD = "Times-Roman", "Times-Bold"
HEADING_SIZES = {1: 14.0, 2: 12.0, 3: 11.0}
_SCRIPT = re.compile(r"([_^])\{([^}]*)\}")


@dataclass(slots=True)
class _Pen:
    """Where on the page the next row goes; y in points from the lower edge."""

    canvas: Canvas
    y: float = HEIGHT - TOP
    numbers: list[int] = field(default_factory=lambda: [0, 0, 0])

    def down(self, step: float = LEADING) -> None:
        self.y -= step
        if self.y < BOTTOM:
            raise ValueError(f"page {self.canvas.getPageNumber()} is too full")

    def next_page(self) -> None:
        self.canvas.setFont(BODY, 9)
        self.canvas.drawCentredString(WIDTH / 2, BOTTOM / 2, str(self.canvas.getPageNumber()))
        self.canvas.showPage()
        self.y = HEIGHT - TOP


def draw_paper(text: str) -> bytes:
    """The PDF of a text in the markup above. Raises ValueError when a page is too full for its text."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1, pageCompression=0)
    canvas.setTitle(text.splitlines()[0].removeprefix("! "))
    pen = _Pen(canvas)
    for piece in re.split(r"\n\s*\n", text.strip()):
        _draw_piece(pen, piece)
    pen.next_page()
    canvas.save()
    return buffer.getvalue()


def read_text() -> str:
    """The markup of the paper."""
    return SOURCE.read_text(encoding="utf-8")


def _draw_piece(pen: _Pen, piece: str) -> None:
    mark, _, rest = piece.partition(" ")
    if piece.strip() == "%%":
        pen.next_page()
    elif set(mark) == {"#"}:
        _draw_heading(pen, len(mark), rest)
    elif mark == "!":
        pen.down(6)
        _draw_row(pen, rest, LEFT, 14.0, BOLD)
        pen.down(LEADING + 6)
    elif mark in ("=", "~"):
        for row in _wrap(rest, WIDTH - 2 * LEFT, 10.0):
            _draw_row(pen, row, (WIDTH - _width(row, 10.0)) / 2, 10.0)
            pen.down()
        pen.down(5)
    elif mark == "|":
        _draw_table(pen, piece.splitlines())
    elif mark in ("-", "*"):
        for line in piece.splitlines():
            _draw_paragraph(pen, line[2:], bullet="\u2022" if mark == "-" else "")
    else:
        _draw_paragraph(pen, " ".join(piece.split()))


def _draw_heading(pen: _Pen, level: int, title: str) -> None:
    pen.numbers[level - 1] += 1
    pen.numbers[level:] = [0] * (3 - level)
    size = HEADING_SIZES[level]
    pen.down(8)
    key = f"section.{'.'.join(str(n) for n in pen.numbers)}"
    pen.canvas.bookmarkPage(key, fit="XYZ", left=LEFT, top=pen.y + size + 2)
    pen.canvas.addOutlineEntry(title, key, level - 1)
    number = ".".join(str(n) for n in pen.numbers[:level])
    _draw_row(pen, f"{number}  {title}", LEFT, size, BOLD)
    pen.down(LEADING + 5)


def _draw_paragraph(pen: _Pen, text: str, bullet: str = "") -> None:
    indent = 14.0 if bullet else 0.0
    for n, row in enumerate(_wrap(text, WIDTH - 2 * LEFT - indent, 10.0)):
        if bullet and n == 0:
            _draw_row(pen, bullet, LEFT, 10.0)
        _draw_row(pen, row, LEFT + indent, 10.0)
        pen.down()
    pen.down(5)


def _draw_table(pen: _Pen, lines: list[str]) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    widths = [max(_width(row[i], 10.0) for row in rows) for i in range(len(rows[0]))]
    gap = (WIDTH - 2 * LEFT - sum(widths)) / max(len(widths) - 1, 1)
    for row in rows:
        x = LEFT
        for cell, width in zip(row, widths, strict=True):
            _draw_row(pen, cell, x, 10.0)
            x += width + gap
        pen.down()
    pen.down(8)


def _draw_row(pen: _Pen, row: str, x: float, size: float, font: str = BODY) -> None:
    for part, scale, rise in _parts(row):
        pen.canvas.setFont(font, size * scale)
        pen.canvas.drawString(x, pen.y + rise * size, part)
        x += stringWidth(part, font, size * scale)


def _parts(row: str) -> Iterator[tuple[str, float, float]]:
    """Yield (text, share of the size, rise in sizes): scripts are small."""
    position = 0
    for match in _SCRIPT.finditer(row):
        yield row[position : match.start()], 1.0, 0.0
        yield match[2], 0.7, -0.2 if match[1] == "_" else 0.35
        position = match.end()
    yield row[position:], 1.0, 0.0


def _width(row: str, size: float) -> float:
    return float(sum(stringWidth(part, BODY, size * scale) for part, scale, _ in _parts(row)))


def _wrap(text: str, width: float, size: float) -> list[str]:
    rows = [""]
    for word in text.split():
        longer = f"{rows[-1]} {word}".strip()
        if _width(longer, size) > width and rows[-1]:
            rows.append(word)
        else:
            rows[-1] = longer
    return rows


if __name__ == "__main__":
    TARGET.write_bytes(draw_paper(read_text()))
