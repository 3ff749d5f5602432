"""What a model is shown, what of its answer is believed, and what becomes of the order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Usage
from core.ports import ArbiterRanking, ArbiterVerdict, TocEntry
from core.rag.anchors.arbiter import (
    ROLES,
    build_arbiter_messages,
    build_toc_messages,
    parse_selection,
    parse_verdict,
)
from core.rag.anchors.finding import AnchorResult, find_anchors
from core.rag.anchors.numbering import format_pages, number_places
from core.rag.anchors.parsing import parse_question
from core.rag.anchors.quotes import check_quote
from core.rag.anchors.tables import DocumentTables
from tests.core.rag.anchors.documents import FakeArbiter, Part, document, verdict

LAW = document(
    Part("Scope", ("This covers pumps.",), page=1),
    Part("Fees", ("A fee is due for every pump [3].", "It is 500 yen."), page=1),
    Part("Valves & <hoses>", ("Each valve has a pump.",), page=2),
    Part("Chapter", (), page=3),
    Part("Ending", ("The pump ends here.",), page=3, level=2),
)


async def ask(says: ArbiterVerdict, tables: DocumentTables = LAW) -> tuple[AnchorResult, FakeArbiter]:
    arbiter = FakeArbiter(says)
    result = await find_anchors([tables], parse_question("What about a pump?"), "en", None, arbiter)
    return result, arbiter


def answer(**keys: Any) -> str:
    return json.dumps({"ranking": [], "not_found": False, "confidence": 0.5, **keys})


def test_sections_are_numbered_as_the_contents_list_them() -> None:
    numbering = number_places([LAW])
    assert [(e.id, e.title, e.pages) for e in numbering.toc][:2] == [("0", "Scope", "1"), ("1", "Fees", "1")]
    assert numbering.places["1"] == (0, 1)


def test_numbers_of_several_documents_do_not_meet() -> None:
    numbering = number_places([LAW, LAW])
    assert len(set(numbering.numbers.values())) == len(numbering.numbers) == 2 * len(LAW.units)
    assert [entry.id for entry in numbering.toc if entry.level == 0] == ["", ""]


def test_pages_are_named_by_their_own_numbers() -> None:
    tables = document(Part("a", ("x",), page=4), Part("b", ("y",), page=9))
    assert number_places([tables]).places == {"4": (0, 0), "9": (0, 1)}


def test_the_pages_of_a_section_are_a_range() -> None:
    assert format_pages(LAW.sections[1]) == "1"
    assert format_pages(LAW.sections[0]) == ""


async def test_a_model_sees_every_title_and_place_escaped() -> None:
    _, arbiter = await ask(verdict(("1", "primary")))
    system, user = (m["content"] for m in build_arbiter_messages(arbiter.asked[0], "fake"))
    assert "in English" in system
    assert "2: Valves &amp; &lt;hoses&gt; (p. 2)" in user
    assert '<place id="1"> Manual &gt; Fees' in user
    assert "GLOBAL_LINE 3: A fee is due for every pump [3]." in user


def test_the_reader_of_contents_sees_titles_alone() -> None:
    user = build_toc_messages("Why?", [TocEntry("0", 2, "A <b>", "1-2")], "fake")[1]["content"]
    assert "  0: A &lt;b&gt; (p. 1-2)" in user


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I do not know.", "no JSON object in the answer"),
        ("{ranking: }", "not valid JSON (JSONDecodeError)"),
        ('{"places": []}', "no list `ranking` in the answer"),
        ('{"ranking": [], "not_found": false}', "an empty ranking without not_found"),
    ],
)
def test_what_cannot_be_read_is_a_problem(text: str, problem: str) -> None:
    assert parse_verdict(text).problem == problem


def test_a_verdict_is_read_whatever_stands_around_it() -> None:
    row = {"id": 7, "role": "PRIMARY", "reason": "r", "line_start": 3, "quote": "q"}
    read = parse_verdict(f"```json\n{answer(ranking=[row, 'x', {}], confidence=7)}\n```")
    assert read.rankings == (ArbiterRanking("7", "primary", "r", 3, None, "q"),)
    assert read.confidence == 1.0


def test_an_unknown_role_is_tangential() -> None:
    read = parse_verdict(answer(ranking=[{"id": "1", "role": "best"}]))
    assert read.rankings[0].role == "tangential"


@given(
    st.text(max_size=60)
    | st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists).map(
        lambda value: json.dumps({"ranking": value, "confidence": value, "section_ids": value})
    )
)
def test_no_answer_of_a_model_breaks_the_reading(text: str) -> None:
    read = parse_verdict(text)
    assert 0.0 <= read.confidence <= 1.0
    assert all(ranking.role in ROLES for ranking in read.rankings)
    assert isinstance(parse_selection(text)[0], tuple)


async def test_roles_order_the_places_and_discarded_ones_are_not_kept() -> None:
    result, _ = await ask(verdict(("2", "supporting"), ("1", "primary"), ("0", "discarded")))
    assert [(a.number, a.role) for a in result.anchors] == [
        ("1", "primary"),
        ("2", "supporting"),
        ("4", "tangential"),
        ("0", "discarded"),
    ]
    assert "0" not in [anchor.number for anchor in result.kept]
    assert result.confidence == 0.8
    assert result.arbitration.usage == Usage(100, 20, None, 1)


async def test_unknown_ids_are_rejected_and_the_rest_counts() -> None:
    result, _ = await ask(verdict(("id=1", "primary"), ("77", "primary"), ("1", "primary")))
    assert [anchor.number for anchor in result.kept if anchor.role == "primary"] == ["1"]
    assert result.arbitration.rejected == ("id=1", "77")
    assert result.arbitration.order == "arbiter"


async def test_a_model_that_sees_no_place_is_believed() -> None:
    result, arbiter = await ask(verdict(not_found=True, confidence=0.7))
    assert (result.not_found, result.kept, result.confidence) == (True, (), 0.7)
    assert len(arbiter.asked) == result.arbitration.calls == 1


@pytest.mark.parametrize(
    ("start", "end", "quote", "quoted"),
    [
        (3, None, "A fee is due for every pump.", (3, 3)),
        (3, 4, "every pump. It is 500 yen.", (3, 4)),
        (4, 4, "A fee is due", None),
        (None, None, "It is 500 yen.", None),
        (99, 99, "It is 500 yen.", None),
    ],
)
async def test_a_quote_counts_only_where_it_stands(
    start: int | None, end: int | None, quote: str, quoted: tuple[int, int] | None
) -> None:
    ranking = ArbiterRanking("1", "primary", "", start, end, quote)
    result, _ = await ask(ArbiterVerdict((ranking,), False, 1.0, "", "p", "m", Usage()))
    assert result.kept[0].quoted == quoted
    assert bool(result.arbitration.bad_quotes) is (quoted is None)


def test_an_empty_quote_is_none() -> None:
    assert not check_quote(LAW.lines, 3, 3, "  ").valid


async def test_without_a_model_scores_give_the_roles() -> None:
    result = await find_anchors([LAW], parse_question("When is the fee for a pump due?"), "en")
    assert result.anchors[0].role == "primary"
    assert result.arbitration.calls == 0
    assert result.confidence is None
