"""Headings, breadcrumbs and deep links of Markdown and HTML in both languages, down to the anchors."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.domain import ParsedFile
from core.knowledge.reading import read_file
from core.rag.anchors.finding import find_anchors
from core.rag.anchors.parsing import parse_question
from core.text.normalise import normalise
from tests.core.rag.anchors.conftest import LIMIT
from tests.core.rag.anchors.documents import tables_of

MARKDOWN_EN = """# Service agreement

## Fees

### Late fees

A late fee of 5 % is due after 30 days.

### Discounts

Schools get 10 % off.

## Termination

Either party may end the agreement with 60 days' notice.

## Governing law

The law of Japan applies.
"""
MARKDOWN_JA = """# 利用規約

## 料金

### 延滞料金

30日を過ぎると5%の延滞料金がかかります。

### 割引

学校は10%引きになります。

## 解約

どちらの当事者も60日前の通知で解約できます。

## 準拠法

日本法に従います。
"""
HTML_EN = """<html><head><title>Service agreement</title></head><body><h1>Service agreement</h1>
<h2 id="fees">Fees</h2><h3 id="late">Late fees</h3><p>A late fee of 5 % is due after 30 days.</p>
<h3 id="discounts">Discounts</h3><p>Schools get 10 % off.</p>
<h2 id="end">Termination</h2><p>Either party may end the agreement with 60 days' notice.</p>
<h2 id="law">Governing law</h2><p>The law of Japan applies.</p></body></html>
"""
HTML_JA = """<html lang="ja"><head><title>利用規約</title></head><body><h1>利用規約</h1>
<h2 id="fees">料金</h2><h3 id="late">延滞料金</h3><p>30日を過ぎると5%の延滞料金がかかります。</p>
<h3 id="discounts">割引</h3><p>学校は10%引きになります。</p>
<h2 id="end">解約</h2><p>どちらの当事者も60日前の通知で解約できます。</p>
<h2 id="law">準拠法</h2><p>日本法に従います。</p></body></html>
"""
CASES = {
    "en.md": (MARKDOWN_EN, "How high is the late fee after 30 days?", "Late fees", "late-fees"),
    "ja.md": (MARKDOWN_JA, "30日を過ぎた延滞料金はいくらですか", "延滞料金", "延滞料金"),
    "en.html": (HTML_EN, "How high is the late fee after 30 days?", "Late fees", "late"),
    "ja.html": (HTML_JA, "30日を過ぎた延滞料金はいくらですか", "延滞料金", "late"),
}
every = pytest.mark.parametrize("name", CASES)


@pytest.fixture
def parsed(name: str, tmp_path: Path) -> ParsedFile:
    path = tmp_path / name
    path.write_text(CASES[name][0], encoding="utf-8")
    return read_file(path, LIMIT)


@every
def test_heading_lines_belong_to_their_own_sections(name: str, parsed: ParsedFile) -> None:
    sections = [section for section in parsed.sections[1:] if section.title != parsed.title]
    assert len(sections) == 6 - 1
    for section in sections:
        own = [line for line in parsed.lines if line.section == section.ordinal]
        assert own[0].kind == "heading"
        assert normalise(section.title) in normalise(own[0].text)


@every
async def test_the_answering_section_is_first_with_its_way_from_the_top(
    name: str, parsed: ParsedFile
) -> None:
    _, text, title, anchor = CASES[name]
    result = await find_anchors([tables_of(parsed)], parse_question(text), parsed.language)
    unit = result.documents[0].units[result.kept[0].candidate.unit]
    section = parsed.sections[unit.number]
    parent = parsed.sections[section.parent or 0]
    assert section.title == title
    assert section.breadcrumb == f"{parent.breadcrumb} > {title}"
    assert parent.title in ("Fees", "料金")
    assert section.anchor == anchor


async def test_a_place_in_a_pdf_opens_its_page(paper: ParsedFile) -> None:
    question = parse_question("Which optimizer was used and how does the learning rate change?")
    result = await find_anchors([tables_of(paper)], question, "en")
    unit = result.documents[0].units[result.kept[0].candidate.unit]
    assert paper.sections[unit.number].anchor == "page=7"
