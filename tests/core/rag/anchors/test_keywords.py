from __future__ import annotations

import pytest

from core.rag.anchors.keywords import Keyword, find_occurrences, holds
from core.rag.anchors.word_index import holds_word, index_words, stems_of
from tests.core.rag.anchors.documents import Part, document


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("cap", "two caps", True),
        ("cap", "its capacity", False),
        ("computed", "it computes", True),
        ("gpu", "eight gpus", True),
        ("gpus", "one gpu", True),
        ("new", "the news", False),
        ("attention", "attention機構", True),
        ("attention", "self-attention", True),
        ("dot product", "dot products", True),
        ("dot product", "dot productivity", False),
        ("ta-8", "the ta-80", False),
        ("層", "6層の", True),
    ],
)
def test_words_are_found_in_their_forms_and_between_borders(word: str, text: str, found: bool) -> None:
    assert holds(text, Keyword(word, (word,))) is found
    tables = document(Part("x", (text,)))
    assert bool(find_occurrences(tables, [Keyword(word, (word,))]).counts.any()) is found


def test_a_substring_is_found_anywhere() -> None:
    assert holds("its capacity", Keyword("cap", ("cap",), "substring"))


def test_occurrences_are_counted_by_line_and_looked_for_in_titles() -> None:
    tables = document(Part("Valve", ("A valve, and a valve.", "Nothing.")), Part("Other", ("Valves.",)))
    found = find_occurrences(tables, [Keyword("valve", ("valve",)), Keyword("pump", ("pump",))])
    assert found.counts.tolist() == [[1, 2, 0, 0, 1], [0, 0, 0, 0, 0]]
    assert found.in_titles.tolist() == [[False, True, False], [False, False, False]]


def test_another_form_does_not_make_another_keyword() -> None:
    tables = document(Part("x", ("Attention 注意機構",)))
    found = find_occurrences(tables, [Keyword("attention", ("attention", "注意機構"))])
    assert found.counts.shape == (1, 2)
    assert found.counts.sum() == 2


def test_a_compound_that_is_nowhere_is_looked_for_by_its_parts() -> None:
    parts = (Keyword("平方", ("平方",)), Keyword("根", ("根",)))
    whole = Keyword("平方根", ("平方根",), parts=parts)
    assert [k.text for k in find_occurrences(document(Part("x", ("平方の話",))), [whole]).keywords] == [
        "平方"
    ]
    assert [k.text for k in find_occurrences(document(Part("x", ("平方根",))), [whole]).keywords] == [
        "平方根"
    ]
    assert [k.text for k in find_occurrences(document(Part("x", ("なし",))), [whole]).keywords] == ["平方根"]


def test_no_keyword_is_no_error() -> None:
    found = find_occurrences(document(Part("x", ("y",))), [])
    assert (found.counts.shape, found.in_titles.shape) == ((0, 2), (0, 2))


def test_an_index_of_words_names_every_occurrence() -> None:
    index = index_words(["valve valves", "pump", "a valve"])
    assert index.find("valve").tolist() == [0, 0, 2]
    assert index.find("nothing").tolist() == []


def test_words_in_u_are_one_word_with_their_plural() -> None:
    assert set(stems_of("gpus")) == set(stems_of("gpu"))
    assert holds_word("menus", "menu")
