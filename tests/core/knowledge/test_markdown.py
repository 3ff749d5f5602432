"""Markdown: sections, lines and their exact positions."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import ParsedFile
from core.knowledge.assembly import assemble
from core.knowledge.readers.markdown import read_markdown


def parse(text: str) -> ParsedFile:
    return assemble(read_markdown(text), "file name")


def shown(parsed: ParsedFile) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in parsed.lines]


def test_sections_form_a_tree_with_breadcrumbs() -> None:
    parsed = parse("# Manual\n\n## Setup\n\nPlug in.\n\n#### Deep\n\nx.\n\n## Care\n\ny.\n")
    assert [(s.ordinal, s.level, s.title, s.parent, s.breadcrumb) for s in parsed.sections] == [
        (0, 0, "Manual", None, "Manual"),
        (1, 1, "Setup", 0, "Manual > Setup"),
        (2, 2, "Deep", 1, "Manual > Setup > Deep"),
        (3, 1, "Care", 0, "Manual > Care"),
    ]
    assert [line.section for line in parsed.lines] == [0, 1, 1, 2, 2, 3, 3]


def test_several_outermost_headings_are_sections_side_by_side() -> None:
    parsed = parse("# One\n\na.\n\n# Two\n\nb.\n")
    assert [(s.title, s.parent, s.breadcrumb) for s in parsed.sections] == [
        ("One", None, "One"),
        ("One", 0, "One"),
        ("Two", 0, "One > Two"),
    ]


def test_headings_inside_fences_quotes_and_lists_open_no_section() -> None:
    parsed = parse("# T\n\n```\n## comment\n```\n\n> ## quoted\n\n- # listed\n\n~~~\n# more\n~~~\n")
    assert len(parsed.sections) == 1
    assert ("code", "## comment") in shown(parsed)


def test_underlined_headings_count() -> None:
    parsed = parse("Title\n=====\n\nPart\n----\n\ntext.\n")
    assert [(s.level, s.title) for s in parsed.sections] == [(0, "Title"), (1, "Part")]


def test_a_written_anchor_is_used_and_not_part_of_the_title() -> None:
    parsed = parse(
        "# A **bold** `code` [link](x) { #own-anchor }\n\n## Same\n\n## Same\n\n## 経費 と 精算！\n\nx\n"
    )
    assert [(s.title, s.anchor) for s in parsed.sections] == [
        ("A bold code link", "own-anchor"),
        ("Same", "same"),
        ("Same", "same-1"),
        ("経費 と 精算！", "経費-と-精算"),
    ]
    assert parsed.lines[0].text == "A **bold** `code` [link](x)"


def test_front_matter_names_the_title_and_is_no_line() -> None:
    parsed = parse('---\ntitle: "The real title"\ntags: [a]\n---\n\nHello there.\n')
    assert parsed.title == "The real title"
    assert shown(parsed) == [("sentence", "Hello there.")]
    assert parsed.lines[0].line_start == 6


def test_a_wrapped_sentence_is_one_line_with_its_physical_lines() -> None:
    parsed = parse("First one. Second goes\nover the end. Third.\n\n> Quoted goes\n> over too.\n")
    assert [(line.text, line.line_start, line.line_end) for line in parsed.lines] == [
        ("First one.", 1, 1),
        ("Second goes over the end.", 1, 2),
        ("Third.", 2, 2),
        ("Quoted goes over too.", 4, 5),
    ]


def test_japanese_wrapped_lines_join_without_a_space() -> None:
    assert shown(parse("経費は月末に\n締めます。次です。\n")) == [
        ("sentence", "経費は月末に締めます。"),
        ("sentence", "次です。"),
    ]


def test_lists_tables_and_code_become_items_rows_and_code_lines() -> None:
    text = (
        "1. Buy it. Keep it.\n2. Use\n   it.\n\n   More on that.\n   - nested\n\n"
        "| a | b |\n|---|---|\n| 1 | `x|y` |\n\n```python\nx = 1\n\n    y = 2\n```\n\n    indented()\n"
    )
    assert shown(parse(text)) == [
        ("item", "Buy it. Keep it."),
        ("item", "Use it."),
        ("sentence", "More on that."),
        ("item", "nested"),
        ("row", "a | b"),
        ("row", "1 | `x|y`"),
        ("code", "x = 1"),
        ("code", "y = 2"),
        ("code", "indented()"),
    ]


def test_a_long_item_is_read_sentence_by_sentence() -> None:
    sentence = "This item says a lot about the pump and the valve and the hose and all of the rest. "
    assert shown(parse(f"- {sentence * 4}\n")) == [("item", sentence.strip())] * 4


def test_comments_admonition_borders_and_includes_are_no_lines() -> None:
    text = (
        "# T\n\n<!-- secret\nnote -->\n\n/// note | Title\n\nInside.\n\n///\n\n"
        "{* ../../docs_src/a.py hl[1] *}\n\n<div class='x'>\nShown <b>bold</b> words\n</div>\n"
    )
    assert shown(parse(text)) == [
        ("heading", "T"),
        ("sentence", "Inside."),
        ("sentence", "Shown <b>bold</b> words"),
    ]


def test_a_short_faq_keeps_both_questions() -> None:
    parsed = parse("## Is it free?\n\nYes.\n\n## Is it open?\n\nYes.\n")
    assert [line.text for line in parsed.lines] == ["Is it free?", "Yes.", "Is it open?", "Yes."]
    assert {section.title for section in parsed.sections} >= {"Is it free?", "Is it open?"}


def test_a_heading_without_other_headings_is_the_title() -> None:
    assert parse("Just text.\n").title == "file name"
    assert parse("# Named\n\ntext.\n").title == "Named"


markdown = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "# h",
                "## 見出し",
                "- a\n- b",
                "1. x\n   y",
                "> q\n> r",
                "```\n# c\n```",
                "|a|b|\n|-|-|\n|1|2|",
                "---",
            ]
        ),
        st.text(alphabet="ab.。 \n#*`>|-_[]<!é漢\t", max_size=30),
    ),
    max_size=8,
).map("\n\n".join)


@settings(max_examples=200, deadline=None)
@given(text=markdown)
def test_lines_lie_in_order_inside_the_text_whatever_it_is(text: str) -> None:
    layout = read_markdown(text)
    if not any(text[block.start : block.end].strip() for block in layout.blocks):
        return
    parsed = assemble(layout, "x")
    end = 0
    for line in parsed.lines:
        assert end <= line.start < line.end <= len(text)
        assert line.text.split()[0][0] == text[line.start]
        assert line.text[-1] == text[line.end - 1]
        assert text.count("\n", 0, line.start) + 1 == line.line_start
        assert text.count("\n", 0, line.end - 1) + 1 == line.line_end
        assert 0 <= line.section < len(parsed.sections)
        end = line.end
