"""HTML: what a person reads on the page, with anchors and the lines of the source."""

from __future__ import annotations

import pytest

from core.domain import ParsedFile
from core.errors import ReadError
from core.knowledge.assembly import assemble
from core.knowledge.readers.html import read_html


def parse(source: str) -> ParsedFile:
    return assemble(read_html(source), "file name")


def shown(parsed: ParsedFile) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in parsed.lines]


PAGE = """<!DOCTYPE html>
<html><head><title>Leave rules | Intranet</title><style>p { color: red }</style></head>
<body>
<nav><a href="/">Home</a></nav>
<header><p>Company banner</p></header>
<h1 id="leave">Leave rules</h1>
<p>Ask <b>early</b>. It takes
three days &amp; more.</p>
<script>var hidden = 1;</script>
<section id="how"><h2>How to ask</h2>
<ul><li>Open the form.</li><li>Fill it in.<ul><li>Both pages</li></ul></li></ul>
<table><tr><th>Kind</th><th>Days</th></tr><tr><td>Paid<br>leave</td><td>10</td></tr></table>
<pre>
first()
  second()
</pre>
<dl><dt>HR</dt><dd>Human resources.</dd></dl>
</section>
<footer>Copyright</footer>
</body></html>
"""


def test_page_becomes_sections_and_lines_without_its_furniture() -> None:
    parsed = parse(PAGE)
    assert shown(parsed) == [
        ("heading", "Leave rules"),
        ("sentence", "Ask early."),
        ("sentence", "It takes three days & more."),
        ("heading", "How to ask"),
        ("item", "Open the form."),
        ("item", "Fill it in."),
        ("item", "Both pages"),
        ("row", "Kind | Days"),
        ("row", "Paid leave | 10"),
        ("code", "first()"),
        ("code", "second()"),
        ("sentence", "HR"),
        ("sentence", "Human resources."),
    ]
    assert [(s.title, s.anchor, s.level) for s in parsed.sections] == [
        ("Leave rules", "leave", 0),
        ("How to ask", "how", 1),
    ]


def test_offsets_belong_to_the_text_and_physical_lines_to_the_source() -> None:
    parsed = parse(PAGE)
    source = PAGE.split("\n")
    for line in parsed.lines:
        assert parsed.text[line.start : line.end] == line.text
        assert line.text.split()[0] in source[line.line_start - 1]


def test_furniture_is_kept_when_nothing_else_is_there() -> None:
    assert shown(parse("<body><header><p>Only this.</p></header></body>")) == [("sentence", "Only this.")]


def test_a_header_with_the_main_heading_is_kept() -> None:
    parsed = parse("<header><h1>Title</h1></header><p>Text.</p>")
    assert parsed.title == "Title"


def test_the_pages_title_is_used_when_no_heading_agrees_with_it() -> None:
    assert parse("<title>Plans and prices</title><h1>Welcome</h1><p>x</p>").title == "Plans and prices"
    assert parse("<p>Only text.</p>").title == "file name"


def test_a_table_that_arranges_the_page_is_no_table_of_data() -> None:
    parsed = parse("<table><tr><td><h2>Menu</h2><p>One. Two.</p></td></tr></table>")
    assert shown(parsed) == [("heading", "Menu"), ("sentence", "One."), ("sentence", "Two.")]


def test_line_breaks_end_lines_and_japanese_source_breaks_leave_no_space() -> None:
    parsed = parse("<p>総務部<br>内線 110</p><p>経費は月末に\n締めます。</p>")
    assert [line.text for line in parsed.lines] == ["総務部", "内線 110", "経費は月末に締めます。"]


def test_hidden_parts_are_left_out() -> None:
    assert shown(parse("<p>Shown.</p><p hidden>No.</p><div aria-hidden='true'>No.</div>")) == [
        ("sentence", "Shown.")
    ]


@pytest.mark.parametrize("source", ["<html></html>", "<script>1</script>", "<!-- nothing -->"])
def test_a_page_without_words_is_refused(source: str) -> None:
    with pytest.raises(ReadError, match="no text"):
        parse(source)
