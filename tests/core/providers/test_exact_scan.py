from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import IndexMismatchError
from core.ports import IndexDelta, IndexEntry, Vector
from core.providers.exact_scan import ExactScan
from tests.fake_models import FakeVectorIndex


def unit(number: int, dimensions: int = 4) -> Vector:
    vector = np.random.default_rng(number).standard_normal(dimensions).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def entry(chunk_id: int, number: int, audience: int = 1) -> IndexEntry:
    return IndexEntry(chunk_id=chunk_id, audience=audience, text="", vector=unit(number))


STEPS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 8), max_size=4),
        st.lists(st.tuples(st.integers(0, 8), st.integers(0, 20), st.integers(1, 3)), max_size=8),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@given(steps=STEPS, audiences=st.sets(st.integers(1, 3)), limit=st.integers(1, 10))
@settings(max_examples=60, deadline=None)
def test_any_history_with_restarts_gives_what_comparing_all_vectors_gives(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[list[int], list[tuple[int, int, int]], bool]],
    audiences: set[int],
    limit: int,
) -> None:
    folder = tmp_path_factory.mktemp("scan")
    index, plain = ExactScan("model@1", 4, folder), FakeVectorIndex(4)
    for revision, (removed, written, restart) in enumerate(steps, start=1):
        entries = tuple(entry(*values) for values in written)
        for target in (index, plain):
            target.apply(IndexDelta(tuple(removed), entries, revision))
        if restart:
            index.close()
            index = ExactScan("model@1", 4, folder)
    hits, expected = (target.search(unit(99), sorted(audiences), limit) for target in (index, plain))
    assert [hit.chunk_id for hit in hits] == [hit.chunk_id for hit in expected]
    assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected], abs=2e-6)
    assert index.count() == plain.count()
    assert index.vectors(range(9)).tolist() == plain.vectors(range(9)).tolist()


def test_many_blocks_are_searched_and_saved_like_one(tmp_path: Path) -> None:
    rows = np.random.default_rng(3).standard_normal((9000, 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = ExactScan("model@1", 4, tmp_path)
    entries = tuple(IndexEntry(number, number % 2, "", rows[number]) for number in range(len(rows)))
    index.apply(IndexDelta((), entries, 1))
    index.apply(IndexDelta(tuple(range(0, 4000)), (), 2))
    index.close()
    expected = (4000 + np.argsort(-(rows[4000:] @ rows[5000]), kind="stable")[:20]).tolist()
    for opened in (index, ExactScan("model@1", 4, tmp_path)):
        assert [hit.chunk_id for hit in opened.search(rows[5000], [0, 1], 20)] == expected
        assert opened.count() == 5000


def test_a_large_delta_is_saved_without_closing(tmp_path: Path) -> None:
    index = ExactScan("model@1", 4, tmp_path)
    index.apply(IndexDelta((), tuple(entry(number, number) for number in range(3000)), 9))
    assert ExactScan("model@1", 4, tmp_path).revision == 9


def test_an_index_without_a_folder_keeps_nothing_and_closes_quietly() -> None:
    index = ExactScan("model@1", 4)
    index.apply(IndexDelta((), (entry(1, 1),), 1))
    index.close()
    index.drop_others()
    assert index.count() == 1


def test_vectors_of_another_model_are_never_seen_and_go_when_told(tmp_path: Path) -> None:
    old = ExactScan("model@1", 4, tmp_path)
    old.apply(IndexDelta((), (entry(1, 1),), 1))
    old.close()
    new = ExactScan("model@2", 4, tmp_path)
    assert (new.revision, new.count()) == (0, 0)
    new.apply(IndexDelta((), (entry(1, 2),), 1))
    new.close()
    assert ExactScan("model@1", 4, tmp_path).count() == 1
    new.drop_others()
    assert ExactScan("model@1", 4, tmp_path).revision == 0
    assert ExactScan("model@2", 4, tmp_path).revision == 1


def test_a_vector_with_other_dimensions_is_refused_and_changes_nothing() -> None:
    index = ExactScan("model@1", 4)
    wrong = IndexEntry(2, 1, "", unit(1, dimensions=5))
    with pytest.raises(IndexMismatchError, match="kiyo reindex"):
        index.apply(IndexDelta((), (entry(1, 1), wrong), 1))
    assert (index.count(), index.revision) == (0, 0)
    with pytest.raises(IndexMismatchError, match="4 dimensions"):
        index.search(unit(1, dimensions=5), [1], 10)


def test_a_vector_that_is_not_a_number_is_not_indexed() -> None:
    index = ExactScan("model@1", 4)
    broken = np.array([np.nan, 1, 0, 0], dtype=np.float32)
    index.apply(IndexDelta((), (IndexEntry(1, 1, "", broken), entry(2, 2)), 1))
    assert [hit.chunk_id for hit in index.search(unit(2), [1], 10)] == [2]


def _truncate(content: bytes) -> bytes:
    return content[:-5]


def _lengthen(content: bytes) -> bytes:
    return content + b"more"


def _empty(content: bytes) -> bytes:
    return b""


def _other_file(content: bytes) -> bytes:
    return b"GIF89a" + content


def _damage_header(content: bytes) -> bytes:
    return content[:30] + b"x" + content[31:]


def _damage_ids(content: bytes) -> bytes:
    start = content.index(b"}") + 1
    return content[:start] + b"\xff" * 8 + content[start + 8 :]


@pytest.mark.parametrize("damage", [_truncate, _lengthen, _empty, _other_file, _damage_header, _damage_ids])
def test_a_damaged_file_starts_from_revision_zero_and_is_replaced(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    index = ExactScan("model@1", 4, tmp_path)
    index.apply(IndexDelta((), (entry(1, 1), entry(2, 2, audience=2)), 3))
    index.close()
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    again = ExactScan("model@1", 4, tmp_path)
    assert (again.revision, again.count()) == (0, 0)
    again.apply(IndexDelta((), (entry(1, 1),), 4))
    again.close()
    assert ExactScan("model@1", 4, tmp_path).revision == 4


def test_a_search_that_a_delta_overtakes_sees_the_index_after_it() -> None:
    index = ExactScan("model@1", 4)
    index.apply(IndexDelta((), tuple(entry(number, number) for number in range(200)), 1))

    class OvertakenVector:
        """A vector that changes the index while a search converts it, after it has counted the rows."""

        shape = (4,)

        def __init__(self) -> None:
            self.conversions = 0

        def __array__(self, dtype: object = None, copy: object = None) -> Vector:
            self.conversions += 1
            if self.conversions == 2:
                index.apply(IndexDelta(tuple(range(100)), (), 2))
            return unit(5)

    vector = OvertakenVector()
    hits = index.search(cast(Vector, vector), [1], 300)
    assert vector.conversions > 2
    assert sorted(hit.chunk_id for hit in hits) == list(range(100, 200))
