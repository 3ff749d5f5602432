from __future__ import annotations

from core.rag.anchors.dictionary import DictionaryEntry, look_up, make_keyword, read_entries

ATTENTION = DictionaryEntry(("attention", "注意機構"), ("softmax",))
SELF = DictionaryEntry(("self-attention", "自己注意機構"))


def test_the_longest_term_wins_where_two_overlap() -> None:
    found = look_up("自己注意機構とは", [ATTENTION, SELF])
    assert [keyword.text for keyword in found.keywords] == ["self-attention"]
    assert "注意機構" not in found.rest


def test_a_term_counts_once_in_whatever_language_it_stands() -> None:
    found = look_up("Is attention the same as 注意機構?", [ATTENTION])
    assert [(k.text, k.source) for k in found.keywords] == [
        ("attention", "dictionary"),
        ("softmax", "related"),
    ]


def test_a_term_inside_another_word_is_none() -> None:
    assert look_up("Inattentional blindness", [ATTENTION]).keywords == ()


def test_entries_come_from_rows_of_the_file() -> None:
    rows = [{"terms": ["a", "b"], "related": ["c"]}, {"terms": ["d"]}]
    assert read_entries(rows) == (DictionaryEntry(("a", "b"), ("c",)), DictionaryEntry(("d",)))


def test_forms_are_normalised_and_do_not_repeat() -> None:
    assert make_keyword(["ＧＰＵ", "gpu", " "], "dictionary").forms == ("gpu",)
