"""Small PDFs for the tests, drawn row by row, so that every place on the page is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO

# reportlab ships no types.
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

HEIGHT = float(A4[1])
LEADING = 12.0
JAPANESE = "HeiseiMin-W3"

Page = Callable[[Canvas], None]


def make_pdf(pages: Sequence[Page], title: str = "") -> bytes:
    """Draw the pages; each function draws one."""
    pdfmetrics.registerFont(UnicodeCIDFont(JAPANESE))
    stream = BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=1)
    if title:
        canvas.setTitle(title)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def write_rows(
    canvas: Canvas,
    rows: Sequence[str],
    top: float,
    *,
    left: float = 72.0,
    size: float = 10.0,
    font: str = "Helvetica",
) -> float:
    """Write rows below each other from `top` (points from the page's upper edge); returns where they end."""
    canvas.setFont(font, size)
    for row in rows:
        canvas.drawString(left, HEIGHT - top, row)
        top += LEADING
    return top


def bookmark(canvas: Canvas, title: str, top: float, level: int = 0) -> None:
    """Add an outline entry that points to that height of the current page."""
    key = f"{title}-{canvas.getPageNumber()}-{top}"
    canvas.bookmarkHorizontalAbsolute(key, HEIGHT - top)
    canvas.addOutlineEntry(title, key, level)
