"""Text as it is compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.normalise import fold_width, join_spaced_letters, normalise


@pytest.mark.parametrize(
    ("written", "compared"),
    [
        ("ﾊﾟｽﾜｰﾄﾞ", "パスワード"),
        ("ＡＢＣ－１２３", "abc-123"),
        ("Ｗｉ‐Ｆｉ", "wi-fi"),
        ("STRASSE Straße", "strasse strasse"),
        ("d₂ と x²", "d2 と x2"),
        ("soft\u00adhyphen and zero\u200bwidth", "softhyphen and zerowidth"),
        ("葛󠄀城", "葛城"),
        ("It’s “quoted”", 'it\'s "quoted"'),
        ("10〜20 10～20", "10~20 10~20"),
    ],
)
def test_width_case_and_compatibility_forms_are_folded(written: str, compared: str) -> None:
    assert normalise(written) == compared


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("A T T E N T I O N", "attention"),
        ("I n t r o d u c t i o n", "introduction"),
        ("2  B A C K G R O U N D", "2  background"),
        ("R E L A T E D  W O R K", "related  work"),
        ("は じ め に", "はじめに"),
        ("目　次", "目次"),
    ],
)
def test_headings_spelt_with_spaces_are_read_as_words(heading: str, words: str) -> None:
    assert normalise(heading) == words


@pytest.mark.parametrize(
    "line", ["I have a plan B", "Is it a or b in the list?", "x y", "the value of a b c is known to all here"]
)
def test_ordinary_lines_with_single_letters_stay(line: str) -> None:
    assert join_spaced_letters(line) == line


def test_only_the_spelt_line_of_a_text_is_joined() -> None:
    assert normalise("A B S T R A C T\nWe have a plan.") == "abstract\nwe have a plan."


def test_case_is_kept_when_only_width_is_folded() -> None:
    assert fold_width("ＦａｓｔＡＰＩ") == "FastAPI"


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
