"""Read Python: classes and functions become sections, docstrings and comments become sentences."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from core.knowledge.blocks import Block, Layout, places_by_newline
from core.knowledge.readers.code import read_hash_code
from core.knowledge.readers.prose import prose_blocks

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_OPENING_QUOTES = re.compile(r"[rRuUbB]{0,2}(\"\"\"|'''|\"|')")
_COMMENT = r"[ \t]*#+!?[ \t]?"


@dataclass(frozen=True, slots=True)
class _Part:
    """A definition and the physical lines that belong to it, 0-based, last exclusive."""

    first: int
    last: int
    line: int
    level: int
    title: str
    section: int
    docstring: tuple[int, int] | None


def read_python(text: str) -> Layout:
    """Find the sections of a Python file: classes and functions, with methods below their class.

    The heading of a section is the line that begins with def or class; decorators and comments right
    above it belong to it. Code between definitions belongs to the file. A file that this Python cannot
    parse is read like any other code with # comments.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in the file that is read
            tree = ast.parse(text)
        comments = _comment_lines(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return read_hash_code(text)
    places = places_by_newline(text)
    reader = _Reader(text, [*places.offsets, len(text) + 1], comments)
    reader.collect(tree)
    return Layout(text, "", list(reader.blocks()), places, own_heading=False)


def _comment_lines(text: str) -> set[int]:
    """Physical lines, 0-based, that hold nothing but a comment."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
            lines.add(token.start[0] - 1)
    return lines


class _Reader:
    def __init__(self, text: str, offsets: list[int], comments: set[int]) -> None:
        self._text = text
        self._offsets = offsets
        self._comments = comments
        self._parts: list[_Part] = []
        self._docstring: tuple[int, int] | None = None

    def collect(self, tree: ast.Module) -> None:
        """Note the definitions of the file and of its classes, in order."""
        self._docstring = self._docstring_lines(tree)
        self._collect_body(tree.body, 1)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the file, line by line."""
        owner = [0] * (len(self._offsets) - 1)
        headings = {part.line: part for part in self._parts}
        docstrings = {part.docstring[0]: part.docstring for part in self._parts if part.docstring}
        if self._docstring:
            docstrings[self._docstring[0]] = self._docstring
        for part in self._parts:
            owner[part.first : part.last] = [part.section] * (part.last - part.first)
        line = 0
        while line < len(owner):
            end = line + 1
            if line in headings:
                yield self._heading(headings[line])
            elif line in docstrings:
                end = docstrings[line][1]
                yield from self._docstring_blocks(line, end, owner[line])
            elif line in self._comments:
                while end < len(owner) and end in self._comments and owner[end] == owner[line]:
                    end += 1
                yield from self._comment_blocks(line, end, owner[line])
            else:
                yield Block("code", *self._span(line, end), section=owner[line])
            line = end

    def _collect_body(self, body: list[ast.stmt], level: int) -> None:
        for node in body:
            if isinstance(node, _Definition):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
                while first - 1 in self._comments:
                    first -= 1
                title = node.name if isinstance(node, ast.ClassDef) else f"{node.name}()"
                self._parts.append(
                    _Part(
                        first=first,
                        last=node.end_lineno or node.lineno,
                        line=node.lineno - 1,
                        level=level,
                        title=title,
                        section=len(self._parts) + 1,
                        docstring=self._docstring_lines(node),
                    )
                )
                if isinstance(node, ast.ClassDef):
                    self._collect_body(node.body, level + 1)

    def _docstring_lines(self, node: ast.Module | _Definition) -> tuple[int, int] | None:
        if not node.body or ast.get_docstring(node, clean=False) is None:
            return None
        statement = node.body[0]
        first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
        alone = not isinstance(node, _Definition) or first > node.lineno - 1
        return (first, last) if alone else None

    def _span(self, first: int, last: int) -> tuple[int, int]:
        return self._offsets[first], self._offsets[last] - 1

    def _heading(self, part: _Part) -> Block:
        start, end = self._span(part.line, part.line + 1)
        while start < end and self._text[start].isspace():
            start += 1
        return Block("heading", start, end, part.level, part.title, f"L{part.line + 1}")

    def _docstring_blocks(self, first: int, last: int, section: int) -> Iterator[Block]:
        start, end = self._span(first, last)
        opening = _OPENING_QUOTES.search(self._text, start, end)
        if opening is None:
            yield Block("code", start, end, section=section)
            return
        closing = self._text.rfind(opening.group(1), opening.end(), end)
        yield from prose_blocks(self._text, opening.end(), closing, r"[ \t]*", section)

    def _comment_blocks(self, first: int, last: int, section: int) -> Iterator[Block]:
        start, end = self._span(first, last)
        mark = re.compile(_COMMENT).match(self._text, start, end)
        yield from prose_blocks(self._text, mark.end() if mark else start, end, _COMMENT, section)
