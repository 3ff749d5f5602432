"""The promises of chunking, for all five strategies and every size and overlap."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import Chunk, ParsedFile
from core.knowledge.assembly import assemble
from core.knowledge.chunking import ChunkingSettings, Strategy, chunk_article
from core.knowledge.measuring import LengthUnit
from core.knowledge.readers.markdown import read_markdown
from core.knowledge.readers.plain import read_plain
from core.text.tokens import count_tokens

STRATEGIES: tuple[Strategy, ...] = ("fixed_size", "sentence", "paragraph", "semantic", "recursive")
EXPENSES = (
    "経費精算は、支払った日から30日以内に経費システムで申請します。"
    "領収書の画像を添付してください。5万円を超える支出は事前に上長の承認が必要です。"
)
FENCE = '```python\n## not a heading\ndef greet(name):\n\n    return f"Hello {name}"\n```\n'
TABLE = "| item | price |\n|---|---|\n| cable | 1,200 |\n| monitor | 24,000 |\n"

words = st.sampled_from(
    [
        "alpha",
        "beta",
        "see e.g. gamma",
        "delta.",
        "Version 1.2.3 works.",
        "経費は月末に締めます。",
        "休暇",
        "🐍",
    ]
)
sentences = st.lists(words, min_size=1, max_size=12).map(" ".join)
blocks = st.one_of(
    sentences,
    sentences.map(lambda text: f"- {text}\n- second item"),
    sentences.map(lambda text: f"> {text}\n> more of it"),
    st.sampled_from(
        ["# One", "## Two\n\n### Three", "## 第二章", FENCE, TABLE, "<!-- note -->", "   \n\n \n"]
    ),
    st.text(alphabet="ab .。\n#`|-　é🐍", max_size=40),
)
sizes = st.integers(1, 120).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))
units: st.SearchStrategy[LengthUnit] = st.sampled_from(["tokens", "characters"])


def parse(text: str) -> ParsedFile:
    return assemble(read_markdown(text), "note")


def has_lines(text: str) -> bool:
    return any(text[block.start : block.end].strip() for block in read_markdown(text).blocks)


documents = st.lists(blocks, min_size=1, max_size=8).map("\n\n".join).filter(has_lines)


def chunk(parsed: ParsedFile, chosen: ChunkingSettings) -> tuple[Chunk, ...]:
    vectors = np.random.default_rng(7).normal(size=(len(parsed.lines), 8)).astype(np.float32)
    return chunk_article(parsed, chosen, vectors)


def length(text: str, unit: LengthUnit) -> int:
    return len(text) if unit == "characters" else count_tokens(text)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=60, deadline=None)
@given(text=documents, size=sizes, unit=units)
def test_every_character_is_in_a_chunk_and_no_chunk_passes_the_limit(
    strategy: Strategy, text: str, size: tuple[int, int], unit: LengthUnit
) -> None:
    parsed = parse(text)
    chunks = chunk(parsed, ChunkingSettings(strategy, *size, unit=unit))
    covered = 0
    for number, found in enumerate(chunks):
        assert found.ordinal == number
        assert found.text == text[found.start : found.end]
        assert found.start <= covered < found.end, "each begins where it must and says something new"
        assert length(found.text, unit) <= size[0] or len(found.text) == 1
        covered = found.end
    assert covered == len(text)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=40, deadline=None)
@given(text=documents, size=sizes, unit=units)
def test_overlap_is_never_more_than_asked(
    strategy: Strategy, text: str, size: tuple[int, int], unit: LengthUnit
) -> None:
    chunks = chunk(parse(text), ChunkingSettings(strategy, *size, unit=unit))
    for before, after in pairwise(chunks):
        assert length(text[after.start : before.end], unit) <= size[1]
        assert before.start < after.start


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=40, deadline=None)
@given(text=documents, size=sizes, unit=units)
def test_lines_of_a_chunk_are_those_it_touches(
    strategy: Strategy, text: str, size: tuple[int, int], unit: LengthUnit
) -> None:
    parsed = parse(text)
    for found in chunk(parsed, ChunkingSettings(strategy, *size, unit=unit)):
        touched = [line.ordinal for line in parsed.lines if line.start < found.end and line.end > found.start]
        if touched:
            assert (found.first_line, found.last_line) == (touched[0], touched[-1])
        assert 0 <= found.first_line <= found.last_line < len(parsed.lines)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=40, deadline=None)
@given(before=st.lists(blocks, max_size=4), after=st.lists(blocks, max_size=4), size=st.integers(45, 90))
def test_fences_and_tables_that_fit_stay_whole(
    strategy: Strategy, before: list[str], after: list[str], size: int
) -> None:
    plain = [part for part in before if "`" not in part and "<" not in part]
    text = "\n\n".join([*plain, FENCE, "Between them.", TABLE, *after])
    chunks = chunk(parse(text), ChunkingSettings(strategy, size, size // 3, unit="tokens"))
    for whole in (FENCE.rstrip(), TABLE.rstrip()):
        assert count_tokens(whole) <= size
        assert any(whole in found.text for found in chunks)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_neighbouring_fences_keep_their_own_borders(strategy: Strategy) -> None:
    fences = [f"```\nfirst_{n}()\nsecond_{n}()\n```" for n in range(4)]
    chunks = chunk(parse("\n\n".join(fences) + "\n"), ChunkingSettings(strategy, 30, 5))
    assert len(chunks) > 1
    for fence in fences:
        assert any(fence in found.text for found in chunks)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_header_of_a_table_too_long_for_a_chunk_stays_with_its_first_row(strategy: Strategy) -> None:
    text = "| name | price |\n|---|---|\n" + "".join(f"| part {n} | {n} yen |\n" for n in range(60))
    chunks = chunk(parse(text), ChunkingSettings(strategy, 60, 10))
    assert "| name | price |\n|---|---|\n| part 0 | 0 yen |" in chunks[0].text
    assert len(chunks) > 3


def test_fixed_size_reproduces_the_tutorial() -> None:
    parsed = assemble(read_plain(EXPENSES), "経費")
    chunks = chunk_article(parsed, ChunkingSettings("fixed_size", 40, 10, unit="characters"))
    assert [len(found.text) for found in chunks] == [40, 40, 12]
    assert chunks[1].text[:10] == chunks[0].text[-10:]


@settings(max_examples=60, deadline=None)
@given(size=sizes)
def test_fixed_size_overlaps_by_what_was_asked_in_characters(size: tuple[int, int]) -> None:
    parsed = assemble(read_plain("abcdefgh " * 60 + "end"), "note")
    chunks = chunk_article(parsed, ChunkingSettings("fixed_size", *size, unit="characters"))
    assert {before.end - after.start for before, after in pairwise(chunks)} <= {size[1]}


@settings(max_examples=30, deadline=None)
@given(size=st.integers(20, 80), overlap=st.integers(1, 10))
def test_fixed_size_overlaps_by_as_much_as_fits_in_tokens(size: int, overlap: int) -> None:
    parsed = assemble(read_plain("abcdefgh 経費は " * 60 + "end"), "note")
    chunks = chunk_article(parsed, ChunkingSettings("fixed_size", size, overlap))
    for before, after in pairwise(chunks):
        assert count_tokens(parsed.text[after.start : before.end]) <= overlap
        assert count_tokens(parsed.text[after.start - 1 : before.end]) > overlap


def test_sentences_overlap_by_whole_sentences() -> None:
    text = " ".join(f"Sentence number {n} says a thing." for n in range(30))
    parsed = assemble(read_plain(text), "note")
    chunks = chunk_article(parsed, ChunkingSettings("sentence", 60, 20))
    overlaps = [text[after.start : before.end].strip() for before, after in pairwise(chunks)]
    assert overlaps
    assert all(overlap.startswith("Sentence number") and overlap.endswith(".") for overlap in overlaps)


@pytest.mark.parametrize("overlap", [40, 41, 4000])
def test_overlap_not_smaller_than_the_size_is_refused(overlap: int) -> None:
    with pytest.raises(ValueError, match="chunk_overlap must be at least 0 and smaller than chunk_size"):
        ChunkingSettings("recursive", 40, overlap)


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="chunk_size"):
        ChunkingSettings(chunk_size=0, chunk_overlap=0)
    with pytest.raises(ValueError, match="chunk_overlap"):
        ChunkingSettings(chunk_overlap=-1)
    with pytest.raises(ValueError, match="separators"):
        ChunkingSettings(separators=("",))


def test_a_chunk_stays_inside_its_section_and_carries_its_breadcrumb() -> None:
    text = "# Manual\n\nIntro.\n\n## Setup\n\nPlug it in.\n\n### Wi-Fi\n\nPress it.\n\n## Care\n\nWipe it.\n"
    parsed = parse(text)
    chunks = chunk(parsed, ChunkingSettings())
    assert [found.breadcrumb for found in chunks] == [
        "Manual",
        "Manual > Setup",
        "Manual > Setup > Wi-Fi",
        "Manual > Care",
    ]
    for found in chunks:
        sections = {line.section for line in parsed.lines[found.first_line : found.last_line + 1]}
        assert sections == {found.section}


def test_a_heading_without_text_goes_with_what_follows_it() -> None:
    parsed = parse("# Guide\n\n## Billing\n\n### Refunds\n\nWe pay back within 14 days.\n")
    chunks = chunk(parsed, ChunkingSettings())
    assert [found.text for found in chunks] == [parsed.text]
    assert chunks[0].breadcrumb == "Guide > Billing > Refunds"


def test_recursive_cuts_at_the_first_separator_that_helps() -> None:
    first, second = "Alpha one. Alpha two.", "Beta one. Beta two."
    parsed = parse(f"{first}\n\n{second}\n")
    chunks = chunk(parsed, ChunkingSettings("recursive", 14, 0))
    assert [found.text.strip() for found in chunks] == [first, second]


def test_recursive_prefers_separators_of_ones_own() -> None:
    parsed = parse("One says a. Two says b. 終わり。Three says c. Four says d.")
    by_stop = chunk(parsed, ChunkingSettings("recursive", 20, 0, separators=("。",)))
    assert by_stop[0].text == "One says a. Two says b. 終わり。"


def test_a_long_line_is_cut_and_nothing_is_lost() -> None:
    text = "x" * 10_000
    parsed = assemble(read_plain(text), "note")
    for strategy in STRATEGIES:
        chunks = chunk(parsed, ChunkingSettings(strategy, 512, 0, unit="characters"))
        assert "".join(found.text for found in chunks) == text


def test_topics_are_cut_where_the_vectors_turn() -> None:
    text = "Cats purr. Cats sleep. Cats eat. Tax is due. Tax is paid. Tax is filed."
    parsed = assemble(read_plain(text), "note")
    vectors = np.array([[1, 0]] * 3 + [[0, 1]] * 3, dtype=np.float32)
    chunks = chunk_article(parsed, ChunkingSettings("semantic"), vectors)
    assert [found.text.strip() for found in chunks] == [
        "Cats purr. Cats sleep. Cats eat.",
        "Tax is due. Tax is paid. Tax is filed.",
    ]


@pytest.mark.parametrize("text", ["Only one sentence.", "Same. Same. Same. Same."])
def test_one_or_identical_sentences_make_one_semantic_chunk(text: str) -> None:
    parsed = assemble(read_plain(text), "note")
    vectors = np.ones((len(parsed.lines), 4), dtype=np.float32)
    assert len(chunk_article(parsed, ChunkingSettings("semantic"), vectors)) == 1


def test_zero_and_nan_vectors_cut_nothing() -> None:
    parsed = assemble(read_plain("One. Two. Three. Four."), "note")
    vectors = np.zeros((4, 4), dtype=np.float32)
    vectors[1] = np.nan
    assert len(chunk_article(parsed, ChunkingSettings("semantic"), vectors)) == 1


def test_semantic_without_vectors_says_so() -> None:
    parsed = assemble(read_plain("One. Two."), "note")
    with pytest.raises(ValueError, match="one vector for each of 2 lines"):
        chunk_article(parsed, ChunkingSettings("semantic"))
