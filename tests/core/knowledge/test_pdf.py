"""What becomes of a PDF: sections by outline and position, rows joined to sentences, scans refused."""

from __future__ import annotations

import logging
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # it ships no types

from core.domain import Line, ParsedFile
from core.errors import NeedsOcrError, ReadError
from core.knowledge.assembly import assemble
from core.knowledge.readers.pdf import read_pdf
from core.knowledge.reading import read_file
from tests.core.knowledge.pdfs import JAPANESE, Page, bookmark, make_pdf, write_rows

WORDS = "The pump waits until the pressure is low and then it starts again with full power"


def parse(*pages: Page, title: str = "") -> ParsedFile:
    return assemble(read_pdf(make_pdf(pages, title)), "manual")


def lines_of(parsed: ParsedFile, title: str) -> list[Line]:
    section = next(s for s in parsed.sections if s.title == title and s.ordinal)
    return [line for line in parsed.lines if line.section == section.ordinal]


def three_headings(canvas: Canvas) -> None:
    top = 80.0
    for number, (title, level) in enumerate([("Safety", 0), ("Warnings", 1), ("Cautions", 1)], start=1):
        bookmark(canvas, title, top - 12, level)
        top = write_rows(canvas, [f"{number} {title}"], top, size=14, font="Helvetica-Bold") + 10
        top = write_rows(canvas, [f"About {title.lower()} there is this.", "And that."], top) + 20


def test_lines_go_under_their_own_heading_when_a_page_has_three() -> None:
    parsed = parse(three_headings)
    for number, title in enumerate(("Safety", "Warnings", "Cautions"), start=1):
        assert [line.text for line in lines_of(parsed, title)] == [
            f"{number} {title}",
            f"About {title.lower()} there is this.",
            "And that.",
        ]
        assert lines_of(parsed, title)[0].kind == "heading"


def test_outline_gives_levels_parents_pages_and_anchors() -> None:
    def second(canvas: Canvas) -> None:
        bookmark(canvas, "Care", 100)
        write_rows(canvas, ["2 Care", "Wipe it."], 112)

    parsed = parse(three_headings, second, title="Manual of the pump")
    found = [(s.level, s.title, s.parent, s.page_start, s.page_end, s.anchor) for s in parsed.sections]
    assert found == [
        (0, "Manual of the pump", None, 1, 2, ""),
        (1, "Safety", 0, 1, 2, "page=1"),
        (2, "Warnings", 1, 1, 1, "page=1"),
        (2, "Cautions", 1, 1, 2, "page=1"),
        (1, "Care", 0, 2, 2, "page=2"),
    ]
    assert parsed.sections[2].breadcrumb == "Manual of the pump > Safety > Warnings"
    assert parsed.pages == 2


def test_a_sentence_over_rows_and_pages_is_one_line_with_the_place_of_its_beginning() -> None:
    def first(canvas: Canvas) -> None:
        write_rows(canvas, [f"{WORDS} .", f"Short. {WORDS}", f"while {WORDS}"], 700)

    def second(canvas: Canvas) -> None:
        write_rows(canvas, [f"after {WORDS}", "until it stops. The end."], 72)

    parsed = parse(first, second)
    long = next(line for line in parsed.lines if "while" in line.text)
    assert long.text == f"{WORDS} while {WORDS} after {WORDS} until it stops."
    assert (long.page, long.line_start, long.line_end) == (1, 2, 3)
    end = next(line for line in parsed.lines if line.text == "The end.")
    assert (end.page, end.line_start, end.line_end) == (2, 2, 2)


def test_a_word_divided_at_the_end_of_a_row_is_whole() -> None:
    def page(canvas: Canvas) -> None:
        write_rows(canvas, [f"{WORDS} through the trans-", "former unit."], 72)

    assert "through the transformer unit." in " ".join(line.text for line in parse(page).lines)


def test_a_hyphen_that_the_text_uses_elsewhere_stays() -> None:
    def page(canvas: Canvas) -> None:
        rows = ["A well-known pump is well-known here.", f"{WORDS} as the well-", "known pump does."]
        write_rows(canvas, rows, 72)

    assert "the well-known pump does." in " ".join(line.text for line in parse(page).lines)


def test_a_lowered_glyph_folds_into_its_word() -> None:
    def page(canvas: Canvas) -> None:
        write_rows(canvas, ["We divide by the root of d"], 72)
        write_rows(canvas, ["k"], 74, left=72 + canvas.stringWidth("We divide by the root of d"), size=7)
        write_rows(canvas, ["and go on."], 72, left=210)

    assert parse(page).lines[0].text == "We divide by the root of d_k and go on."


