"""The words of the pages."""

from __future__ import annotations

import string
from typing import get_args

import pytest

from core.contribution.quadrants import QUADRANTS
from core.domain import GateDecision, Verdict
from core.storage.gap_reports import GapState
from dashboard.text import NAMES, WORDS, Locale, Words, choose_locale


def test_both_languages_have_the_same_words_with_the_same_gaps() -> None:
    def gaps(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    japanese, english = WORDS["ja"], WORDS["en"]
    assert set(japanese) == set(english)
    for name, text in english.items():
        assert gaps(text) == gaps(japanese[name]), name


@pytest.mark.parametrize("locale", list(NAMES))
def test_every_closed_set_has_its_words(locale: Locale) -> None:
    words = Words(locale)
    for field in QUADRANTS:
        assert words(field)
        assert words(f"{field}_advice")
    for verdict in get_args(Verdict):
        assert words(verdict)
        assert words(f"{verdict}_help")
    for decision in get_args(GateDecision):
        assert words(decision)
    for state in get_args(GapState):
        assert words(f"gap_{state}")


@pytest.mark.parametrize(
    ("wanted", "locale"),
    [("ja", "ja"), ("ja-JP", "ja"), ("JA", "ja"), ("en-GB", "en"), ("fr", "en"), ("", "en"), (None, "en")],
)
def test_japanese_for_who_wants_it_english_for_all_others(wanted: str | None, locale: Locale) -> None:
    assert choose_locale(wanted) == locale
