"""The table of contents: headings in the order of the text become a tree of sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain import Section

SEPARATOR = " > "


@dataclass(frozen=True, slots=True)
class Heading:
    """What the table of contents needs of a heading. level: 1 is the outermost; gaps are allowed."""

    level: int
    title: str
    anchor: str = ""
    page: int | None = None


def build_sections(
    title: str, headings: Sequence[Heading], *, anchor: str = "", pages: int | None = None
) -> tuple[Section, ...]:
    """Build the sections of an article; headings[i] becomes section i + 1.

    Section 0 is the article, level 0. Levels count nesting, so a heading that skips a level stands one
    below its parent. page_end is the page on which the next section of the same or a shallower level
    starts, or the last page.
    """
    first = 1 if pages is not None else None
    sections = [Section(0, 0, title, None, title, anchor, first, pages)]
    open_sections = [(0, 0)]  # (level in the source, ordinal), outermost first
    for heading in headings:
        while len(open_sections) > 1 and open_sections[-1][0] >= heading.level:
            open_sections.pop()
        parent = sections[open_sections[-1][1]]
        ordinal = len(sections)
        sections.append(
            Section(
                ordinal=ordinal,
                level=parent.level + 1,
                title=heading.title,
                parent=parent.ordinal,
                breadcrumb=_breadcrumb(parent, heading.title),
                anchor=heading.anchor,
                page_start=heading.page,
                page_end=heading.page,
            )
        )
        open_sections.append((max(heading.level, 1), ordinal))
    return tuple(sections) if pages is None else _with_last_pages(sections, pages)


def _breadcrumb(parent: Section, title: str) -> str:
    if not title or (parent.level == 0 and title == parent.title):
        return parent.breadcrumb
    return f"{parent.breadcrumb}{SEPARATOR}{title}" if parent.breadcrumb else title


def _with_last_pages(sections: list[Section], pages: int) -> tuple[Section, ...]:
    """Set every page_end in one pass from the back: the next start at the same or a shallower level."""
    ended: list[Section] = []
    starts: list[tuple[int, int]] = []  # (level, page) of what follows, nearest last, levels ascending
    for section in reversed(sections[1:]):
        page = section.page_start if section.page_start is not None else 1
        while starts and starts[-1][0] > section.level:
            starts.pop()
        last = starts[-1][1] if starts else pages
        ended.append(replace(section, page_end=max(last, page)))
        starts.append((section.level, page))
    return (sections[0], *reversed(ended))
