from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.rag.anchors.audit import MOST_HITS, write_audit
from core.rag.anchors.expansion import Context, expand_anchors, find_objects, mentions
from core.rag.anchors.finding import AnchorResult, find_anchors
from core.rag.anchors.parsing import parse_question
from core.rag.anchors.tables import DocumentTables
from core.text.tokens import count_tokens
from tests.core.rag.anchors.documents import Part, document

LONG = tuple(f"Sentence number {n} says nothing of note." for n in range(60))
BOOK = document(
    Part("Pumps", ("About pumps.",)),
    Part("Care", (*LONG[:30], "Grease the pump each spring.", *LONG[30:]), level=2),
    Part("Repair", ("Send the pump in. See Table 2.",), level=2),
    Part("Data", ("Table 2: Weights", "| pump | 3 kg |", "| valve | 1 kg |", "Other words.")),
    Part("図表", ("| 電池 | 2本 |", "表3 電池の数")),
)


async def found(text: str, tables: DocumentTables = BOOK) -> AnchorResult:
    return await find_anchors([tables], parse_question(text), "en")


def texts(context: Context) -> list[str]:
    return [line.text for line in BOOK.lines[context.first : context.last + 1]]


async def test_a_short_section_is_shown_whole() -> None:
    contexts = expand_anchors(await found("Where do I send it in?"), 1000)
    assert contexts[0].why == "section"
    assert texts(contexts[0]) == ["Repair", "Send the pump in. See Table 2."]


async def test_of_a_long_section_the_lines_around_the_anchor_are_shown() -> None:
    contexts = expand_anchors(await found("When do I grease it in spring?"), 400)
    first = contexts[0]
    assert first.why == "lines"
    assert "Grease the pump each spring." in texts(first)
    assert len(texts(first)) == 7


async def test_a_question_about_the_whole_gets_chapters() -> None:
    contexts = expand_anchors(await found("Give me an overview of the pump"), 4000)
    assert contexts[0].why == "chapter"
    titles = {BOOK.sections[context.section].title for context in contexts}
    assert {"Pumps", "Care", "Repair"} <= titles


async def test_a_mention_brings_the_table_right_behind() -> None:
    contexts = expand_anchors(await found("Where do I send it in?"), 1000)
    assert contexts[1].why == "table 2"
    assert texts(contexts[1]) == ["Table 2: Weights", "| pump | 3 kg |", "| valve | 1 kg |"]


def test_rows_stand_below_their_caption_or_above_it() -> None:
    objects = find_objects(BOOK)
    data = next(line.ordinal for line in BOOK.lines if line.text == "Table 2: Weights")
    assert objects["table", "2"] == (data, data + 2)
    caption = next(line.ordinal for line in BOOK.lines if line.text.startswith("表3"))
    assert objects["table", "3"] == (caption - 1, caption)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("see Table 3 and table 4.1", [("table", "3"), ("table", "4.1")]),
        ("表3を参照", [("table", "3")]),
        ("図2と表 5", [("figure", "2"), ("table", "5")]),
        ("a vegetable 3", []),
        ("発表3回", []),
    ],
)
def test_mentions_of_tables_are_read(text: str, wanted: list[tuple[str, str]]) -> None:
    assert mentions(text) == wanted


@settings(max_examples=30, deadline=None)
@given(budget=st.integers(0, 600), text=st.sampled_from(["pump", "overview of the pump", "list all of it"]))
async def test_contexts_never_overlap_and_stay_within_the_budget(budget: int, text: str) -> None:
    contexts = expand_anchors(await found(text), budget)
    lines = [(c.document, n) for c in contexts for n in range(c.first, c.last + 1)]
    assert len(lines) == len(set(lines))
    assert sum(context.tokens for context in contexts) <= budget
    assert all(context.tokens >= sum(count_tokens(text) for text in texts(context)) for context in contexts)
    assert all(len({BOOK.lines[n].section for n in range(c.first, c.last + 1)}) == 1 for c in contexts)


async def test_the_record_lists_what_ran_what_was_found_and_what_was_shown() -> None:
    result = await found("Where do I send the pump in?")
    contexts = expand_anchors(result, 1000)
    audit = write_audit(result, contexts, {"places": 1.5})
    assert audit["mode"] == "anchors"
    assert [one["text"] for one in audit["question"]["keywords"]] == ["send", "pump"]
    assert {"article_id": "docs/a", "gathered_by": "section"}.items() <= audit["documents"][0].items()
    assert audit["candidates"][0]["section"]["breadcrumb"].endswith("Repair")
    assert audit["contexts"][0]["first_line"] == contexts[0].first
    assert audit["hits_total"] >= len(audit["hits"])
    assert len(audit["hits"]) <= MOST_HITS
    assert audit["timings_ms"] == {"places": 1.5}


async def test_the_record_holds_no_text_of_the_document() -> None:
    result = await found("Where do I send the pump in?")
    assert "Send the pump in." not in str(write_audit(result, expand_anchors(result, 1000), {}))
