"""What every keyword index does, the fake one and the real one alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.ports import IndexDelta, IndexEntry, KeywordIndex
from core.providers.tantivy_index import TantivyIndex
from core.text.terms import make_analyser
from tests.fake_models import FakeKeywordIndex

OpenIndex = Callable[[], KeywordIndex]
ANALYSER = make_analyser("dictionary_free")


@pytest.fixture(params=["fake", "tantivy"])
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> OpenIndex:
    if request.param == "tantivy":
        return lambda: TantivyIndex(tmp_path / "keyword", ANALYSER)
    kept = FakeKeywordIndex(ANALYSER)
    return lambda: kept


def entry(chunk_id: int, text: str, audience: int = 1) -> IndexEntry:
    return IndexEntry(chunk_id=chunk_id, audience=audience, text=text, vector=None)


def filled(index: KeywordIndex) -> KeywordIndex:
    entries = (
        entry(11, "refund policy: a refund is paid within thirty days"),
        entry(12, "refund of travel costs"),
        entry(13, "kitchen rules", audience=2),
        entry(14, "refund secrets of the board", audience=2),
    )
    index.apply(IndexDelta(removed=(), entries=entries, revision=5))
    return index


def found(
    index: KeywordIndex, question: str, audiences: tuple[int, ...] = (1, 2), limit: int = 10
) -> list[int]:
    return [hit.chunk_id for hit in index.search(ANALYSER.analyse(question), audiences, limit)]


def test_an_empty_index_has_revision_zero_and_finds_nothing(open_index: OpenIndex) -> None:
    index = open_index()
    assert (index.revision, index.count()) == (0, 0)
    assert found(index, "refund") == []
    assert index.document_frequencies(["refund"]) == (0, [0])


def test_the_chunk_that_says_it_more_densely_comes_first(open_index: OpenIndex) -> None:
    assert found(filled(open_index()), "refund policy") == [11, 12, 14]


def test_a_chunk_without_a_shared_term_is_no_hit(open_index: OpenIndex) -> None:
    assert found(filled(open_index()), "kitchen") == [13]
    assert found(filled(open_index()), "submarine") == []


def test_no_terms_find_nothing(open_index: OpenIndex) -> None:
    assert filled(open_index()).search([], [1, 2], 10) == []


def test_only_readable_audiences_are_found(open_index: OpenIndex) -> None:
    index = filled(open_index())
    assert found(index, "refund", audiences=(2,)) == [14]
    assert found(index, "refund", audiences=()) == []
    assert found(index, "refund", audiences=(9,)) == []


def test_an_audience_that_cannot_be_read_does_not_use_up_the_limit(open_index: OpenIndex) -> None:
    index = open_index()
    hidden = tuple(entry(number, "refund", audience=2) for number in range(300))
    index.apply(IndexDelta((), (*hidden, entry(999, "refund for all the other people", audience=1)), 1))
    assert found(index, "refund", audiences=(1,), limit=5) == [999]


def test_no_more_than_the_limit_is_found(open_index: OpenIndex) -> None:
    index = filled(open_index())
    assert found(index, "refund policy", limit=1) == [11]
    assert found(index, "refund policy", limit=0) == []


def test_equal_scores_are_ordered_by_chunk_id(open_index: OpenIndex) -> None:
    index = open_index()
    index.apply(IndexDelta((), tuple(entry(number, "the same words") for number in (30, 10, 20)), 1))
    assert found(index, "same words") == [10, 20, 30]


def test_a_repeated_question_term_counts_once(open_index: OpenIndex) -> None:
    index = filled(open_index())
    assert index.search(["refund"], [1], 10) == index.search(["refund", "refund"], [1], 10)


def test_a_removed_chunk_is_gone_at_once_and_no_longer_counted(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(11,), entries=(), revision=6))
    assert found(index, "refund policy") == [12, 14]
    assert index.count() == 3
    assert index.document_frequencies(["refund", "polici"]) == (3, [2, 0])


def test_scores_after_a_removal_equal_those_of_an_index_that_never_held_it(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(12, 13), entries=(), revision=6))
    plain = FakeKeywordIndex(ANALYSER)
    kept = (
        entry(11, "refund policy: a refund is paid within thirty days"),
        entry(14, "refund secrets of the board", audience=2),
    )
    plain.apply(IndexDelta((), kept, 1))
    hits, expected = (target.search(["refund"], [1, 2], 10) for target in (index, plain))
    assert [hit.chunk_id for hit in hits] == [hit.chunk_id for hit in expected]
    assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected], abs=1e-9)


def test_an_entry_replaces_what_its_chunk_said_before(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta((), (entry(11, "parking places", audience=2),), 6))
    assert found(index, "policy") == []
    assert found(index, "parking", audiences=(1,)) == []
    assert found(index, "parking", audiences=(2,)) == [11]
    assert index.count() == 4


def test_removals_come_before_entries(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(11,), entries=(entry(11, "parking places"),), revision=6))
    assert found(index, "parking") == [11]


def test_applying_the_same_delta_twice_changes_nothing(open_index: OpenIndex) -> None:
    index = filled(open_index())
    before = index.search(["refund"], [1, 2], 10)
    assert filled(index).search(["refund"], [1, 2], 10) == before
    assert (index.count(), index.revision) == (4, 5)


def test_an_older_delta_does_not_bring_a_removed_chunk_back(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(12,), entries=(), revision=7))
    index.apply(IndexDelta(removed=(), entries=(entry(12, "refund of travel costs"),), revision=6))
    assert found(index, "travel") == []
    assert index.revision == 7


def test_unknown_chunks_can_be_removed(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(404,), entries=(), revision=6))
    assert (index.count(), index.revision) == (4, 6)


def test_a_delta_without_content_still_raises_the_revision(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(), entries=(), revision=8))
    assert (index.count(), index.revision) == (4, 8)


def test_a_chunk_without_terms_is_counted_but_never_found(open_index: OpenIndex) -> None:
    index = open_index()
    index.apply(IndexDelta((), (entry(1, ""), entry(2, "   ")), 1))
    assert index.count() == 2
    assert found(index, "refund") == []


def test_a_reopened_index_keeps_its_revision_and_content(open_index: OpenIndex) -> None:
    index = filled(open_index())
    before = index.search(["refund"], [1, 2], 10)
    index.close()
    again = open_index()
    assert (again.revision, again.count()) == (5, 4)
    assert again.search(["refund"], [1, 2], 10) == before


@pytest.mark.parametrize(
    "term", ["white space", "tab\there", "line\nbreak", "\\", "", "\ud800", "寄与", "x" * 70_000]
)
def test_any_string_can_be_a_term(open_index: OpenIndex, term: str) -> None:
    index = filled(open_index())
    assert index.search([term], [1, 2], 10) == []
    assert index.document_frequencies([term]) == (4, [0])


def test_a_match_tells_score_covered_weight_and_neighbours(open_index: OpenIndex) -> None:
    index = filled(open_index())
    terms = ANALYSER.analyse("travel costs refund")
    match = index.match(terms, [12, 13, 11, 999])
    hits = {hit.chunk_id: hit.score for hit in index.search(terms, (1, 2), 10)}
    assert match.bm25.tolist() == pytest.approx([hits[12], 0.0, hits[11], 0.0])
    assert match.covered[0] == pytest.approx(match.mass)
    assert match.covered[1] == match.covered[3] == 0.0
    assert 0.0 < match.covered[2] < match.mass
    assert 0.0 < match.pairs[0] < 1.0
    assert match.pairs[1:].tolist() == [0.0, 0.0, 0.0]


def test_a_match_against_nothing_is_empty(open_index: OpenIndex) -> None:
    assert filled(open_index()).match([], [11]).bm25.tolist() == [0.0]
    assert filled(open_index()).match(["refund"], []).bm25.tolist() == []
