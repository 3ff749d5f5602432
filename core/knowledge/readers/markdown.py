"""Read Markdown: headings, paragraphs, list items, table rows and code, at their exact positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from core.knowledge.blocks import Block, BlockKind, Layout, places_by_newline
from core.knowledge.slugs import Anchors, slugify

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_WRITTEN_ANCHOR = re.compile(r"[ \t]*\{[ \t]*#([^\s{}]+)[^{}]*\}[ \t]*$")
_DIRECTIVE = re.compile(r"[ \t]*(?:/{3,}.*|:{3,}.*|!{3}[ \t].*|\{\*.*\*\}|\[TOC\])[ \t]*", re.IGNORECASE)
"""Lines that steer a site generator (admonition borders, includes); they say nothing themselves."""
_QUOTE = r"[ \t]*(?:>[ \t]?)+"
_MARKER = re.compile(r"[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]+|>)*")
_CLOSING_HASHES = re.compile(r"[ \t]+#+$")
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<[!?][^<>]*>")


def read_markdown(text: str) -> Layout:
    """Find the blocks of a Markdown text (CommonMark with tables and front matter).

    A heading's anchor is the one written behind it ({ #anchor }), else GitHub's slug. Headings inside
    fences, quotes and lists open no section. Front matter, link definitions, HTML comments and the
    border lines of admonitions are no blocks; they stay in the text.
    """
    front = _FRONT_MATTER.match(text)
    title = _FRONT_TITLE.search(front.group(1) or "") if front else None
    places = places_by_newline(text)
    reader = _Reader(text, list(places.offsets), text.count("\n", 0, front.end()) if front else 0)
    body = text[front.end() :] if front else text
    blocks = list(reader.blocks(_parser().parse(body)))
    name = title.group(1).strip("\"'") if title else ""
    return Layout(text, name, blocks, places)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable("inline")  # only headings need their inline markup read
    return parser


def plain_title(markup: str) -> str:
    """Strip a heading's inline markup: links keep their text, code and emphasis lose their marks."""
    if not re.search(r"[*_`\[\]<>\\&]", markup):
        return markup
    parser = _parser()
    children: list[Token] = []
    parser.inline.parse(markup, parser, {}, children)
    shown = "".join(t.content for t in children if t.type in ("text", "code_inline", "text_special"))
    return " ".join(shown.split())


class _Reader:
    def __init__(self, text: str, offsets: list[int], first_line: int) -> None:
        self._text = text
        self._offsets = [*offsets, len(text) + 1]
        self._shift = first_line
        self._anchors = Anchors()

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        quotes = 0
        first_of_item = False
        table = False
        heading: Token | None = None
        for token in tokens:
            kind = token.type
            if kind == "blockquote_open":
                quotes += 1
            elif kind == "blockquote_close":
                quotes -= 1
            elif kind == "list_item_open":
                first_of_item = True
            elif kind in ("table_open", "table_close"):
                table = kind == "table_open"
            elif kind == "heading_open":
                heading = token if token.level == 0 else None
            elif kind == "tr_open":
                yield from self._row(token)
            elif kind in ("fence", "code_block"):
                yield from self._code(token)
            elif kind == "html_block":
                yield from self._html(token)
            elif kind == "inline" and not table:
                if heading is not None:
                    yield self._heading(token, heading)
                    heading = None
                else:
                    block_kind: BlockKind = "item" if first_of_item else "paragraph"
                    yield from self._prose(token, block_kind, _QUOTE if quotes else "")
                first_of_item = False

    def _lines_of(self, token: Token) -> tuple[int, int]:
        first, last = token.map if token.map is not None else (0, 0)
        return first + self._shift, last + self._shift

    def _line(self, number: int) -> tuple[int, int]:
        """Span of a physical line, 0-based, without its newline."""
        return self._offsets[number], self._offsets[number + 1] - 1

    def _span(self, token: Token) -> tuple[int, int]:
        """Where an inline token's content stands, without list and quote markers around it."""
        first, last = self._lines_of(token)
        contents = token.content.split("\n")
        last = first + len(contents) if token.content else last
        line_start, line_end = self._line(first)
        start = self._text.find(contents[0], line_start, line_end)
        if start < 0:
            marker = _MARKER.match(self._text, line_start, line_end)
            start = marker.end() if marker else line_start
        line_start, line_end = self._line(last - 1)
        found = self._text.rfind(contents[-1], max(line_start, start), line_end)
        end = line_end if found < 0 else found + len(contents[-1])
        return start, max(start, end)

    def _heading(self, inline: Token, opening: Token) -> Block:
        start, end = self._span(inline)
        markup = inline.content
        anchor = _WRITTEN_ANCHOR.search(markup)
        if anchor:
            markup = markup[: anchor.start()]
            end = start + len(markup) if "\n" not in inline.content else end
        title = plain_title(" ".join(markup.split()))
        wanted = anchor.group(1) if anchor else slugify(title)
        level = int(opening.tag[1:])
        return Block("heading", start, end, level, title, self._anchors.claim(wanted))

    def _prose(self, token: Token, kind: BlockKind, continuation: str) -> Iterator[Block]:
        """Yield a paragraph, split where a line steers the site generator instead of saying something."""
        start, end = self._span(token)
        if not any(_DIRECTIVE.fullmatch(line) for line in token.content.split("\n")):
            yield Block(kind, start, end, continuation=continuation)
            return
        open_at: int | None = None
        position = start
        while position < end:
            stop = self._text.find("\n", position, end)
            stop = end if stop < 0 else stop
            if _DIRECTIVE.fullmatch(self._text, position, stop):
                if open_at is not None:
                    yield Block(kind, open_at, position, continuation=continuation)
                open_at = None
            elif open_at is None:
                open_at = position
            position = stop + 1
        if open_at is not None:
            yield Block(kind, open_at, end, continuation=continuation)

    def _row(self, token: Token) -> Iterator[Block]:
        start, end = self._line(self._lines_of(token)[0])
        marker = _MARKER.match(self._text, start, end)
        start = marker.end() if marker else start
        row = self._text[start:end]
        content = row.strip().removeprefix("|").removesuffix("|").strip()
        if content:
            start += row.find(content)
            yield Block("row", start, start + len(content))

    def _code(self, token: Token) -> Iterator[Block]:
        first, last = self._lines_of(token)
        if token.type == "fence":
            first += 1
            if last > first and _FENCE.fullmatch(self._text, *self._line(last - 1)):
                last -= 1
        if last > first:
            yield Block("code", self._line(first)[0], self._line(last - 1)[1])

    def _html(self, token: Token) -> Iterator[Block]:
        """Yield what an HTML block says in words: each line without its tags, comments left out."""
        first, last = self._lines_of(token)
        start, end = self._line(first)[0], self._line(last - 1)[1]
        markup = _COMMENT.sub(_blank, self._text[start:end])
        shown = _TAG.sub(_blank, markup)
        for match in re.finditer(r"[^\n]+", shown):
            words = match.group().strip()
            if words:
                begin = start + match.start() + match.group().find(words)
                yield Block("paragraph", begin, begin + len(words))


def _blank(match: re.Match[str]) -> str:
    """Replace markup by as many spaces, so that positions stay; newlines stay newlines."""
    return re.sub(r"[^\n]", " ", match.group())
