from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.errors import IndexMismatchError
from core.ports import IndexDelta, IndexEntry, Vector
from core.providers.chroma_index import ChromaIndex


def unit(number: int, dimensions: int = 4) -> Vector:
    vector = np.random.default_rng(number).standard_normal(dimensions).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def entry(chunk_id: int, audience: int = 1) -> IndexEntry:
    return IndexEntry(chunk_id=chunk_id, audience=audience, text="", vector=unit(chunk_id))


def filled(folder: Path, model: str = "model@1", chunks: int = 3) -> ChromaIndex:
    index = ChromaIndex(folder, model, 4)
    index.apply(IndexDelta((), tuple(entry(number) for number in range(chunks)), 1))
    return index


def found(index: ChromaIndex, number: int, limit: int = 1) -> list[int]:
    return [hit.chunk_id for hit in index.search(unit(number), [1], limit)]


def test_more_rows_than_chroma_takes_at_once_are_written_in_batches(tmp_path: Path) -> None:
    index = filled(tmp_path, chunks=6000)
    assert index.count() == 6000
    assert found(index, 5999) == [5999]
    index.apply(IndexDelta(tuple(range(5800)), (), 2))
    assert index.count() == 200
    assert found(index, 5999) == [5999]
    index.close()


def test_models_live_side_by_side_until_the_old_one_is_dropped(tmp_path: Path) -> None:
    old = filled(tmp_path, "model@1")
    new = ChromaIndex(tmp_path, "モデル@2", 4)
    assert (new.revision, new.count()) == (0, 0)
    new.apply(IndexDelta((), (entry(7),), 1))
    assert found(old, 1) == [1]
    new.drop_others()
    old.close()
    new.close()
    again = ChromaIndex(tmp_path, "model@1", 4)
    assert (again.revision, again.count()) == (0, 0)
    kept = ChromaIndex(tmp_path, "モデル@2", 4)
    assert (kept.revision, found(kept, 7)) == (1, [7])
    again.close()
    kept.close()


def test_vectors_without_a_recorded_revision_are_thrown_away(tmp_path: Path) -> None:
    filled(tmp_path).close()
    (state,) = tmp_path.glob("state-*.json")
    state.unlink()
    index = ChromaIndex(tmp_path, "model@1", 4)
    assert (index.revision, index.count(), found(index, 1)) == (0, 0, [])
    index.apply(IndexDelta((), (entry(7),), 2))
    assert found(index, 1) == [7]
    index.close()


def _overwrite_the_database(folder: Path) -> None:
    for path in folder.glob("store-*/chroma.sqlite3"):
        path.write_bytes(b"x" * 5000)


def _lose_the_store(folder: Path) -> None:
    for path in folder.glob("store-*"):
        shutil.rmtree(path)


def _lose_the_graphs(folder: Path) -> None:
    for path in folder.glob("store-*/*"):
        if path.is_dir():
            shutil.rmtree(path)


def _garble_the_state(folder: Path) -> None:
    for path in folder.glob("state-*.json"):
        path.write_text('{"revision": 1')


@pytest.mark.parametrize(
    "damage", [_overwrite_the_database, _lose_the_store, _lose_the_graphs, _garble_the_state]
)
def test_a_damaged_folder_starts_empty_and_can_be_filled_again(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    filled(tmp_path, chunks=1500).close()
    damage(tmp_path)
    index = ChromaIndex(tmp_path, "model@1", 4)
    assert (index.revision, index.count(), found(index, 1)) == (0, 0, [])
    index.close()
    again = filled(tmp_path)
    assert found(again, 1) == [1]
    again.close()
    reopened = ChromaIndex(tmp_path, "model@1", 4)
    assert (reopened.revision, found(reopened, 1)) == (1, [1])
    reopened.close()


def test_a_vector_with_other_dimensions_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    index = filled(tmp_path)
    wrong = IndexEntry(9, 1, "", unit(1, dimensions=5))
    with pytest.raises(IndexMismatchError, match="kiyo reindex"):
        index.apply(IndexDelta((1,), (wrong,), 2))
    assert (index.count(), index.revision) == (3, 1)
    with pytest.raises(IndexMismatchError, match="4 dimensions"):
        index.search(unit(1, dimensions=5), [1], 10)
    index.close()
