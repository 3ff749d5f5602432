import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.statements import AnswerFormat, detect_format, split_statements
from core.domain import Statement


def judged(text: str) -> list[str]:
    return [statement.text for statement in split_statements(text) if statement.judged]


def reasons(text: str) -> list[str]:
    return [statement.reason for statement in split_statements(text)]


def cited(text: str) -> list[tuple[int, ...]]:
    return [statement.cited for statement in split_statements(text) if statement.judged]


def test_sentences_keep_their_characters_of_the_answer() -> None:
    answer = "**有給休暇**は10日です[1]。取得は *半日* でもできます。"
    found = split_statements(answer)
    assert [s.text for s in found] == ["有給休暇は10日です。", "取得は 半日 でもできます。"]
    assert [answer[s.start : s.end] for s in found] == [
        "有給休暇**は10日です[1]。",
        "取得は *半日* でもできます。",
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Refunds take 14 days [1]. Cards are used.", [(1,), ()]),
        ("Refunds take 14 days. [1] Cards are used. [2][3]", [(1,), (2, 3)]),
        ("返金は14日です[1, 2]。カードに戻ります［３］。", [(1, 2), (3,)]),
        ("返金は14日です。［1］カードに戻ります。【2】", [(1,), (2,)]),
        ("Refunds take [1] 14 days [2].", [(1, 2)]),
        ("Refunds take 14 days [2-4].", [(2, 3, 4)]),
        ("Refunds take 14 days [^2].", [(2,)]),
        ("Refunds take 14 days [1](https://a.example/x).", [(1,)]),
        ("[1] Refunds take 14 days.", [(1,)]),
        ("Refunds take 14 days【1†handbook】.", [(1,)]),
    ],
)
def test_a_citation_belongs_to_the_sentence_it_stands_in_or_after(
    answer: str, expected: list[tuple[int, ...]]
) -> None:
    assert cited(answer) == expected


def test_marks_in_a_paragraph_of_their_own_belong_to_the_sentence_before() -> None:
    found = split_statements("Refunds take 14 days.\n\n[1][2]\n")
    assert found[0].cited == (1, 2)
    assert (found[1].judged, found[1].reason, found[1].cited) == (False, "citation_only", ())


@pytest.mark.parametrize(
    "text", ["The array is a[0] here.", "Founded in [2023].", "`a[1]` holds the fee.", "【1】概要です。"]
)
def test_brackets_that_cite_nothing_are_no_citations(text: str) -> None:
    assert cited(text) == [()]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("こんにちは。", "greeting"),
        ("お問い合わせいただきありがとうございます。", "greeting"),
        ("ご不明な点がございましたら、お気軽にお問い合わせください。", "greeting"),
        ("Hello!", "greeting"),
        ("Please let me know if you have any other questions.", "greeting"),
        ("ご希望の日程はいつですか。", "question"),
        ("Which plan do you use?", "question"),
        ("I am not sure about this.", "hedge"),
        ("変更されたかもしれません。", "hedge"),
        ("該当する情報が見つかりませんでした。", "refusal"),
        ("お答えできません。", "refusal"),
        ("I could not find this in the sources.", "refusal"),
        ("The provided documents do not mention a refund fee.", "refusal"),
        ("## 手順", "heading"),
        ("```\nkiyo ingest docs\n```", "code"),
        ("- [Handbook](https://a.example/handbook)", "link_list"),
        ("https://a.example/handbook", "link_list"),
        ("---。", "too_short"),
    ],
)
def test_what_claims_nothing_is_kept_but_not_judged(text: str, reason: str) -> None:
    found = split_statements(text)
    assert [statement.reason for statement in found] == [reason]
    assert not found[0].judged


@pytest.mark.parametrize(
    "text",
    [
        "こんにちは、有給休暇は10日です。",
        "It may take three days.",
        "返品にはレシートが必要ありません。",
        "There is no fee for cancelling.",
        "東京です。",
        "14日。",
        "Vouchers cannot be exchanged for cash.",
        "詳しい手順は総務部が説明します。",
    ],
)
def test_what_can_be_checked_is_judged(text: str) -> None:
    assert judged(text) == [text]


def test_a_sentence_that_leads_into_a_list_is_not_judged() -> None:
    answer = "以下の手順です。\n\n1. 勤怠システムを開きます。\n2. 申請を押します。"
    assert reasons(answer) == ["lead_in", "", ""]


