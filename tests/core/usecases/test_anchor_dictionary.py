from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import SettingsError
from core.rag.anchors.dictionary import DictionaryEntry
from core.usecases.anchor_dictionary import load_dictionary


def test_entries_are_read_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "words.toml"
    path.write_text('[[entry]]\nterms = ["fee", "料金"]\nrelated = ["yen"]\n', encoding="utf-8")
    assert load_dictionary(str(path)) == (DictionaryEntry(("fee", "料金"), ("yen",)),)


def test_without_a_path_there_are_no_entries() -> None:
    assert load_dictionary("") == ()


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "words.toml"
    path.write_text('[[entry]]\nterms = ["fee"]\n', encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert load_dictionary(str(path))[0].terms == ("fee",)
    path.write_text('[[entry]]\nterms = ["pay"]\n', encoding="utf-8")
    os.utime(path, ns=(2, 2))
    assert load_dictionary(str(path))[0].terms == ("pay",)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"rag\.anchors\.dictionary: .* cannot be read"):
        load_dictionary(str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    "text",
    [
        "entry = 3",
        "[[entry]]\nterms = []",
        '[[entry]]\nterms = "fee"',
        "[[entry]]\nterms = [1]",
        '[[entry]]\nterms = ["a"]\nweight = 2',
        '[[term]]\nterms = ["a"]',
        'terms = ["a"',
    ],
)
def test_what_is_no_dictionary_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "words.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"rag\.anchors\.dictionary: .*words\.toml"):
        load_dictionary(str(path))
