from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rag.anchors.dictionary import DictionaryEntry
from core.rag.anchors.parsing import parse_question

FEES = DictionaryEntry(("fee", "料金"), ("yen",))


def words(text: str) -> list[str]:
    return [keyword.text for keyword in parse_question(text).keywords]


def test_words_that_ask_are_no_keywords() -> None:
    assert words("What is the warranty of the valve?") == ["warranty", "valve"]
    assert words("保証期間はどのくらいですか") == ["保証期間"]


def test_a_quoted_phrase_is_one_keyword() -> None:
    (phrase, rest) = parse_question('Where does "late fee" stand in the contract?').keywords[:2]
    assert (phrase.text, phrase.source, phrase.matching) == ("late fee", "quoted", "substring")
    assert rest.text == "stand"


def test_an_identifier_is_found_with_and_without_its_hyphen() -> None:
    (found,) = parse_question("What is TA-8?").keywords
    assert (found.source, set(found.forms)) == ("identifier", {"ta-8", "ta8"})


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("What is on page 8?", {8}),
        ("Compare pages 3-5", {3, 4, 5}),
        ("8ページには何がありますか", {8}),
        ("pp. 9 and 12", {9, 10, 11, 12}),
        ("What pages are there?", set()),
    ],
)
def test_pages_that_are_named_are_read(text: str, pages: set[int]) -> None:
    assert parse_question(text).pages == pages


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("What does section 3.2 say?", "3.2"),
        ("第5条の内容は", "5"),
        ("§ 7 of the law", "7"),
        ("3.2節の話", "3.2"),
    ],
)
def test_sections_that_are_named_are_read(text: str, section: str) -> None:
    question = parse_question(text)
    assert question.sections == {section}
    assert section not in [keyword.text for keyword in question.keywords]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("How long is the warranty?", "point"),
        ("Which kinds of regularization are used?", "listing"),
        ("正則化の種類をすべて挙げてください", "listing"),
        ("What is the difference between plans?", "comparison"),
        ("AプランとBプランの違いは何ですか", "comparison"),
        ("Summarize the report", "whole"),
        ("この資料の概要を教えてください", "whole"),
    ],
)
def test_the_shape_of_a_question_is_read(text: str, shape: str) -> None:
    assert parse_question(text).shape == shape


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("How much does it cost?", "money"),
        ("料金はいくらですか", "money"),
        ("When is the deadline?", "date"),
        ("締切はいつですか", "date"),
        ("Which version is needed?", "version"),
        ("何台使いましたか", "number"),
    ],
)
def test_the_kind_of_value_that_is_asked_for_is_read(text: str, kind: str) -> None:
    assert kind in parse_question(text).wanted


def test_a_term_of_the_dictionary_stands_for_all_its_synonyms() -> None:
    keywords = parse_question("料金はいくらですか", [FEES]).keywords
    assert [(k.forms, k.source, k.weight) for k in keywords[:2]] == [
        (("fee", "料金"), "dictionary", 1.0),
        (("yen",), "related", 0.5),
    ]


@given(st.text(max_size=80))
def test_no_text_breaks_the_reading_and_no_form_repeats(text: str) -> None:
    forms = [form for keyword in parse_question(text, [FEES]).keywords for form in keyword.forms[:1]]
    assert len(forms) == len(set(forms))
    assert all(form == form.strip() and form for form in forms)
