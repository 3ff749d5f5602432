"""Read HTML: what a reader of the page sees becomes plain text; the article's text is that text.

Offsets belong to the extracted text. Physical lines are those of the HTML source: each piece of text is
looked up there in order; a piece that is spelt differently in the source (by entities) takes the line of
the piece before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.knowledge.blocks import Block, BlockKind, Layout, Places, places_by_newline
from core.knowledge.folding import joint_between
from core.knowledge.slugs import Anchors

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_NEVER = frozenset(
    {"script", "style", "noscript", "template", "svg", "math", "head", "iframe", "canvas", "object", "embed"}
    | {"audio", "video", "map", "select", "button", "input", "textarea", "dialog"}
)
_FURNITURE = frozenset({"nav", "header", "footer", "aside"})
"""Left out unless nothing else is there; a header that holds the main heading is kept."""
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl"}
    | {"dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend"}
    | {"li", "main", "menu", "nav", "ol", "p", "section", "summary", "table", "tbody", "td", "tfoot", "th"}
    | {"thead", "tr", "ul"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LAYOUT_TABLE = "table, h1, h2, h3, h4, h5, h6, pre, article, section"
"""A table that holds one of these arranges the page; its cells are no rows of data."""
_SPACE = re.compile(r"\s+")
_KEY = re.compile(r"[^\s&<>\"'\u00a0]{1,24}")
_LOOKAHEAD = 100_000


def read_html(source: str) -> Layout:
    """Extract headings, paragraphs, list items, table rows and code of an HTML page.

    Scripts, styles and forms are left out, and so are nav, header, footer and aside if text remains
    without them. Anchors are the ids of headings, or of what they head. The title is the only h1 if
    the page's title agrees with it, else the page's title.
    """
    from selectolax.lexbor import LexborHTMLParser

    parser = LexborHTMLParser(source)
    root = parser.body or parser.root
    stated = parser.css_first("title")
    title = " ".join(stated.text().split()) if stated is not None else ""
    if root is None:
        return Layout("", title, (), places_by_newline(""))
    layout = _extract(root, source, with_furniture=False)
    if not layout.blocks:
        layout = _extract(root, source, with_furniture=True)
    first_level = [block.title for block in layout.blocks if block.kind == "heading" and block.level == 1]
    if len(first_level) == 1 and first_level[0] and (not title or first_level[0] in title):
        title = first_level[0]
    return Layout(layout.text, title, layout.blocks, layout.places)


def _extract(root: LexborNode, source: str, *, with_furniture: bool) -> Layout:
    writer = _Writer(source)
    for node, entering in _visit(root, with_furniture):
        if node.is_text_node:
            writer.add_text(node.text_content or "")
        elif entering:
            writer.enter(node)
        else:
            writer.leave(node)
    return writer.finish()


def _visit(root: LexborNode, with_furniture: bool) -> Iterator[tuple[LexborNode, bool]]:
    """Walk the tree in order; elements come twice, on entering and on leaving."""
    stack: list[tuple[LexborNode, bool]] = [(root, True)]
    while stack:
        node, entering = stack.pop()
        if not entering or node.is_text_node:
            yield node, entering
            continue
        if not node.is_element_node or _left_out(node, with_furniture):
            continue
        yield node, True
        stack.append((node, False))
        child = node.last_child
        while child is not None:
            stack.append((child, True))
            child = child.prev


def _left_out(node: LexborNode, with_furniture: bool) -> bool:
    tag = node.tag or ""
    if tag in _NEVER:
        return True
    attributes = node.attributes
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    if with_furniture or (tag not in _FURNITURE and attributes.get("role") != "navigation"):
        return False
    return tag != "header" or node.css_first("h1") is None


class _Writer:
    """Writes the text and its blocks; white space is folded as a browser folds it."""

    def __init__(self, source: str) -> None:
        self._source = _SourceLines(source)
        self._text: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._anchors = Anchors()
        self._offsets: list[int] = []
        self._numbers: list[int] = []
        self._kind: BlockKind = "paragraph"
        self._level = 0
        self._anchor = ""
        self._waiting_id = ""
        self._fresh_item = False
        self._rows = 0
        self._cells = 0
        self._last_kind: BlockKind | None = None
        self._open: list[tuple[str, int]] = []  # pieces of the open block with their source lines

    def enter(self, node: LexborNode) -> None:
        """Begin an element: block elements end what was open."""
        tag = node.tag or ""
        named = node.id or (node.attributes.get("name") if tag == "a" else None)
        if named and not (tag in _HEADINGS or self._level):
            self._waiting_id = named
        if self._level:
            self._anchor = self._anchor or named or ""
        if tag in _HEADINGS and not self._rows:
            self._close()
            self._kind, self._level = "heading", _HEADINGS[tag]
            self._anchor = named or self._waiting_id
        elif tag == "pre" and not self._rows:
            self._close()
            self._kind = "code"
        elif tag == "br":
            self._break()
        elif tag == "tr" and (self._rows or _is_data(node)):
            self._enter_row()
        elif tag in ("td", "th") and self._rows:
            if self._cells:
                self._open.append((" | ", self._source.line))
            self._cells += 1
        elif tag in _BLOCKS:
            self._break()
            self._fresh_item = self._fresh_item or (tag == "li" and not self._rows)

    def leave(self, node: LexborNode) -> None:
        """End an element."""
        tag = node.tag or ""
        if tag in _HEADINGS and self._level:
            self._close()
            self._level = 0
            self._kind = "paragraph"
        elif tag == "pre" and self._kind == "code":
            self._close()
            self._kind = "paragraph"
        elif tag == "tr" and self._rows:
            self._rows -= 1
            if not self._rows:
                self._close()
                self._kind = "paragraph"
        elif tag in _BLOCKS:
            self._break()
            if tag == "li":
                self._fresh_item = False

    def add_text(self, text: str) -> None:
        """Add the text of a node to the open block."""
        if self._kind == "code" or text.strip():
            self._open.append((text, self._source.find(text)))
        elif text and self._open:
            self._open.append((" ", self._source.line))

    def finish(self) -> Layout:
        """Give the text written so far."""
        self._close()
        text = "".join(self._text)
        return Layout(text, "", self._blocks, Places(self._offsets or [0], self._numbers or [1]))

    def _enter_row(self) -> None:
        if not self._rows:
            self._close()
            self._kind = "row"
            self._cells = 0
        self._rows += 1

    def _break(self) -> None:
        """End the open block, or inside a cell, a heading or code set a space or a line break."""
        if self._kind == "code":
            self._open.append(("\n", self._source.line))
        elif self._rows or self._level:
            self._open.append((" ", self._source.line))
        else:
            self._close()

    def _close(self) -> None:
        pieces, self._open = self._open, []
        kind = self._kind
        parts = _trimmed_code(pieces) if kind == "code" else _folded(pieces)
        if not any(text.strip(" |\n") for text, _ in parts):
            return
        if kind == "paragraph" and self._fresh_item:
            kind, self._fresh_item = "item", False
        self._separate(kind)
        start = self._length
        for text, line in parts:
            self._offsets.append(self._length)
            self._numbers.append(line)
            self._append(text)
        title = "".join(text for text, _ in parts) if kind == "heading" else ""
        anchor = self._anchors.claim(self._anchor) if kind == "heading" else ""
        self._blocks.append(Block(kind, start, self._length, self._level, title, anchor))
        self._waiting_id = ""

    def _separate(self, kind: BlockKind) -> None:
        if self._text:
            self._append("\n" if kind in ("item", "row") and self._last_kind == kind else "\n\n")
        if kind == "item":
            self._append("- ")
        self._last_kind = kind

    def _append(self, text: str) -> None:
        self._text.append(text)
        self._length += len(text)


def _is_data(row: LexborNode) -> bool:
    table = row.parent
    while table is not None and table.tag != "table":
        table = table.parent
    if table is None:
        return False
    return all(found.mem_id == table.mem_id for found in table.css(_LAYOUT_TABLE))


def _folded(pieces: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Fold white space to single spaces; a line break between Japanese characters goes."""
    folded: list[tuple[str, int]] = []
    space = ""
    last = ""
    for text, line in pieces:
        words = _SPACE.sub(_fold_space, text)
        lead = words[:1] if words[:1] in (" ", "\n") else ""
        tail = words[-1:] if words[-1:] in (" ", "\n") and len(words) > 1 else ""
        space = space or lead
        words = words.strip(" \n")
        if not words:
            continue
        inner = re.sub(r"(.)\n(.)", lambda m: m[1] + joint_between(m[1], m[2]) + m[2], words)
        joint = ""
        if last and space:
            joint = joint_between(last, inner[0]) if space == "\n" else " "
        folded.append((joint + inner.replace("\n", " "), line))
        last, space = inner[-1], tail
    return folded


def _fold_space(match: re.Match[str]) -> str:
    return "\n" if "\n" in match.group() else " "


def _trimmed_code(pieces: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Drop empty lines around the code; each physical line keeps its place in the source."""
    lines: list[tuple[str, int]] = []
    for text, line in pieces:
        for offset, part in enumerate(text.splitlines(keepends=True)):
            lines.append((part, line + offset))
    while lines and not lines[0][0].strip():
        lines.pop(0)
    while lines and not lines[-1][0].strip():
        lines.pop()
    if lines:
        lines[-1] = (lines[-1][0].rstrip(), lines[-1][1])
    return lines


class _SourceLines:
    """Finds on which line of the source each piece of text stands, going forward only."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._places = places_by_newline(source)
        body = re.search(r"<body\b", source, re.IGNORECASE)
        self._position = body.start() if body else 0
        self.line = self._places.line_at(self._position)

    def find(self, text: str) -> int:
        """Give the line of the first word of the text."""
        key = _KEY.search(text)
        if key is not None:
            limit = self._position + _LOOKAHEAD
            found = self._source.find(key.group(), self._position, limit)
            if found >= 0:
                self._position = found + len(key.group())
                self.line = self._places.line_at(found)
        return self.line
