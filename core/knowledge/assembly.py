"""Turn what a reader found into a parsed file: title, table of contents, line table, language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.domain import ParsedFile
from core.errors import ReadError
from core.knowledge.blocks import Block, Layout
from core.knowledge.lines import LineTable
from core.knowledge.sections import Heading, build_sections
from core.text.language import detect_language

_LANGUAGE_SAMPLE = 20_000
"""Characters that decide the language of an article."""
_NO_WORD = re.compile("[!-~]{200,}")
"""Keys, hashes and other endless strings say nothing of the language."""


def assemble(layout: Layout, fallback_title: str) -> ParsedFile:
    """Build the sections and lines of a file.

    A single outermost heading at the top is the article's own heading: it belongs to section 0.
    Raises ReadError when no line is left, so that an empty article never comes to be.
    """
    headings = [block for block in layout.blocks if block.kind == "heading"]
    own = _own_heading(layout, headings)
    title = layout.title or (own.title if own else "") or _first_title(layout) or fallback_title
    sections = build_sections(
        title,
        [
            Heading(
                block.level,
                block.title,
                block.anchor,
                block.page if block.page is not None else layout.places.page_at(block.start),
            )
            for block in headings
            if block is not own
        ],
        anchor=own.anchor if own else "",
        pages=layout.pages,
    )
    table = LineTable(layout.text, layout.places)
    section = 0
    for block in layout.blocks:
        if block.kind == "heading" and block is not own:
            section += 1
        table.add(block, section if block.section is None else block.section)
    lines = table.finish()
    if not lines:
        raise ReadError("There is no text in this file.")
    language = detect_language(_NO_WORD.sub(" ", layout.text[:_LANGUAGE_SAMPLE]))
    return ParsedFile(title, language, layout.text, sections, lines, layout.pages)


def _own_heading(layout: Layout, headings: Sequence[Block]) -> Block | None:
    """Find the heading that is the article's title: the first and only one of the shallowest level."""
    if not headings or not layout.own_heading:
        return None
    first = headings[0]
    if any(block.level <= first.level for block in headings[1:]):
        return None
    leads = first is layout.blocks[0] or first.level == 1
    return first if leads and layout.title in ("", first.title) else None


def _first_title(layout: Layout) -> str:
    leads = layout.own_heading and layout.blocks and layout.blocks[0].kind == "heading"
    return layout.blocks[0].title if leads else ""
