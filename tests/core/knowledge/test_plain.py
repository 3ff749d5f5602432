"""Text without markup: headings only where the layout leaves no doubt."""

from __future__ import annotations

import pytest

from core.domain import ParsedFile
from core.knowledge.assembly import assemble
from core.knowledge.readers.plain import read_plain


def parse(text: str) -> ParsedFile:
    return assemble(read_plain(text), "file name")


def titles(parsed: ParsedFile) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in parsed.sections[1:]]


def test_japanese_articles_are_sections_with_their_captions() -> None:
    parsed = parse(
        "就業規則\n\n第1章 総則\n\n（目的）\n第1条　この規則は、社員の就業に関する事項を定める。\n\n"
        "第2条（適用範囲）　この規則は、すべての社員に\n適用する。\n\n第3条に定める者を除く。\n"
    )
    assert parsed.title == "就業規則"
    assert titles(parsed) == [(1, "第1章 総則"), (2, "第1条（目的）"), (2, "第2条（適用範囲）")]
    assert [line.text for line in parsed.lines if line.section == 2] == [
        "（目的）第1条",
        "この規則は、社員の就業に関する事項を定める。",
    ]
    assert [line.text for line in parsed.lines if line.section == 3][-1] == "第3条に定める者を除く。"


def test_underlines_squares_brackets_numbers_and_capitals_make_headings() -> None:
    parsed = parse(
        "Guide\n=====\n\nIntro.\n\nSetup\n-----\n\nText.\n\n【問い合わせ】\n総務部まで。\n\n"
        "■ 附則\n\n本文。\n\n1. Overview\n\nText of it.\n\nINSTALL\n\nRun it.\n\n== Wiki ==\n\nMore.\n"
    )
    assert parsed.title == "Guide"
    assert [title for _, title in titles(parsed)] == [
        "Setup",
        "問い合わせ",
        "附則",
        "1. Overview",
        "INSTALL",
        "Wiki",
    ]


def test_rst_underlines_take_their_levels_in_order_of_appearance() -> None:
    parsed = parse("====\nTop\n====\n\na.\n\nOne\n~~~\n\nb.\n\nDeep\n----\n\nc.\n\nTwo\n~~~\n\nd.\n")
    assert parsed.title == "Top"
    assert titles(parsed) == [(1, "One"), (2, "Deep"), (1, "Two")]


def test_several_short_lines_above_their_text_are_headings() -> None:
    parsed = parse(
        "WARRANTY\n\nPeriod\n\nIt lasts 24 months.\n\nNot covered\n\n- frost\n- flooding\n\n"
        "3.4.2（2026年10月5日）\n・直しました。\n\n１．標準の勤務時間\n\n始業は8時45分です。\n"
    )
    assert [title for _, title in titles(parsed)] == [
        "Period",
        "Not covered",
        "3.4.2（2026年10月5日）",
        "１．標準の勤務時間",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. Plug it in\n\n2. Switch it on\n\nDone.",
        "It costs 5 yen.\n\nYes.",
        "A short line\nfollowed by more text of the same paragraph.",
        "- item one\n- item two",
        "-----\n\ntext\n\n-----",
        "第3条に定める者を除く。\n\n以上。",
        "Hello\n\nOnly one short line\n\nstands above a sentence.",
    ],
)
def test_what_may_be_ordinary_text_is_no_heading(text: str) -> None:
    assert len(parse(text).sections) == 1


def test_wrapped_lines_join_and_lines_broken_on_purpose_do_not() -> None:
    parsed = parse(
        "This sentence was wrapped by an editor because it is\nlonger than a line. Next.\n\n"
        "総務部\n内線 110\n\n経費精算は、支払った日から三十日以内に経費システム\nで申請します。\n"
    )
    assert [line.text for line in parsed.lines] == [
        "This sentence was wrapped by an editor because it is longer than a line.",
        "Next.",
        "総務部",
        "内線 110",
        "経費精算は、支払った日から三十日以内に経費システムで申請します。",
    ]


def test_list_marks_are_no_part_of_the_item() -> None:
    parsed = parse("持ち物:\n・印鑑\n・通帳\n(1) 受付に行く\n① 番号を取る\n")
    assert [(line.kind, line.text) for line in parsed.lines] == [
        ("sentence", "持ち物:"),
        ("item", "印鑑"),
        ("item", "通帳"),
        ("item", "受付に行く"),
        ("item", "番号を取る"),
    ]
