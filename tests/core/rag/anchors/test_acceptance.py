"""The worked examples, on the synthetic paper, and on the real one where KIYO_ATTENTION_PDF names it.

Sections are named as the outline counts them, from 0; a section's ordinal in the article is one more.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Sequence

import pytest

from core.domain import ParsedFile
from core.errors import ProviderTimeoutError
from core.providers.local_embeddings import LocalEmbedder
from core.rag.anchors.aggregation import gather_candidates
from core.rag.anchors.arbiter import check_ids
from core.rag.anchors.audit import write_audit
from core.rag.anchors.detection import detect_anchors
from core.rag.anchors.dictionary import DictionaryEntry
from core.rag.anchors.expansion import expand_anchors
from core.rag.anchors.finding import AnchorResult, find_anchors
from core.rag.anchors.keyword_detectors import (
    count_by_place,
    detect_lines,
    detect_pages,
    detect_titles,
)
from core.rag.anchors.keywords import Keyword, find_occurrences
from core.rag.anchors.numbering import number_places
from core.rag.anchors.parsing import AnchorQuestion, parse_question
from core.rag.anchors.quotes import check_quote
from core.rag.anchors.tables import DocumentTables
from core.text.normalise import normalise
from tests.core.rag.anchors.documents import (
    A6_WORDS,
    CountedMeaning,
    FakeArbiter,
    Part,
    document,
    substrings,
    verdict,
    with_vectors,
)
from tests.fake_models import FakeEmbedder

OUTLINE = (
    *(("Introduction", 1, 2, 2), ("Background", 1, 2, 2), ("Model Architecture", 1, 2, 6)),
    *(("Encoder and Decoder Stacks", 2, 3, 3), ("Attention", 2, 3, 5)),
    *(("Scaled Dot-Product Attention", 3, 4, 4), ("Multi-Head Attention", 3, 4, 5)),
    ("Applications of Attention in our Model", 3, 5, 5),
    *(("Position-wise Feed-Forward Networks", 2, 5, 5), ("Embeddings and Softmax", 2, 5, 6)),
    *(("Positional Encoding", 2, 6, 6), ("Why Self-Attention", 1, 6, 7), ("Training", 1, 7, 8)),
    *(("Training Data and Batching", 2, 7, 7), ("Hardware and Schedule", 2, 7, 7)),
    *(("Optimizer", 2, 7, 7), ("Regularization", 2, 7, 8), ("Results", 1, 8, 10)),
    *(("Machine Translation", 2, 8, 8), ("Model Variations", 2, 8, 9)),
    ("English Constituency Parsing", 2, 9, 10),
)
"""Title, level, first and last page of what comes before the conclusion."""


def question_of(words: Sequence[str]) -> AnchorQuestion:
    return AnchorQuestion(" ".join(words), tuple(substrings(words)))


def sections_of(result: AnchorResult) -> list[str]:
    return [result.documents[0].units[anchor.candidate.unit].title for anchor in result.kept]


async def ask(tables: DocumentTables, text: str, arbiter: FakeArbiter | None = None) -> AnchorResult:
    return await find_anchors([tables], parse_question(text), "en", None, arbiter)


def test_a1_the_outline_has_22_entries_on_3_levels(any_paper: ParsedFile) -> None:
    entries = any_paper.sections[1:]
    assert any_paper.pages == 15
    assert {section.level for section in entries} == {1, 2, 3}
    assert [section.title for section in entries[:22]] == [*(row[0] for row in OUTLINE), "Conclusion"]


def test_a2_sections_end_where_the_next_one_of_their_level_begins(any_paper: ParsedFile) -> None:
    entries = any_paper.sections[1:]
    assert [(s.title, s.level, s.page_start, s.page_end) for s in entries[:21]] == list(OUTLINE)
    conclusion, tail = entries[21], entries[22:]
    assert (conclusion.page_start, max(s.page_end or 0 for s in (conclusion, *tail))) == (10, 15)


def test_a2_the_tail_behind_the_conclusion_is_no_part_of_it(paper: ParsedFile) -> None:
    assert [(s.title, s.page_start, s.page_end) for s in paper.sections[22:]] == [
        ("Conclusion", 10, 10),
        ("References", 10, 15),
    ]


def test_a3_every_heading_line_belongs_to_its_own_section(any_paper: ParsedFile) -> None:
    for section in any_paper.sections[1:23]:
        own = [line for line in any_paper.lines if line.section == section.ordinal]
        assert own[0].kind == "heading"
        assert normalise(section.title) in normalise(own[0].text)


def test_a3_pages_alone_would_attach_headings_to_several_sections(paper: ParsedFile) -> None:
    def by_pages(page: int) -> int:
        return sum((s.page_start or 0) <= page <= (s.page_end or 0) for s in paper.sections[1:])

    headings = [line for line in paper.lines if line.kind == "heading"]
    assert any(by_pages(line.page or 0) > 1 for line in headings)


async def test_a4_a_model_may_add_sections_by_their_titles(any_tables: DocumentTables) -> None:
    question = parse_question("long-range dependencies")
    occurrences = find_occurrences(any_tables, question.keywords)
    assert detect_titles(0, any_tables, occurrences) == []
    phrase = find_occurrences(any_tables, substrings(["long-range dependencies"]))
    body = detect_lines(0, any_tables, phrase)
    assert {(hit.page, hit.section) for hit in body} == {(6, 12)}
    arbiter = FakeArbiter(verdict(("4", "supporting"), ("11", "primary")))
    result = await find_anchors([any_tables], question, "en", None, arbiter)
    judged = [anchor for anchor in result.kept if anchor.role in ("primary", "supporting")]
    assert [(anchor.number, anchor.role) for anchor in judged] == [("11", "primary"), ("4", "supporting")]
    assert result.arbitration.rejected == ()


def test_a5_only_bare_numbers_of_places_that_exist_are_taken(
    tables: DocumentTables, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        checked = check_ids(["id=9", "5.2", "99", "9"], number_places([tables]).places)
    assert checked.accepted == ("9",)
    assert checked.rejected == ("id=9", "5.2", "99")
    assert all(one in caplog.text for one in ("id=9", "5.2", "99"))


def test_a6_distinct_keywords_tell_the_page_and_the_section(any_tables: DocumentTables) -> None:
    occurrences = find_occurrences(any_tables, substrings(A6_WORDS))
    pages = count_by_place(occurrences, any_tables.pages)
    by_page = dict(zip(pages.numbers.tolist(), pages.distinct.tolist(), strict=True))
    assert (by_page.pop(4), by_page.pop(5)) == (5, 4)
    assert max(by_page.values()) <= 3
    sections = count_by_place(occurrences, any_tables.unit_of)
    held = {any_tables.units[unit].title: int(n) for unit, n in enumerate(sections.distinct)}
    assert held.pop("Scaled Dot-Product Attention") == 5
    assert max(held.values()) <= 3


def test_a7_density_tells_the_pages_that_are_about_attention(any_tables: DocumentTables) -> None:
    hits = detect_pages(0, any_tables, find_occurrences(any_tables, substrings(["attention"])))
    assert {hit.page for hit in hits if hit.density >= 6} == {1, 2, 3, 4, 5, 6}
    assert {hit.page for hit in hits} == set(range(1, 16)) - {8}


def okapi(tables: DocumentTables, question: str) -> list[int]:
    """Pages by BM25 over words between white space: what anchors do better than."""
    pages: dict[int, list[str]] = {}
    for line in tables.lines:
        pages.setdefault(line.page or 0, []).extend(line.text.lower().split())
    average = sum(map(len, pages.values())) / len(pages)
    holding = Counter(word for words in pages.values() for word in set(words))

    def score(words: Sequence[str]) -> float:
        counts = Counter(words)
        total = 0.0
        for word in question.lower().split():
            if counts[word]:
                rarity = math.log(1 + (len(pages) - holding[word] + 0.5) / (holding[word] + 0.5))
                length = 1.5 * (0.25 + 0.75 * len(words) / average)
                total += rarity * counts[word] * 2.5 / (counts[word] + length)
        return total

    return sorted(pages, key=lambda page: -score(pages[page]))


def test_a8_bm25_puts_another_page_first_where_distinct_keywords_do_not(any_tables: DocumentTables) -> None:
    assert okapi(any_tables, "how is attention computed")[:2] == [3, 4]
    hits = detect_pages(0, any_tables, find_occurrences(any_tables, substrings(A6_WORDS)))
    assert hits[0].page == 4


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("why does this model train faster than RNNs?", {6, 7, 10}),
        ("intuition behind why attention works", {4, 5, 6}),
    ],
)
def test_a8_bm25_finds_the_pages_of_the_published_runs(
    any_tables: DocumentTables, question: str, pages: set[int]
) -> None:
    assert set(okapi(any_tables, question)[:3]) == pages


async def test_a9_keyword_and_title_agree_and_the_arbiter_discards_the_rest(
    tables: DocumentTables,
) -> None:
    question = question_of(["positional encoding"])
    lines = detect_lines(0, tables, find_occurrences(tables, question.keywords))
    assert Counter(tables.units[hit.unit or 0].title for hit in lines) == {
        "Positional Encoding": 5,
        "Regularization": 1,
        "Model Variations": 1,
    }
    arbiter = FakeArbiter(verdict(("10", "primary"), ("16", "discarded"), ("19", "discarded")))
    result = await find_anchors([tables], question, "en", None, arbiter)
    assert [anchor.number for anchor in result.kept] == ["10"]
    first = result.anchors[0].candidate
    assert {"keyword_lines", "keyword_titles"} <= set(first.methods)
    assert [anchor.role for anchor in result.anchors[1:]] == ["discarded", "discarded"]


@pytest.mark.parametrize(
    ("word", "sections"),
    [
        ("attention", {4, 5, 6, 7, 11}),
        ("positional", {10}),
        ("regularization", {16}),
        ("optimizer", {15}),
        ("results", {17}),
        ("hardware", {14}),
        ("feed-forward", {8}),
    ],
)
def test_a10_titles_are_matched(any_tables: DocumentTables, word: str, sections: set[int]) -> None:
    hits = detect_titles(0, any_tables, find_occurrences(any_tables, substrings([word])))
    assert {(hit.section or 0) - 1 for hit in hits if (hit.section or 0) <= 22} == sections


def test_a11_a_quote_counts_under_its_number_in_the_article_alone(paper: ParsedFile) -> None:
    line = next(one for one in paper.lines if one.text.startswith("Learned position vectors"))
    assert check_quote(paper.lines, line.ordinal, line.ordinal, line.text).valid
    both = f"{paper.lines[line.ordinal - 1].text} {line.text}"
    assert check_quote(paper.lines, line.ordinal - 1, line.ordinal, both).valid
    assert line.line_start != line.ordinal
    assert not check_quote(paper.lines, line.line_start, line.line_start, line.text).valid


async def test_a12_words_that_are_nowhere_are_not_found_without_a_call(any_tables: DocumentTables) -> None:
    arbiter = FakeArbiter(verdict(("0", "primary")))
    result = await ask(any_tables, "What is the revenue after the earthquake deductible?", arbiter)
    assert (result.not_found, result.confidence, arbiter.asked) == (True, 0.0, [])
    audit = write_audit(result, [], {})
    assert audit["methods_tried"] == ["keyword_lines", "keyword_pages", "keyword_titles", "values", "named"]
    assert "no keyword stands anywhere" in audit["not_found_reason"]


async def test_a13_embeddings_are_skipped_where_one_section_holds_every_word(tables: DocumentTables) -> None:
    embedder = FakeEmbedder()
    counted = CountedMeaning(embedder, "warm-up steps learning rate")
    seen = await with_vectors(tables, embedder)
    question = parse_question("Which optimizer was used and how does the learning rate change?")
    detection = await detect_anchors([seen], question, counted.meaning())
    assert counted.calls == 0
    skipped = {run.method: run.reason for run in detection.runs if not run.ran}
    assert set(skipped) == {"title_embeddings", "line_embeddings", "unit_embeddings"}
    assert all("'Optimizer' alone holds all" in reason for reason in skipped.values())


async def test_a13_embeddings_run_where_words_settle_nothing(tables: DocumentTables) -> None:
    embedder = FakeEmbedder()
    counted = CountedMeaning(embedder, "Is it overconfident about LSTMs?")
    seen = await with_vectors(tables, embedder)
    detection = await detect_anchors([seen], parse_question(counted.question), counted.meaning())
    assert counted.calls == 1
    assert all(run.ran for run in detection.runs)


async def test_a14_other_words_than_the_title_are_found_by_meaning(local_model: LocalEmbedder) -> None:
    contract = document(
        Part("Definitions", ("Words with capital letters have the meaning given here.",)),
        Part("Payment", ("Invoices are due within thirty days.",)),
        Part("Termination", ("Either party may end the agreement before its term by written notice.",)),
        Part("Confidentiality", ("Secrets of the other party are kept.",)),
        Part("Governing Law", ("The law of Japan applies.",)),
        title="Service Agreement",
    )
    question = parse_question("exit early")
    assert not find_occurrences(contract, question.keywords).counts.any()
    seen = await with_vectors(contract, local_model)
    counted = CountedMeaning(local_model, "Can I exit early?")
    detection = await detect_anchors([seen], question, counted.meaning())
    candidates = gather_candidates([seen], question, detection)
    assert "Termination" in [seen.units[c.unit].title for c in candidates[:3]]


async def test_a15_one_question_is_one_call_however_many_detectors_ran(tables: DocumentTables) -> None:
    arbiter = FakeArbiter(verdict(("5", "primary")))
    counted = CountedMeaning(FakeEmbedder(), "How is attention scaled?")
    seen = await with_vectors(tables, FakeEmbedder())
    question = parse_question("How is attention scaled for a query and its keys?")
    result = await find_anchors([seen], question, "en", counted.meaning(), arbiter)
    assert (len(arbiter.asked), result.arbitration.calls) == (1, 1)
    assert len(arbiter.asked[0].toc) == len(tables.toc)


async def test_a16_a_listing_brings_its_section_and_the_table_that_it_mentions(
    tables: DocumentTables,
) -> None:
    result = await ask(tables, "Which kinds of regularization were applied?")
    assert result.question.shape == "listing"
    assert sections_of(result)[0] == "Regularization"
    contexts = expand_anchors(result, 4000)
    pages = {tables.lines[i].page for c in contexts for i in range(c.first, c.last + 1)}
    assert {7, 8, 9} <= pages
    brought = next(context for context in contexts if context.why == "table 3")
    assert tables.lines[brought.first].text.startswith("Table 3: Variations")
    assert tables.lines[brought.last].text.startswith("E | learned vectors")


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        (tuple(Part(f"Part {n}", ("Pay on May 1.",), page=n) for n in range(1, 5)), "section"),
        (tuple(Part(f"Part {n}", ("Pay on May 1.",), page=n) for n in range(1, 4)), "page"),
        (tuple(Part(f"Part {n}", ("Pay on May 1.",)) for n in range(1, 4)), "chunk"),
    ],
)
async def test_a17_places_are_as_fine_as_the_table_of_contents_allows(
    parts: tuple[Part, ...], kind: str
) -> None:
    result = await ask(document(*parts), "When is pay due?")
    audit = write_audit(result, [], {})
    assert audit["documents"][0]["gathered_by"] == kind
    assert {candidate["unit"] for candidate in audit["candidates"]} == {kind}


def test_a18_a_heading_spelt_with_spaces_is_matched_and_shown_as_it_is() -> None:
    spelt = document(Part("A T T E N T I O N", ("Look here.",)))
    hits = detect_lines(0, spelt, find_occurrences(spelt, [Keyword("attention", ("attention",))]))
    assert [hit.line for hit in hits] == [0]
    assert spelt.lines[0].text == "A T T E N T I O N"


@pytest.mark.parametrize("text", ["What does page 8 say about earthquakes?", "8ページの地震の話は何ですか"])
async def test_a19_a_named_page_is_kept_without_hits(tables: DocumentTables, text: str) -> None:
    result = await ask(tables, text)
    assert not result.not_found
    kept = [anchor.candidate for anchor in result.kept]
    assert kept
    assert all(candidate.named and candidate.methods == ("named",) for candidate in kept)
    assert all(tables.lines[tables.units[c.unit].lines[-1]].page in (8, 9) for c in kept)


@pytest.mark.parametrize(
    ("section", "first", "last"),
    [
        (4, "3.2 Attention", "The two forms in Figure 2"),
        (5, "3.2.1 Scaled", "The scaling by"),
        (6, "3.2.2 Multi-Head", "Because each head"),
        (9, "3.4 Embeddings", "Restricted self-attention | r n d"),
        (10, "3.5 Positional", "The sinusoids were kept"),
        (11, "4 Why", "Single heads clearly"),
        (16, "5.4 Regularization", "This hurts perplexity"),
    ],
)
def test_a20_sections_span_their_own_lines(paper: ParsedFile, section: int, first: str, last: str) -> None:
    own = [line for line in paper.lines if line.section == section + 1]
    assert own[0].text.startswith(first)
    assert own[-1].text.startswith(last)
    assert [line.ordinal for line in own] == list(range(own[0].ordinal, own[-1].ordinal + 1))


@pytest.mark.parametrize(
    ("says", "why"),
    [
        (ProviderTimeoutError("fake did not answer within 20 seconds"), "time-out"),
        (verdict(problem="not valid JSON (JSONDecodeError)"), "not valid JSON"),
        (verdict(("99", "primary"), ("5.2", "primary")), "none of the places that it named exists"),
    ],
)
async def test_a21_when_the_arbiter_fails_scores_decide_and_the_audit_says_so(
    tables: DocumentTables, says: ProviderTimeoutError, why: str
) -> None:
    text = "Why does the model learn from heads in parallel?"
    plain = await ask(tables, text)
    result = await ask(tables, text, FakeArbiter(says))
    assert sections_of(result) == sections_of(plain)
    arbitration = write_audit(result, [], {})["arbitration"]
    assert (arbitration["order"], arbitration["calls"]) == ("score", 1)
    assert why in arbitration["fallback"]


async def test_a22_a_japanese_question_finds_the_english_section_by_the_dictionary(
    tables: DocumentTables,
) -> None:
    entries = [
        DictionaryEntry(("attention", "注意機構"), ("softmax", "query", "key", "d_k")),
        DictionaryEntry(("compute", "計算")),
    ]
    question = parse_question("注意機構はどう計算されますか", entries)
    result = await find_anchors([tables], question, "ja")
    assert sections_of(result)[0] == "Scaled Dot-Product Attention"
    without = await find_anchors([tables], parse_question("注意機構はどう計算されますか"), "ja")
    assert without.not_found