def test_japanese_rows_join_without_spaces() -> None:
    def page(canvas: Canvas) -> None:
        rows = ["領収書の画像を添付してください。出張の交通費は経費シ", "ステムで精算します。"]
        write_rows(canvas, rows, 72, font=JAPANESE)

    assert [line.text for line in parse(page).lines] == [
        "領収書の画像を添付してください。",
        "出張の交通費は経費システムで精算します。",
    ]


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [f"Left row {n} goes on about the pump and the" for n in range(12)]
    right = [f"Right row {n} goes on about the valve and th" for n in range(12)]

    def page(canvas: Canvas) -> None:
        write_rows(
            canvas, ["One heading that runs across the whole width of the page above both columns"], 60
        )
        write_rows(canvas, left, 90, left=72)
        write_rows(canvas, right, 93, left=310)

    text = parse(page).text
    assert text.index("Left row 11") < text.index("Right row 0")
    assert text.index("across the whole width") < text.index("Left row 0")


def test_a_table_is_read_row_by_row() -> None:
    def page(canvas: Canvas) -> None:
        for number in range(9):
            write_rows(canvas, [f"Part {number}"], 90 + 14 * number, left=72)
            write_rows(canvas, [f"{number} yen"], 90 + 14 * number, left=330)

    rows = [line for line in parse(page).lines if line.kind == "row"]
    assert [line.text for line in rows] == [f"Part {n} | {n} yen" for n in range(9)]


def test_running_headers_and_page_numbers_are_left_out_and_first_words_kept() -> None:
    def page(canvas: Canvas) -> None:
        number = canvas.getPageNumber()
        write_rows(canvas, ["Manual of the pump"], 40)
        write_rows(canvas, [f"Text of page {number} is this.", "It says more."], 100)
        write_rows(canvas, [f"- {number} -"], 800, left=290)

    text = parse(page, page, page, page).text
    assert "Manual of the pump" not in text
    assert "- 3 -" not in text
    for number in range(1, 5):
        assert f"Text of page {number} is this." in text


def test_text_after_a_references_heading_forms_its_own_section() -> None:
    def page(canvas: Canvas) -> None:
        bookmark(canvas, "Conclusion", 80)
        write_rows(canvas, ["7 Conclusion"], 92, size=14, font="Helvetica-Bold")
        top = write_rows(canvas, ["We are done here."], 115) + 20
        write_rows(canvas, ["References"], top, size=14, font="Helvetica-Bold")
        write_rows(canvas, ["[1] A. Author. A title. 2020.", "[2] B. Author. A title. 2021."], top + 20)

    parsed = parse(page)
    assert [section.title for section in parsed.sections[1:]] == ["Conclusion", "References"]
    assert [line.kind for line in lines_of(parsed, "References")] == ["heading", "item", "item"]
    assert lines_of(parsed, "Conclusion")[-1].text == "We are done here."


def test_headings_are_inferred_from_print_without_an_outline() -> None:
    def page(canvas: Canvas) -> None:
        top = write_rows(canvas, ["Pump manual"], 80, size=22) + 15
        for title in ("Setting up", "Cleaning"):
            top = write_rows(canvas, [title], top + 20, size=14, font="Helvetica-Bold") + 8
            top = write_rows(
                canvas, [f"{WORDS} for", f"{title.lower()} it. And so on.", WORDS, "and ends."], top
            )

    parsed = parse(page)
    assert parsed.title == "Pump manual"
    assert [section.title for section in parsed.sections[1:]] == ["Setting up", "Cleaning"]
    assert lines_of(parsed, "Cleaning")[0].text == "Cleaning"


def test_an_outline_title_that_is_not_printed_begins_a_section_by_its_height() -> None:
    def page(canvas: Canvas) -> None:
        write_rows(canvas, ["Before it."], 72)
        bookmark(canvas, "Something else", 200)
        write_rows(canvas, ["After it."], 220)

    parsed = parse(page)
    assert [line.text for line in lines_of(parsed, "Something else")] == ["After it."]


def test_a_pdf_without_text_needs_ocr() -> None:
    def page(canvas: Canvas) -> None:
        canvas.rect(50, 50, 300, 300, fill=1)

    with pytest.raises(NeedsOcrError, match="needs OCR"):
        parse(page)


def test_an_encrypted_pdf_says_so() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(make_pdf([three_headings]))))
    writer.encrypt("secret")
    stream = BytesIO()
    writer.write(stream)
    with pytest.raises(ReadError, match="encrypted"):
        read_pdf(stream.getvalue())


@pytest.mark.parametrize("content", [b"%PDF-1.7\nnothing", b"not a pdf", make_pdf([three_headings])[:700]])
def test_a_broken_pdf_says_so(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(content)
    with pytest.raises(ReadError, match="broken"):
        read_file(path)


def test_the_libraries_say_nothing_beside_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with pytest.raises(ReadError):
        read_pdf(b"this is no PDF\n%%EOF")
    assert caplog.messages == []


def test_every_line_is_a_stretch_of_the_text() -> None:
    parsed = parse(three_headings, three_headings)
    assert all(parsed.text[line.start : line.end] == line.text for line in parsed.lines)
