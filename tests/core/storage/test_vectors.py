from __future__ import annotations

import numpy as np
import pytest

from core.storage.vectors import pack, unpack


def test_a_stored_vector_takes_two_bytes_a_dimension_and_is_of_unit_length_again() -> None:
    vectors = np.random.default_rng(1).normal(size=(50, 512)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    back = np.stack([unpack(pack(vector)) for vector in vectors])
    assert len(pack(vectors[0])) == 1024
    assert back.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(back, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(back @ vectors.T, vectors @ vectors.T, atol=5e-4)


@pytest.mark.parametrize("vector", [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
def test_simple_vectors_come_back_exactly(vector: list[float]) -> None:
    assert unpack(pack(np.array(vector, dtype=np.float32))).tolist() == vector
