"""What every vector index does, the fake one and the real ones alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.ports import IndexDelta, IndexEntry, Vector, VectorIndex
from core.providers.chroma_index import ChromaIndex
from core.providers.exact_scan import ExactScan
from tests.fake_models import FakeVectorIndex

OpenIndex = Callable[[], VectorIndex]
DIMENSIONS = 8


@pytest.fixture(params=["fake", "exact scan", "chroma"])
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenIndex]:
    kept = FakeVectorIndex(DIMENSIONS)
    opened: list[VectorIndex] = []

    def open_it() -> VectorIndex:
        if request.param == "exact scan":
            opened.append(ExactScan("model@1", DIMENSIONS, tmp_path))
        elif request.param == "chroma":
            opened.append(ChromaIndex(tmp_path, "model@1", DIMENSIONS))
        else:
            opened.append(kept)
        return opened[-1]

    yield open_it
    for index in opened:
        index.close()


def direction(*numbers: float) -> Vector:
    """Make a unit vector whose first components are in the given proportion."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(numbers)] = numbers
    return (vector / np.linalg.norm(vector)).astype(np.float32)


ZERO = np.zeros(DIMENSIONS, dtype=np.float32)


def entry(chunk_id: int, vector: Vector | None, audience: int = 1) -> IndexEntry:
    return IndexEntry(chunk_id=chunk_id, audience=audience, text="", vector=vector)


def filled(index: VectorIndex) -> VectorIndex:
    entries = (
        entry(11, direction(1, 0)),
        entry(12, direction(1, 1)),
        entry(13, direction(0, 1), audience=2),
        entry(14, direction(-1, 0), audience=2),
    )
    index.apply(IndexDelta(removed=(), entries=entries, revision=5))
    return index


def found(
    index: VectorIndex, vector: Vector, audiences: tuple[int, ...] = (1, 2), limit: int = 10
) -> list[int]:
    return [hit.chunk_id for hit in index.search(vector, audiences, limit)]


def test_an_empty_index_has_revision_zero_and_finds_nothing(open_index: OpenIndex) -> None:
    index = open_index()
    assert (index.revision, index.count()) == (0, 0)
    assert found(index, direction(1)) == []
    assert index.vectors([1]).tolist() == [ZERO.tolist()]


def test_hits_are_ordered_by_cosine_over_all_audiences(open_index: OpenIndex) -> None:
    hits = filled(open_index()).search(direction(1, 0), [1, 2], 10)
    assert [hit.chunk_id for hit in hits] == [11, 12, 13, 14]
    assert [hit.score for hit in hits] == pytest.approx([1, 2**-0.5, 0, -1], abs=1e-5)


def test_only_readable_audiences_are_found(open_index: OpenIndex) -> None:
    index = filled(open_index())
    assert found(index, direction(1, 0), audiences=(2,)) == [13, 14]
    assert found(index, direction(1, 0), audiences=(2, 2)) == [13, 14]
    assert found(index, direction(1, 0), audiences=()) == []
    assert found(index, direction(1, 0), audiences=(9,)) == []


def test_no_more_than_the_limit_is_found(open_index: OpenIndex) -> None:
    index = filled(open_index())
    assert found(index, direction(1, 0), limit=2) == [11, 12]
    assert found(index, direction(1, 0), limit=0) == []


def test_equal_scores_are_ordered_by_chunk_id(open_index: OpenIndex) -> None:
    index = open_index()
    entries = tuple(
        entry(number, direction(1, 2, 3), audience=number % 2) for number in (30, 10, 50, 20, 40, 60, 70)
    )
    index.apply(IndexDelta((), entries, 1))
    assert found(index, direction(1, 2, 3), audiences=(0, 1)) == [10, 20, 30, 40, 50, 60, 70]


def test_a_zero_vector_finds_nothing(open_index: OpenIndex) -> None:
    assert found(filled(open_index()), ZERO) == []


def test_a_chunk_without_a_vector_or_with_a_zero_one_is_never_found(open_index: OpenIndex) -> None:
    index = open_index()
    index.apply(IndexDelta((), (entry(1, None), entry(2, ZERO), entry(3, direction(1))), 4))
    assert found(index, direction(1)) == [3]
    assert (index.count(), index.revision) == (1, 4)


def test_a_removed_chunk_is_gone_at_once(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(11, 13), entries=(), revision=6))
    assert found(index, direction(1, 0)) == [12, 14]
    assert index.count() == 2
    assert index.vectors([11]).tolist() == [ZERO.tolist()]


def test_an_entry_replaces_the_vector_and_the_audience_of_its_chunk(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta((), (entry(11, direction(0, 0, 1), audience=2),), 6))
    assert found(index, direction(0, 0, 1), audiences=(1,)) == [12]
    assert found(index, direction(0, 0, 1), audiences=(2,), limit=1) == [11]
    assert index.count() == 4


def test_removals_come_before_entries(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(11,), entries=(entry(11, direction(0, 0, 1)),), revision=6))
    assert found(index, direction(0, 0, 1), limit=1) == [11]


def test_applying_the_same_delta_twice_changes_nothing(open_index: OpenIndex) -> None:
    index = filled(open_index())
    before = index.search(direction(1, 0), [1, 2], 10)
    assert filled(index).search(direction(1, 0), [1, 2], 10) == before
    assert (index.count(), index.revision) == (4, 5)


def test_an_older_delta_does_not_bring_a_removed_chunk_back(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(12,), entries=(), revision=7))
    index.apply(IndexDelta(removed=(), entries=(entry(12, direction(1, 1)),), revision=6))
    assert found(index, direction(1, 0)) == [11, 13, 14]
    assert index.revision == 7


def test_unknown_chunks_can_be_removed(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(404,), entries=(), revision=6))
    assert (index.count(), index.revision) == (4, 6)


def test_a_delta_without_content_still_raises_the_revision(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta(removed=(), entries=(), revision=8))
    assert (index.count(), index.revision) == (4, 8)


def test_vectors_come_back_in_the_order_asked_for(open_index: OpenIndex) -> None:
    vectors = filled(open_index()).vectors([13, 404, 11, 13])
    expected = np.array([direction(0, 1), ZERO, direction(1, 0), direction(0, 1)])
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(expected, abs=1e-6)
    assert filled(open_index()).vectors([]).shape == (0, DIMENSIONS)


def test_a_reopened_index_keeps_its_revision_and_content(open_index: OpenIndex) -> None:
    index = filled(open_index())
    index.apply(IndexDelta((12,), (), 6))
    before = index.search(direction(1, 0), [1, 2], 10)
    index.close()
    again = open_index()
    assert (again.revision, again.count()) == (6, 3)
    assert again.search(direction(1, 0), [1, 2], 10) == before
    again.apply(IndexDelta((11,), (entry(15, direction(1, 0)),), 7))
    assert found(again, direction(1, 0), limit=1) == [15]
