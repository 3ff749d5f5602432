"""Read source code of any language by light rules: definitions become sections, comments sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.knowledge.blocks import Block, Layout, places_by_newline
from core.knowledge.readers.prose import prose_blocks

_MODIFIERS = (
    r"(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|async|abstract|final|"
    r"sealed|open|override|unsafe|extern|const|inline|data|virtual|declare|partial)\s+)*"
)
_NAMED = re.compile(
    rf"(?P<indent>[ \t]*){_MODIFIERS}(?:fn|func|fun|function\*?|class|struct|enum|union|trait|interface|"
    r"record|mod|module|namespace|object|protocol|extension|type|macro_rules!|def)\s+"
    r"(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_$][\w$.:]*)"
)
_IMPLEMENTATION = re.compile(r"(?P<indent>)(?:unsafe\s+)?(?P<name>impl\b[^{]*[^{\s])")
_ARROW = re.compile(
    r"(?P<indent>)(?:export\s+)?(?:default\s+)?(?:const|let|var)\s+(?P<name>[A-Za-z_$][\w$]*)[^=]*=\s*"
    r"(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]*)?=>|\w+\s*=>)"
)
_PLAIN_FUNCTION = re.compile(
    r"(?P<indent>)(?!(?:if|for|while|switch|return|else|do|case|using|typedef|catch|throw)\b)"
    r"[A-Za-z_][\w\s*&:<>,~]*?[\s*&](?P<name>[A-Za-z_~][\w:~]*)\s*\([^;=]*"
)
_SHELL = re.compile(
    r"(?P<indent>)(?:function\s+)?(?P<name>[A-Za-z_][\w:.-]*)\s*\(\)\s*\{?.*|"
    r"(?P<indent2>)function\s+(?P<name2>[\w:.-]+)\s*\{?.*"
)
_TABLE = re.compile(r"(?P<indent>)\[+[ \t]*(?P<name>[^\[\]#]+?)[ \t]*\]+[ \t]*(?:[#;].*)?")
_KEY = re.compile(r"(?P<indent>)(?P<name>[A-Za-z_][\w./-]*)[ \t]*:[ \t]*(?:[|>&!#].*)?")
_SQL = re.compile(
    r"(?P<indent>)create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+)*"
    r"(?:table|view|function|procedure|index|trigger|type)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w.\"`\[\]]+).*",
    re.IGNORECASE,
)
_DECORATION = re.compile(r"[ \t]*(?:@[A-Za-z_]|#!?\[)")
_DEEPEST_INDENT = 4


@dataclass(frozen=True, slots=True)
class Syntax:
    """What the light rules know of a family of languages.

    line_comment, block_comment: patterns of the mark at the beginning of a line, "" for none.
    definitions: patterns with the groups indent and name. braces: whether a closing brace ends one.
    """

    line_comment: str
    definitions: tuple[re.Pattern[str], ...]
    block_comment: bool = False
    braces: bool = False


_BRACES = Syntax(
    r"//+[/!]*", (_NAMED, _IMPLEMENTATION, _ARROW, _PLAIN_FUNCTION), block_comment=True, braces=True
)
_HASH = Syntax(r"#+(?!!)", (_NAMED, _SHELL), braces=True)
_TABLES = Syntax(r"[#;]+", (_TABLE,))
_KEYS = Syntax(r"#+", (_KEY,))
_DASHES = Syntax(r"--+", (_SQL, _NAMED), block_comment=True)
_PLAIN = Syntax("", ())


def read_brace_code(text: str) -> Layout:
    """Read code with // and /* */ comments and braces: Rust, JavaScript, Go, Java, C and their like."""
    return _read(text, _BRACES)


def read_hash_code(text: str) -> Layout:
    """Read code with # comments: shell, Ruby, Perl, R."""
    return _read(text, _HASH)


def read_tables(text: str) -> Layout:
    """Read settings in [tables]: TOML, INI."""
    return _read(text, _TABLES)


def read_keys(text: str) -> Layout:
    """Read settings under keys at the left margin: YAML, Makefiles."""
    return _read(text, _KEYS)


def read_dash_code(text: str) -> Layout:
    """Read code with -- comments: SQL, Lua, Haskell."""
    return _read(text, _DASHES)


def read_code_lines(text: str) -> Layout:
    """Read code of which nothing is known, line by line: JSON and the like."""
    return _read(text, _PLAIN)


def _read(text: str, syntax: Syntax) -> Layout:
    places = places_by_newline(text)
    reader = _Reader(text, [*places.offsets, len(text) + 1], syntax)
    return Layout(text, "", list(reader.blocks()), places, own_heading=False)


