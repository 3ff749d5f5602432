"""An answer as text for a terminal."""

from __future__ import annotations

from dataclasses import replace

from rich.cells import cell_len

from bots.rendering import align_columns, render_answer, render_contributions, render_sources
from core.usecases.answer_json import AnswerJson, answer_to_json
from tests.samples import Shown, answer_with

TITLES = {"docs:a.md": "Rules", "docs:b.md": "出張旅費規程"}


def answer(language: str = "en", idle: int = 0) -> AnswerJson:
    shown = [
        Shown("docs:a.md", {0: "Apply three days before.", 1: "Half days are possible."}),
        Shown("docs:b.md", {2: "1泊14,000円まで。"}, exposed=False),
        *(Shown(f"docs:idle{n}.md") for n in range(idle)),
    ]
    made = answer_to_json(answer_with("x1", shown))
    made["language"] = language
    return made


def test_the_answer_comes_first_then_sources_then_what_carried_it() -> None:
    text = render_answer(answer(), TITLES)
    places = [
        text.index(part) for part in ("Statement 0", "Sources", "What carried this answer", "confidence 0.75")
    ]
    assert places == sorted(places)


def test_a_source_names_its_section_page_and_lines() -> None:
    assert "[1] Rules > Leave · page 2, lines 4–5\n" in render_sources(answer())
    assert "[1] Rules > Leave · 2ページ, 4〜5行目\n" in render_sources(answer("ja"))


def test_a_source_without_pages_and_with_one_line_says_just_that() -> None:
    made = answer()
    made["citations"][0]["page"] = None
    made["citations"][0]["line_end"] = 4
    assert "· line 4\n" in render_sources(made)


def test_quotes_are_shown_on_request() -> None:
    assert "“Apply three days before.”" in render_sources(answer(), quotes=True)
    assert "「Apply three days before.」" in render_sources(answer("ja"), quotes=True)
    assert "Apply" not in render_sources(answer())


def test_the_table_tells_exposure_share_and_statements() -> None:
    lines = render_contributions(answer(), TITLES).splitlines()
    assert lines[1].split() == ["article", "exposed", "carried", "statements"]
    assert lines[2].split() == ["Rules", "yes", "50%", "2"]
    assert lines[3].split() == ["出張旅費規程", "no", "25%", "1"]


def test_columns_stand_below_each_other_with_wide_characters() -> None:
    rows = [("article", "x"), ("出張旅費規程", "y"), ("a" * 80, "z")]
    lines = list(align_columns(rows))
    starts = {cell_len(line[: line.rindex(row[1])]) for line, row in zip(lines, rows, strict=True)}
    assert len(starts) == 1
    assert "…" in lines[2]


def test_articles_that_carried_nothing_are_cut_after_a_few() -> None:
    text = render_contributions(answer(idle=8), TITLES)
    assert text.count("docs:idle") == 5
    assert text.endswith("… and 3 more that carried nothing")


def test_what_could_not_be_measured_is_a_dash() -> None:
    whole = answer_with("x1", [Shown("docs:a.md")], judged=False)
    made = answer_to_json(replace(whole, confidence=None))
    text = render_answer(made, TITLES)
    assert "Rules    yes      –        0" in text
    assert "confidence –" in text


def test_an_answer_that_found_nothing_is_its_text_and_the_figures() -> None:
    made = answer_to_json(answer_with("x1", [], statements=1))
    assert render_answer(made, {}).split("\n\n") == [
        "Statement 0 of x1.",
        "confidence 0.75 · extractive · 16 ms",
    ]