def test_list_items_and_table_rows_are_statements() -> None:
    items = "- 在宅は週3日までです [1]\n- 前日までに連絡します\n\n"
    answer = items + "| プラン | 月額 |\n|---|---|\n| Pro | 5,000円 [2] |\n"
    assert [(s.text, s.cited) for s in split_statements(answer) if s.judged] == [
        ("在宅は週3日までです", (1,)),
        ("前日までに連絡します", ()),
        ("Pro | 5,000円", (2,)),
    ]
    assert reasons(answer) == ["", "", "heading", ""]


def test_a_list_under_a_sources_title_is_a_link_list_up_to_the_next_paragraph() -> None:
    answer = "休暇は10日です。\n\n参考:\n- 就業規則\n- 勤怠の手引き\n\n半日単位でも取れます。"
    assert reasons(answer) == ["", "heading", "link_list", "link_list", ""]


def test_japanese_emphasis_that_markdown_misses_is_taken_off() -> None:
    assert judged("1. **「申請」**を押します。") == ["「申請」を押します。"]


def test_lines_wrapped_in_the_source_are_joined() -> None:
    assert judged("有給休暇は入社後に\n付与されます。") == ["有給休暇は入社後に付与されます。"]
    assert judged("Refunds take\n14 days.") == ["Refunds take 14 days."]


def test_an_answer_of_only_code_has_nothing_to_judge() -> None:
    assert judged("```python\nprint(1)\n```") == []


def test_an_empty_answer_has_no_statements() -> None:
    assert split_statements("") == ()
    assert split_statements("  \n\n ") == ()


def test_json_values_become_statements_with_their_characters() -> None:
    answer = '{"answer": "休暇は10日です[1]。\\u534a日でも取れます。", "fee": 5000, "model": "x-1"}'
    found = split_statements(answer)
    assert [(s.text, s.cited, s.reason) for s in found] == [
        ("休暇は10日です。", (1,), ""),
        ("半日でも取れます。", (), ""),
        ("fee: 5000", (), ""),
        ("x-1", (), "code"),
    ]
    assert answer[found[0].start : found[0].end] == "休暇は10日です[1]。"
    assert answer[found[2].start : found[2].end] == "5000"


def test_json_sources_are_citations_of_the_object_that_names_them() -> None:
    first = '{"text": "Refunds take 14 days.", "citations": [1, 3]}'
    answer = f'[{first}, {{"text": "Vouchers stay valid.", "sources": []}}]'
    assert cited(answer) == [(1, 3), ()]


def test_fenced_json_is_read_as_json() -> None:
    answer = '```json\n{"answer": "Refunds take 14 days."}\n```'
    assert detect_format(answer) == "json"
    assert judged(answer) == ["Refunds take 14 days."]


def test_malformed_json_is_read_as_text() -> None:
    answer = '{"answer": "Refunds take 14 days.", '
    assert detect_format(answer) == "prose"
    assert any("Refunds take 14 days." in s.text for s in split_statements(answer, "json") if s.judged)


def test_an_answer_in_a_third_language_is_judged() -> None:
    assert judged("Die Erstattung dauert 14 Tage. Sie geht auf die Karte.") == [
        "Die Erstattung dauert 14 Tage.",
        "Sie geht auf die Karte.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Refunds take 14 days.", "prose"),
        ("- a\n- b", "markdown"),
        ("It is **bold**.", "markdown"),
        ("[1, 2]", "json"),
    ],
)
def test_formats_are_told_apart(text: str, expected: str) -> None:
    assert detect_format(text) == expected


@pytest.mark.parametrize(
    ("unit", "statements"),
    [("有給は10日です[1]。", 200_000 // 12), ("- item text [1]\n", 200_000 // 16), ("[", 0)],
)
def test_an_answer_of_200_kilobytes_loses_nothing(unit: str, statements: int) -> None:
    answer = unit * (200_000 // len(unit))
    assert len([statement for statement in split_statements(answer) if statement.judged]) == statements


def _check(text: str, found: tuple[Statement, ...]) -> None:
    assert [s.ordinal for s in found] == list(range(len(found)))
    for statement in found:
        assert 0 <= statement.start <= statement.end <= len(text)
        assert statement.judged == (statement.reason == "")
        assert all(1 <= number <= 99 for number in statement.cited)


@given(st.text(max_size=300))
def test_any_text_gives_numbered_statements_inside_it(text: str) -> None:
    for form in get_args(AnswerFormat):
        _check(text, split_statements(text, form))


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=30),
        lambda children: (
            st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=8), children, max_size=4)
        ),
        max_leaves=12,
    ).filter(lambda value: isinstance(value, dict | list))
)
def test_any_json_gives_statements_inside_it(value: object) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        _check(text, split_statements(text))
