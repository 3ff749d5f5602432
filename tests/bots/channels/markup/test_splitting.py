"""Long texts become parts: nothing is lost, nothing is too long, fences stay whole."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.channels.markup.splitting import Measure, count_utf16, split_markdown

FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})")
WORDS = st.sampled_from(
    [
        "word",
        "経費精算は、",
        "30日以内に申請します。",
        "😀",
        "A sentence.",
        "x" * 50,
        " ",
        "\n",
        "\n\n",
        "- item",
    ]
)
FENCED = st.lists(st.sampled_from(["x = 1", "", "    indented", "長い行" * 20, "y" * 80]), max_size=12).map(
    lambda lines: "\n".join(["", "```python", *lines, "```", ""])
)
TEXTS = st.lists(st.one_of(WORDS, FENCED), max_size=60).map("".join)


def content(text: str) -> str:
    """All characters that carry meaning, without white space and lines of fences."""
    lines = [line for line in text.split("\n") if not FENCE.match(line)]
    return "".join("".join(lines).split())


@given(TEXTS, st.integers(min_value=32, max_value=300), st.sampled_from([len, count_utf16]))
def test_no_text_is_lost_no_part_is_too_long_and_fences_are_balanced(
    text: str, limit: int, measure: Measure
) -> None:
    parts = split_markdown(text, limit, measure)
    assert all(measure(part) <= limit for part in parts)
    assert "".join(content(part) for part in parts) == content(text)
    assert all(part.strip() for part in parts)
    for part in parts:
        assert sum(FENCE.match(line) is not None for line in part.split("\n")) % 2 == 0


@given(st.text(max_size=400), st.integers(min_value=32, max_value=80))
def test_any_text_is_cut_within_the_limit(text: str, limit: int) -> None:
    parts = split_markdown(text, limit)
    assert all(len(part) <= limit for part in parts)
    assert bool(parts) == bool(text.strip())


def test_a_short_text_stays_one_part() -> None:
    assert split_markdown("Hello.\n\nBye.", 100) == ["Hello.\n\nBye."]


def test_nothing_gives_no_part() -> None:
    assert split_markdown(" \n\n ", 100) == []


def test_a_cut_falls_between_paragraphs() -> None:
    first, second = "a " * 20, "b " * 20
    assert split_markdown(f"{first}\n\n{second}", 60) == [first.strip(), second.strip()]


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    parts = split_markdown(
        "休暇は三営業日前までに申請してください。半日でも取得できます。翌年に繰り越せます。", 32
    )
    assert parts[0].endswith("。")
    assert all(part.endswith("。") for part in parts)


def test_a_cut_fence_is_closed_and_opened_again_with_its_language() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(12))
    parts = split_markdown(f"Before.\n\n```python\n{code}\n```\n\nAfter.", 80)
    assert len(parts) > 2
    inner = [part for part in parts if "line_" in part]
    assert all("```python\n" in part and part.count("```") == 2 for part in inner)
    assert parts[-1].endswith("After.")


def test_indentation_in_code_is_kept() -> None:
    parts = split_markdown("```\n" + "\n".join("    deep" for _ in range(20)) + "\n```", 60)
    assert all("\n    deep" in part for part in parts)


@pytest.mark.parametrize("opening", ["```" + "x" * 100, "`" * 40, "~~~ " + "y" * 31])
def test_a_fence_with_an_endless_first_line_fits_too(opening: str) -> None:
    text = f"{opening}\ncode\n" + "z" * 90
    parts = split_markdown(text, 32)
    assert all(len(part) <= 32 for part in parts)
    assert "".join(parts).count("z") == 90


@pytest.mark.parametrize(("text", "units"), [("abc", 3), ("経費", 2), ("😀", 2), ("", 0)])
def test_units_are_counted_as_utf_16(text: str, units: int) -> None:
    assert count_utf16(text) == units
    assert count_utf16(text) == len(text.encode("utf-16-le")) // 2
