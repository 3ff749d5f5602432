"""Markdown as a tree of nodes, for adapters to render."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode


def parse(markdown: str) -> SyntaxTreeNode:
    """The tree of a text: CommonMark with tables and ~~struck~~ words. Raw HTML is text, and nothing turns
    into a link or a picture by looking like an address."""
    return SyntaxTreeNode(_parser().parse(markdown))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
