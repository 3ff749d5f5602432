"""The answerer without a model: what it quotes, what it cites, what it says when nothing answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import Language, Line, LineKind
from core.ports import AnswerRequest, Source
from core.rag.answering import MAX_LINES, ExtractiveAnswerer
from core.rag.citations import check_citations
from core.text.terms import best_available_analyser
from tests.fake_models import FakeEmbedder

ANALYSE = best_available_analyser().analyse


def source(
    number: int, *texts: str, kind: LineKind = "sentence", breadcrumb: str = "Rules", relevance: float = 0.9
) -> Source:
    lines = tuple(Line(i, 0, kind, text, 0, len(text), None, i, i) for i, text in enumerate(texts))
    return Source(number, "Rules", breadcrumb, "\n".join(texts), relevance, lines, f"a{number}")


def nothing_known(terms: Sequence[str]) -> tuple[int, list[int]]:
    return 100, [1 for _ in terms]


async def ask(question: str, *sources: Source, language: Language = "en") -> tuple[str, bool]:
    answerer = ExtractiveAnswerer(ANALYSE, nothing_known, FakeEmbedder())
    draft = await answerer.answer(AnswerRequest(question, language, sources))
    return draft.text, draft.found


async def test_the_line_that_answers_is_quoted_with_its_mark() -> None:
    sources = source(1, "Parking is free.", "Refunds are paid within thirty days.")
    assert await ask("When are refunds paid?", sources) == ("Refunds are paid within thirty days. [1]", True)


async def test_a_question_line_is_not_quoted_but_leads_to_its_answer() -> None:
    sources = source(3, "Can I bring my dog?", "Only on Fridays.", "The kitchen closes at six.")
    assert await ask("May I bring a dog?", sources) == ("Only on Fridays. [3]", True)


async def test_items_become_a_list_and_code_is_marked_as_code() -> None:
    assert (await ask("install the agent", source(1, "Install the agent", kind="item")))[0].startswith("- ")
    assert (await ask("install agent", source(1, "install agent --now", kind="code")))[0].startswith("`")


@pytest.mark.parametrize(("language", "expected"), [("ja", "見つかりませんでした"), ("en", "could not find")])
async def test_without_sources_it_says_so_in_the_language_of_the_question(
    language: Language, expected: str
) -> None:
    text, found = await ask("?", language=language)
    assert expected in text
    assert not found


async def test_a_line_in_the_language_of_the_question_is_preferred() -> None:
    text, _ = await ask("Wi-Fi TA-4", source(1, "TA-4 は Wi-Fi で使います。", "TA-4 uses Wi-Fi."))
    assert "uses" in text
    assert "使います" not in text


async def test_marks_in_a_source_are_not_taken_for_ours() -> None:
    text, _ = await ask("refunds", source(2, "Refunds are quick [7]."))
    assert check_citations(text, [2]).removed == 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(alphabet="abc 返金は。?", max_size=20), max_size=8), st.text(max_size=20))
async def test_it_quotes_at_most_a_few_lines_and_cites_only_what_it_was_given(
    texts: list[str], question: str
) -> None:
    text, found = await ask(question, source(1, *texts), source(2, *texts))
    checked = check_citations(text, [1, 2])
    assert checked.removed == 0
    assert len(checked.numbers) <= MAX_LINES
    assert found is bool(checked.numbers)
