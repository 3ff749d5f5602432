"""The lines of an article as HTML, tinted by how many statements they carried; every text is escaped."""

from __future__ import annotations

import math
from html import escape

from core.storage.article_reports import Heat, HeatedLine
from dashboard.text import Words

COLOUR = "#0072B2"
DEEPEST = 46
"""Per cent of the colour behind the line that carried most; the text stays readable on it."""
FAINTEST = 8
FEW = 5
"""Where no line carried more than this, none has the deepest colour."""

LINES_STYLE = f"""<style>
.kiyo-h{{display:grid;grid-template-columns:3.2rem 1fr;gap:.6rem;padding:.14rem .6rem .14rem 0;
 line-height:1.6;
 background:color-mix(in srgb,{COLOUR} var(--n),transparent);overflow-wrap:anywhere}}
.kiyo-h span{{text-align:right;font-variant-numeric:tabular-nums;font-size:.8rem;opacity:.8;
 border-left:var(--w) solid {COLOUR};padding-top:.12rem}}
.kiyo-h b{{font-weight:700}}
.kiyo-h code{{white-space:pre-wrap}}
.kiyo-h s{{opacity:.85}}
.kiyo-p{{border-top:1px dashed rgba(128,128,128,.5);font-size:.75rem;opacity:.7;margin:.35rem 0 .1rem}}
</style>"""


def lines_html(heat: Heat, words: Words) -> str:
    """Every line with its count; the deeper the tint and the wider the bar, the more it carried."""
    parts: list[str] = []
    page = None
    for line in heat.lines:
        if line.page is not None and line.page != page:
            page = line.page
            parts.append(f'<div class="kiyo-p">{escape(words("page_number", page=page))}</div>')
        hint = words("line_hint", line=line.line_start, count=line.statements)
        parts.append(_row(_tagged(line), line.statements, heat.most, hint))
    return f'<div role="list">{"".join(parts)}</div>'


def lost_html(heat: Heat, words: Words) -> str:
    """Lines that carried something and are gone, struck through, with the day on which they went."""
    most = max((line.statements for line in heat.lost), default=0)
    rows = [
        _row(
            f"<s>{escape(line.excerpt)}</s>",
            line.statements,
            most,
            words("gone_hint", day=f"{line.gone_at:%Y-%m-%d}", count=line.statements),
        )
        for line in heat.lost
    ]
    return f'<div role="list">{"".join(rows)}</div>'


def depth(statements: int, most: int) -> int:
    """Per cent of colour behind a line; by the square root, so that small counts are seen beside large."""
    if not statements or not most:
        return 0
    return round(FAINTEST + (DEEPEST - FAINTEST) * math.sqrt(statements / max(most, FEW)))


def _tagged(line: HeatedLine) -> str:
    text = escape(line.text)
    if line.kind == "heading":
        return f"<b>{text}</b>"
    return f"<code>{text}</code>" if line.kind == "code" else text


def _row(inside: str, statements: int, most: int, hint: str) -> str:
    share = depth(statements, most)
    bar = 0 if not share else 2 + round(6 * share / DEEPEST)
    count = f"{statements:,}" if statements else ""
    return (
        f'<div class="kiyo-h" role="listitem" title="{escape(hint)}" style="--n:{share}%;--w:{bar}px">'
        f"<span>{count}</span><div>{inside}</div></div>"
    )
