"""Read one file, whatever its format, into a parsed file; or say in a sentence why not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from core.domain import ParsedFile
from core.errors import ReadError
from core.knowledge.assembly import assemble
from core.knowledge.blocks import Layout
from core.knowledge.decoding import decode_text
from core.knowledge.readers.code import (
    read_brace_code,
    read_code_lines,
    read_dash_code,
    read_hash_code,
    read_keys,
    read_tables,
)
from core.knowledge.readers.delimited import read_delimited
from core.knowledge.readers.html import read_html
from core.knowledge.readers.markdown import read_markdown
from core.knowledge.readers.pdf import read_pdf
from core.knowledge.readers.plain import read_plain
from core.knowledge.readers.python import read_python

READER_VERSION = "2"
"""Raise when a reader's result changes, so that the next ingest reads unchanged files again."""

DEFAULT_SIZE_LIMIT_BYTES = 20_000_000

TextReader = Callable[[str], Layout]

_TEXT_READERS: dict[TextReader, str] = {
    read_markdown: ".md .markdown .mdown .mkd .mdx",
    read_html: ".html .htm .xhtml",
    read_plain: ".txt .text .log .rst .adoc .asciidoc",
    read_delimited: ".csv .tsv",
}
_CODE_READERS: dict[TextReader, str] = {
    read_python: ".py .pyi",
    read_brace_code: (
        ".rs .js .mjs .cjs .jsx .ts .tsx .go .java .kt .kts .scala .swift .c .h .cc .cpp .hpp .cs .php .dart "
        ".proto .css .scss .groovy"
    ),
    read_hash_code: ".sh .bash .zsh .rb .pl .r .ps1 .tf",
    read_tables: ".toml .ini .cfg .conf",
    read_keys: ".yaml .yml .mk",
    read_dash_code: ".sql .lua .hs",
    read_code_lines: ".json .jsonl .xml .tex",
}
"""The tables of formats: a new one is a module in readers and a line here."""

_READER_OF = {
    suffix: reader
    for readers in (_TEXT_READERS, _CODE_READERS)
    for reader, suffixes in readers.items()
    for suffix in suffixes.split()
}

SUPPORTED_SUFFIXES = frozenset({*_READER_OF, ".pdf"})
"""Suffixes that can be read, lower case with their dot."""

_HEAD = 2048
_DECLARED = re.compile(rb"(?:charset|coding)[=:]\s*[\"']?([A-Za-z][\w.-]+)")
"""What HTML, CSS, Python and other files say of their own encoding in their first lines."""
_WORD_IN_NAME = re.compile(r"[_\s]+")
_MARKDOWN_HEADING = re.compile(r"^ {0,3}#{1,6} +\S", re.MULTILINE)
_MARKDOWN_MARK = re.compile(r"^ {0,3}(?:```|~~~|[-*+] |\d+\. |> )|\]\(|\*\*\S", re.MULTILINE)


def read_file(path: Path, size_limit_bytes: int = DEFAULT_SIZE_LIMIT_BYTES) -> ParsedFile:
    """Read a file by the reader of its suffix.

    Raises ReadError with a sentence for a file that is empty, too large, not readable, binary, broken,
    encrypted or of an unknown kind, and NeedsOcrError for a PDF without a text layer.
    """
    suffix = path.suffix.lower()
    if suffix not in SUPPORTED_SUFFIXES:
        raise ReadError(f"Files ending in {suffix or 'nothing'} are not supported.")
    content = _load(path, size_limit_bytes)
    is_code = _READER_OF.get(suffix) in _CODE_READERS
    fallback_title = path.name if is_code else _WORD_IN_NAME.sub(" ", path.stem).strip() or path.name
    if suffix == ".pdf":
        return assemble(read_pdf(content), fallback_title)
    declared = _DECLARED.search(content[:_HEAD])
    text = decode_text(content, declared.group(1).decode("ascii") if declared else "")
    if not text.strip():
        raise ReadError("This file is empty.")
    return assemble(_READER_OF[suffix](text), fallback_title)


def read_passage(text: str, title: str) -> ParsedFile:
    """A text without a file, and so without a suffix: read as Markdown where it is written like it, else as
    plain text. title: where the text has none of its own. Raises ReadError for a text without a line."""
    return assemble(read_markdown(text) if is_markdown(text) else read_plain(text), title)


def is_markdown(text: str) -> bool:
    """Whether a text opens with a heading of Markdown, or has several and another mark of Markdown."""
    headings = _MARKDOWN_HEADING.findall(text)
    if not headings:
        return False
    opens = _MARKDOWN_HEADING.match(text.lstrip("\ufeff\n")) is not None
    return (opens or len(headings) > 1) and (len(headings) > 1 or _MARKDOWN_MARK.search(text) is not None)


def _load(path: Path, size_limit_bytes: int) -> bytes:
    try:
        if not path.is_file():
            raise ReadError("This is not a regular file." if path.exists() else "This file does not exist.")
        size = path.stat().st_size
        if size > size_limit_bytes:
            raise ReadError(
                f"This file has {size / 1e6:.1f} MB, more than the limit of {size_limit_bytes / 1e6:.1f} MB."
            )
        content = path.read_bytes()
    except PermissionError as error:
        raise ReadError("This file may not be read (permission denied).") from error
    except OSError as error:
        raise ReadError(f"This file cannot be read ({error.strerror or error}).") from error
    if not content:
        raise ReadError("This file is empty.")
    return content
