"""Packed vectors come back as they were, within one byte a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rag.spans import LINES_FROM, compare_blocks, pack_rows, unpack_rows


@given(st.integers(0, 5), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_cosines_survive_packing(count: int, dimensions: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) if count else 1.0
    again = unpack_rows(pack_rows(rows), dimensions)
    assert again.shape == rows.shape
    assert np.abs(again - rows).max(initial=0.0) <= 0.5 / 127 + 1e-6
    assert np.abs(again @ again.T - rows @ rows.T).max(initial=0.0) < 0.03


def test_a_row_of_zeros_stays_zero() -> None:
    assert not unpack_rows(pack_rows(np.zeros((2, 8), dtype=np.float32)), 8).any()


def test_a_vector_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        pack_rows(np.full((1, 4), np.nan, dtype=np.float32))


def test_a_block_of_other_dimensions_is_refused() -> None:
    with pytest.raises(ValueError, match="does not hold rows"):
        unpack_rows(pack_rows(np.zeros((1, 8), dtype=np.float32)), 16)


@given(
    st.lists(st.integers(LINES_FROM, 9), min_size=1, max_size=6),
    st.integers(1, 24),
    st.integers(0, 2**32 - 1),
)
def test_blocks_compared_together_give_the_cosines_of_each(
    sizes: list[int], dimensions: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    blocks = [pack_rows(chance.normal(size=(n, dimensions)).astype(np.float32)) for n in sizes]
    vector = chance.normal(size=dimensions).astype(np.float32)
    alone = [unpack_rows(block, dimensions) @ vector for block in blocks]
    together = compare_blocks(blocks, vector)
    for number in range(LINES_FROM):
        assert together.row(number) == pytest.approx([rows[number] for rows in alone], abs=1e-4)
    for lines, rows in zip(together.lines(), alone, strict=True):
        assert lines == pytest.approx(rows[LINES_FROM:], abs=1e-4)
    best = [max(rows[LINES_FROM:], default=-np.inf) for rows in alone]
    assert together.best_lines() == pytest.approx(best, abs=1e-4)


def test_a_block_among_others_of_other_dimensions_is_refused() -> None:
    good, other = (pack_rows(np.ones((3, n), dtype=np.float32)) for n in (8, 9))
    with pytest.raises(ValueError, match="does not hold rows"):
        compare_blocks([good, other], np.ones(8, dtype=np.float32))
