"""Read an answer in Markdown: paragraphs, list items, table rows, headings and code as blocks."""

import re
from collections.abc import Sequence
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.contribution.blocks import Block, BlockBuilder, BlockRole, is_number_mark, parse_numbers

_SEARCH_WINDOW = 2000
"""Characters beyond its own length within which a piece of visible text is looked for."""

CELL_JOINT = " | "

_SOURCES_TITLE = re.compile(
    r"(?:参考(?:文献|資料|リンク|情報)?|出典|引用元?|参照(?:元|先)?|情報源|ソース|関連(?:リンク|記事|ページ)|"
    r"sources?|references?|citations?|links?|further reading|see also|related(?: articles| links)?)\s*[:：]?",
    re.IGNORECASE,
)
_EMPHASIS_LEFT_OVER = re.compile(r"\*\*|~~")
"""Emphasis that CommonMark does not recognise beside Japanese brackets."""
_BARE_LINK = re.compile(r"[\s\d.,、・:：|()\[\]<>-]*(?:https?://\S+[\s.,、・|]*)+")


def markdown_blocks(text: str) -> list[Block]:
    """Parse an answer as CommonMark with tables; offsets lead back into `text`."""
    source = text.replace("\r\n", " \n").replace("\r", "\n").replace("\0", "\ufffd")
    return _mark_source_lists(_Reader(source).read())


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    # Link definitions would swallow "[1]: ..." source lists; joined text would hide escapes from offsets.
    return parser.disable(["html_block", "reference", "text_join"])


def _mark_source_lists(blocks: list[Block]) -> list[Block]:
    """Turn what stands under a title such as "Sources:" into links, up to the next heading or paragraph."""
    marked: list[Block] = []
    inside = False
    for block in blocks:
        if _SOURCES_TITLE.fullmatch(block.text.strip().strip("*_")):
            inside = True
            marked.append(replace(block, role="heading"))
            continue
        inside = inside and block.role in ("item", "row", "links")
        marked.append(replace(block, role="links") if inside else block)
    return marked


class _Reader:
    """Walks the tokens of one answer and remembers how far the answer has been read."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._line_starts = [0]
        for line in source.split("\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)
        self._position = 0

    def read(self) -> list[Block]:
        """List the blocks in the order of the answer."""
        blocks: list[Block] = []
        tokens = _parser().parse(self._source)
        depth = 0
        row_role: BlockRole = "row"
        row: list[Token] = []
        for index, token in enumerate(tokens):
            match token.type:
                case "list_item_open" | "list_item_close":
                    depth += token.nesting
                case "fence" | "code_block":
                    blocks.append(self._code(token))
                case "thead_open" | "thead_close":
                    row_role = "heading" if token.nesting > 0 else "row"
                case "tr_open":
                    row = []
                case "tr_close":
                    blocks.append(self._row(row, row_role))
                case "inline":
                    opener = tokens[index - 1].type
                    if opener in ("td_open", "th_open"):
                        row.append(token)
                    else:
                        role: BlockRole = (
                            "heading" if opener == "heading_open" else "item" if depth else "text"
                        )
                        leads = index + 2 < len(tokens) and tokens[index + 2].type.endswith("list_open")
                        blocks.append(self._inline(token, role, leads))
        return [block for block in blocks if block.text.strip() or block.marks]

    def _span(self, token: Token) -> tuple[int, int]:
        first, last = token.map or [0, len(self._line_starts) - 1]
        return self._line_starts[first], min(len(self._source), max(0, self._line_starts[last] - 1))

    def _code(self, token: Token) -> Block:
        start, end = self._span(token)
        self._position = max(self._position, end)
        builder = BlockBuilder()
        builder.add_literal(self._source[start:end], range(start, end))
        return builder.build("code", start, end)

    def _row(self, cells: Sequence[Token], role: BlockRole) -> Block:
        builder = BlockBuilder()
        start, end = self._span(cells[0]) if cells else (self._position, self._position)
        self._position = max(self._position, start)
        filled = False
        for cell in cells:
            if cell.content.strip():
                if filled:
                    builder.add_literal(CELL_JOINT, [self._position] * len(CELL_JOINT))
                self._add_children(builder, cell, end)
                filled = True
        return builder.build(role, start, end)

    def _inline(self, token: Token, role: BlockRole, leads: bool) -> Block:
        start, end = self._span(token)
        self._position = max(self._position, start)
        builder = BlockBuilder()
        self._add_children(builder, token, end)
        only_links = role != "heading" and _holds_only_links(token)
        return builder.build("links" if only_links else role, start, end, leads)

    def _add_children(self, builder: BlockBuilder, token: Token, end: int) -> None:
        children = token.children or []
        for index, child in enumerate(children):
            match child.type:
                case "text" if _is_number_link(children, index):
                    at = self._find(child.content, end)
                    self._position = at + len(child.content)
                    builder.add_mark(parse_numbers(child.content), at, self._position)
                case "text":
                    self._add_text(builder, child.content, end)
                case "text_special":
                    at = self._find(child.markup, end)
                    builder.add_literal(child.content, [at] * len(child.content))
                    self._position = at + len(child.markup)
                case "code_inline":
                    at = self._find(child.content, end)
                    builder.add_literal(child.content, range(at, at + len(child.content)))
                    self._position = at + len(child.content) + len(child.markup)
                case "softbreak" | "hardbreak":
                    at = self._find("\n", end)
                    builder.add_literal("\n", [at])
                    self._position = at + 1
                case "html_inline":
                    at = self._find(child.content, end)
                    if child.content.lower().startswith("<br"):
                        builder.add_literal(" ", [at])
                    self._position = at + len(child.content)
                case "link_close":
                    self._position = self._after_target(end)
                case _:
                    pass

    def _add_text(self, builder: BlockBuilder, content: str, end: int) -> None:
        at = self._find(content, end)
        done = 0
        for match in _EMPHASIS_LEFT_OVER.finditer(content):
            builder.add(content[done : match.start()], at + done)
            done = match.end()
        builder.add(content[done:], at + done)
        self._position = at + len(content)

    def _find(self, content: str, end: int) -> int:
        limit = min(end, self._position + len(content) + _SEARCH_WINDOW)
        found = self._source.find(content, self._position, limit)
        return found if found >= 0 else self._position

    def _after_target(self, end: int) -> int:
        """Return the position behind the `](target)` of a link whose text has been read."""
        if not self._source.startswith("](", self._position):
            return self._position
        depth = 0
        for position in range(self._position + 1, min(end, self._position + _SEARCH_WINDOW)):
            depth += {"(": 1, ")": -1}.get(self._source[position], 0)
            if depth == 0:
                return position + 1
        return self._position


def _is_number_link(children: Sequence[Token], index: int) -> bool:
    """Say whether this text is the whole text of a link and nothing but a source number."""
    return (
        0 < index < len(children) - 1
        and children[index - 1].type == "link_open"
        and children[index + 1].type == "link_close"
        and is_number_mark(children[index].content)
        and bool(parse_numbers(children[index].content))
    )


def _holds_only_links(token: Token) -> bool:
    """Say whether a paragraph or item is links and punctuation only, and no citation mark is among them."""
    depth = 0
    outside = ""
    named = False
    for child in token.children or []:
        depth += child.nesting if child.type in ("link_open", "link_close") else 0
        named = named or (child.type == "text" and depth > 0 and not is_number_mark(child.content))
        if depth == 0 and child.type in ("text", "code_inline", "text_special"):
            outside += child.content
    if _BARE_LINK.fullmatch(outside):
        return True
    return named and not re.search(r"\w", re.sub(r"\[\d+\]", "", outside))
