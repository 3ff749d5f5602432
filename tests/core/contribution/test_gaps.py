import numpy as np
import pytest
from numpy.typing import NDArray

from core.contribution.gaps import assign_gap, find_typical, group_gaps, is_closed


def unit(*rows: list[float]) -> NDArray[np.float32]:
    vectors = np.array(rows, dtype=np.float32)
    lengths = np.maximum(1e-9, np.linalg.norm(vectors, axis=1, keepdims=True))
    scaled: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
    return scaled


def test_texts_of_one_meaning_form_a_group_and_the_largest_comes_first() -> None:
    vectors = unit([0, 1, 0], [1, 0, 0], [0.9, 0.1, 0], [1, 0, 0.2], [0, 0.9, 0.3])
    found = group_gaps(vectors)
    assert [group.members for group in found] == [(1, 2, 3), (0, 4)]


def test_a_group_is_named_by_its_most_typical_text() -> None:
    vectors = unit([1, 0.5, 0], [1, 0, 0], [1, -0.5, 0])
    assert group_gaps(vectors)[0].typical == 1
    assert find_typical(vectors) == 1
    with pytest.raises(ValueError, match="no name"):
        find_typical(vectors[:0])


def test_a_text_without_a_vector_stays_alone() -> None:
    vectors = unit([1, 0], [0, 0], [1, 0], [0, 0])
    assert sorted(group.members for group in group_gaps(vectors)) == [(0, 2), (1,), (3,)]


def test_nothing_gives_no_groups() -> None:
    assert group_gaps(np.zeros((0, 4), dtype=np.float32)) == []


def test_every_text_is_in_exactly_one_group() -> None:
    vectors = unit(*np.random.default_rng(0).normal(size=(60, 6)).tolist())
    members = [index for group in group_gaps(vectors) for index in group.members]
    assert sorted(members) == list(range(60))


def test_a_new_text_joins_the_nearest_group_or_none() -> None:
    sums = unit([1, 0, 0], [0, 1, 0]) * np.array([[3.0], [1.0]], dtype=np.float32)
    assert assign_gap(unit([0.9, 0.1, 0])[0], sums, [3, 1]) == 0
    assert assign_gap(unit([0.1, 0.9, 0])[0], sums, [3, 1]) == 1
    assert assign_gap(unit([0, 0, 1])[0], sums, [3, 1]) is None
    assert assign_gap(unit([0, 0, 1])[0], sums[:0], []) is None


def test_a_gap_closes_when_an_article_supports_half_of_it_and_reopens_when_it_goes() -> None:
    assert is_closed([True, False])
    assert not is_closed([True, False, False])
    assert not is_closed([])
