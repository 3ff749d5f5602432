"""Source code: definitions are sections; docstrings and comments are sentences; the rest is code lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.domain import ParsedFile
from core.knowledge.reading import read_file


def parse(tmp_path: Path, name: str, text: str) -> ParsedFile:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_file(path)


def sections(parsed: ParsedFile) -> list[tuple[int, str, str]]:
    return [(section.level, section.title, section.anchor) for section in parsed.sections[1:]]


def shown(parsed: ParsedFile) -> list[tuple[int, str, str]]:
    return [(line.section, line.kind, line.text) for line in parsed.lines]


PYTHON = '''"""Module says this. And that."""

import os

# Why the limit
# is ten.
LIMIT = 10


class Pump:
    """A pump.

    It waits. Then
    it runs.

    Args:
        speed: how fast it turns.
    """

    # Directly above.
    @property
    def speed(self) -> int:
        """Turns a second."""
        return 1  # trailing


TEXT = """
# not a comment
"""
'''


def test_python_definitions_docstrings_and_comments(tmp_path: Path) -> None:
    parsed = parse(tmp_path, "pump.py", PYTHON)
    assert parsed.title == "pump.py"
    assert sections(parsed) == [(1, "Pump", "L10"), (2, "speed()", "L22")]
    assert shown(parsed) == [
        (0, "sentence", "Module says this."),
        (0, "sentence", "And that."),
        (0, "code", "import os"),
        (0, "sentence", "Why the limit is ten."),
        (0, "code", "LIMIT = 10"),
        (1, "heading", "class Pump:"),
        (1, "sentence", "A pump."),
        (1, "sentence", "It waits."),
        (1, "sentence", "Then it runs."),
        (1, "sentence", "Args:"),
        (1, "item", "speed: how fast it turns."),
        (2, "sentence", "Directly above."),
        (2, "code", "@property"),
        (2, "heading", "def speed(self) -> int:"),
        (2, "sentence", "Turns a second."),
        (2, "code", "return 1  # trailing"),
        (0, "code", 'TEXT = """'),
        (0, "code", "# not a comment"),
        (0, "code", '"""'),
    ]


def test_python_that_does_not_parse_is_still_read(tmp_path: Path) -> None:
    parsed = parse(tmp_path, "old.py", "# Says hello.\ndef hello():\n    print 'hello'\n")
    assert sections(parsed) == [(1, "hello", "L2")]
    assert shown(parsed)[0] == (1, "sentence", "Says hello.")


RUST = """//! The crate says this.
use std::io;

/// Opens the valve. Waits
/// for it.
#[inline]
pub fn open(id: u32) -> bool {
    let x = "/* no comment */";
    true
}

/* Block
 * comment. */
impl Valve {
    pub fn close(&self) {
        done()
    }
}
const LIMIT: u32 = 4;
"""


def test_rust_items_with_their_doc_comments(tmp_path: Path) -> None:
    parsed = parse(tmp_path, "valve.rs", RUST)
    assert sections(parsed) == [(1, "open", "L7"), (1, "impl Valve", "L14"), (2, "close", "L15")]
    assert shown(parsed) == [
        (0, "sentence", "The crate says this."),
        (0, "code", "use std::io;"),
        (1, "sentence", "Opens the valve."),
        (1, "sentence", "Waits for it."),
        (1, "code", "#[inline]"),
        (1, "heading", "pub fn open(id: u32) -> bool {"),
        (1, "code", 'let x = "/* no comment */";'),
        (1, "code", "true"),
        (1, "code", "}"),
        (2, "sentence", "Block comment."),
        (2, "heading", "impl Valve {"),
        (3, "heading", "pub fn close(&self) {"),
        (3, "code", "done()"),
        (3, "code", "}"),
        (2, "code", "}"),
        (0, "code", "const LIMIT: u32 = 4;"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.js", "// Adds.\nexport const add = (a, b) => {\n  return a + b;\n};\nadd(1, 2);\n", ["add"]),
        ("a.ts", "export default class Foo extends Bar {\n}\nfunction baz(): void {\n}\n", ["Foo", "baz"]),
        ("a.go", "func (s *Server) Run() error {\n}\ntype Pump struct {\n}\n", ["Run", "Pump"]),
        (
            "a.c",
            "static int hello(const char *name)\n{\n  if (x) {\n  }\n}\nint main(void) {\n}\n",
            ["hello", "main"],
        ),
        ("a.java", "public final class Pump {\n}\n", ["Pump"]),
        ("a.sh", "#!/bin/sh\nstart() {\n  echo hi\n}\nstart\n", ["start"]),
        ("a.toml", "name = 1\n\n[pump.wait]\nseconds = 3\n[[zone]]\nid = 1\n", ["pump.wait", "zone"]),
        ("a.yaml", "services:\n  web: 1\nname: x\nvolumes:\n  - a\n", ["services", "volumes"]),
        ("a.sql", "-- Rows.\nCREATE TABLE IF NOT EXISTS rows (\n  id int\n);\n", ["rows"]),
        ("a.json", '{\n  "a": 1\n}\n', []),
    ],
)
def test_definitions_of_other_languages(tmp_path: Path, name: str, text: str, expected: list[str]) -> None:
    parsed = parse(tmp_path, name, text)
    assert [section.title for section in parsed.sections[1:]] == expected
    assert {line.line_start for line in parsed.lines} == {
        number for number, line in enumerate(text.split("\n"), start=1) if line.strip()
    }


def test_records_of_a_csv_file_are_rows(tmp_path: Path) -> None:
    parsed = parse(tmp_path, "prices.csv", 'name,price\n"a, b","two\nlines"\nc,3\n')
    assert [(line.kind, line.line_start, line.line_end) for line in parsed.lines] == [
        ("row", 1, 1),
        ("row", 2, 3),
        ("row", 4, 4),
    ]
    assert parsed.title == "prices"