class _Reader:
    """Goes through the physical lines; each belongs to the innermost definition that is open."""

    def __init__(self, text: str, offsets: list[int], syntax: Syntax) -> None:
        self._text = text
        self._offsets = offsets
        self._syntax = syntax
        self._comment = re.compile(rf"[ \t]*(?:{syntax.line_comment})[ \t]?") if syntax.line_comment else None
        self._count = 0
        self._may_close = True  # False once no block comment closes any more
        self._open: list[tuple[int, int]] = []  # (indent, section), outermost first

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the file."""
        line = 0
        while line < len(self._offsets) - 1:
            lead_end = self._lead_end(line)
            definition = self._definition(lead_end)
            if definition is not None:
                yield from self._define(line, lead_end, definition)
                line = lead_end + 1
                continue
            end = lead_end if lead_end > line else line + 1
            yield from self._plain(line, end, self._section())
            line = end

    def _section(self) -> int:
        return self._open[-1][1] if self._open else 0

    def _line(self, number: int) -> str:
        return self._text[self._offsets[number] : self._offsets[number + 1] - 1]

    def _lead_end(self, line: int) -> int:
        """Pass over comments and decorations; what follows them directly is what they are about."""
        end = line
        while end < len(self._offsets) - 1:
            comment_end = self._comment_end(end)
            if comment_end > end:
                end = comment_end
            elif self._syntax.braces and _DECORATION.match(self._line(end)):
                end += 1
            else:
                break
        return end

    def _comment_end(self, line: int) -> int:
        """End of the comment that begins with this line; the line itself if none does."""
        content = self._line(line)
        if self._syntax.block_comment and content.lstrip().startswith("/*"):
            closing = self._text.find("*/", self._offsets[line]) if self._may_close else -1
            if closing < 0:
                self._may_close = False
                return line
            end = line
            while self._offsets[end + 1] <= closing:
                end += 1
            return end + 1
        decorated = self._syntax.braces and _DECORATION.match(content)
        if self._comment is not None and not decorated and self._comment.match(content):
            return line + 1
        return line

    def _definition(self, line: int) -> tuple[int, str] | None:
        """Give indent and name of the definition on this line."""
        if line >= len(self._offsets) - 1:
            return None
        content = self._line(line)
        if not content.strip() or len(content) > 200:
            return None
        for pattern in self._syntax.definitions:
            match = pattern.fullmatch(content) if pattern in _WHOLE else pattern.match(content)
            if match is None:
                continue
            indent = len((match.group("indent") or "").expandtabs(4))
            if indent <= _DEEPEST_INDENT and (indent == 0 or self._open):
                name = match.group("name") or match.group("name2")
                return indent, " ".join(name.split())
        return None

    def _define(self, first: int, line: int, definition: tuple[int, str]) -> Iterator[Block]:
        indent, name = definition
        while self._open and self._open[-1][0] >= indent:
            self._open.pop()
        self._count += 1
        self._open.append((indent, self._count))
        if line > first:
            yield from self._plain(first, line, self._count)
        start, end = self._offsets[line], self._offsets[line + 1] - 1
        words = self._text[start:end].strip()
        start = self._text.index(words, start)
        yield Block("heading", start, start + len(words), len(self._open), name, f"L{line + 1}")
        if self._syntax.braces and (words.endswith((";", "}")) and words.count("{") <= words.count("}")):
            self._open.pop()

    def _plain(self, first: int, last: int, section: int) -> Iterator[Block]:
        """Yield comments as prose and everything else as code."""
        line = first
        while line < last:
            end = self._comment_end(line)
            if end > line:
                is_block = self._line(line).lstrip().startswith("/*")
                while not is_block and end < last and self._comment_end(end) == end + 1:
                    if self._line(end).lstrip().startswith("/*"):
                        break
                    end += 1
                yield from self._prose(line, end, section, is_block)
            else:
                end = line + 1
                content = self._line(line)
                yield Block("code", self._offsets[line], self._offsets[end] - 1, section=section)
                self._close_at(content)
            line = end

    def _close_at(self, content: str) -> None:
        """A closing brace at the margin of a definition ends it."""
        stripped = content.strip()
        if not self._syntax.braces or not stripped.startswith(("}", "end")):
            return
        indent = len(content.expandtabs(4)) - len(content.expandtabs(4).lstrip())
        while self._open and self._open[-1][0] >= indent:
            self._open.pop()

    def _prose(self, first: int, last: int, section: int, is_block: bool) -> Iterator[Block]:
        start, end = self._offsets[first], self._offsets[last] - 1
        if not is_block:
            mark = self._comment.match(self._text, start, end) if self._comment else None
            begin = mark.end() if mark else start
            continuation = rf"[ \t]*(?:{self._syntax.line_comment})[ \t]?"
            yield from prose_blocks(self._text, begin, end, continuation, section)
            return
        begin = self._text.index("/*", start) + 2
        while begin < end and self._text[begin] in "*!":
            begin += 1
        closing = self._text.find("*/", begin, end)
        yield from prose_blocks(self._text, begin, max(closing, begin), r"[ \t]*\*?[ \t]?", section)
        rest = closing + 2
        if self._text[rest:end].strip():
            yield Block("code", rest, end, section=section)


_WHOLE = frozenset({_PLAIN_FUNCTION, _SHELL, _TABLE, _KEY, _SQL})
"""Patterns that must fit the whole line."""
