from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ProviderOutputError
from core.ports import Vectors
from core.providers.embedding_rows import QueryCache, batch_by_length, check_rows, clean_text, unit_rows


@given(st.lists(st.text(max_size=5)), st.integers(1, 4))
def test_every_text_with_content_is_in_one_batch(texts: list[str], size: int) -> None:
    batches = list(batch_by_length(texts, size))
    positions = [position for batch in batches for position in batch]
    assert sorted(positions) == [position for position, text in enumerate(texts) if text]
    assert all(1 <= len(batch) <= size for batch in batches)
    lengths = [len(texts[position]) for position in positions]
    assert lengths == sorted(lengths)


@given(st.text(st.characters()))
def test_a_cleaned_text_can_be_encoded_and_holds_no_nul(text: str) -> None:
    cleaned = clean_text(text, 100)
    assert b"\0" not in cleaned.encode("utf-8")
    assert len(cleaned) <= 100


@pytest.mark.parametrize("number", [0.0, np.nan, np.inf])
def test_rows_that_mean_nothing_are_refused(number: float) -> None:
    rows = np.ones((2, 3), dtype=np.float32)
    rows[1] = number
    with pytest.raises(ProviderOutputError, match="zeros or one that is not a number"):
        check_rows(rows, (2, 3), "some-model")


def test_other_dimensions_are_refused_with_the_setting_to_check() -> None:
    with pytest.raises(ProviderOutputError, match=r"check `dimensions` in \[memory.embeddings\]"):
        check_rows(np.ones((2, 3), dtype=np.float32), (2, 4), "some-model")


def test_rows_are_scaled_to_unit_length_and_zeros_stay() -> None:
    rows = unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32))
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


async def test_the_question_used_longest_ago_is_forgotten_first() -> None:
    cache = QueryCache(size=2)
    made: list[str] = []

    async def ask(text: str) -> None:
        async def make() -> Vectors:
            made.append(text)
            return np.ones((1, 2), dtype=np.float32)

        await cache.get(text, make)

    for text in ("a", "b", "a", "c", "a", "b"):
        await ask(text)
    assert made == ["a", "b", "c", "b"]
