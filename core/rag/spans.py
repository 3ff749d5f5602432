"""Vectors of a chunk's heading and lines in one compact block, read together and kept with the chunk.

One byte a number: cosines differ from those of float32 by less than 0.01.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.ports import Vectors

_LEVELS = 127.0


def pack_rows(rows: Vectors) -> bytes:
    """rows: (n, dimensions), float32. Each row is scaled by its own largest number, kept as float32 behind
    the int8 numbers of all rows."""
    if not np.isfinite(rows).all():
        raise ValueError("vectors must be finite")
    scales = np.abs(rows).max(axis=1, initial=0.0).astype(np.float32)
    safe = np.where(scales > 0, scales, 1.0)
    numbers = np.rint(rows / safe[:, None] * _LEVELS).astype(np.int8)
    return numbers.tobytes() + (scales / np.float32(_LEVELS)).astype("<f4").tobytes()


def unpack_rows(packed: bytes, dimensions: int) -> Vectors:
    """(n, dimensions), float32, as near as one byte a number allows.

    Raises ValueError if the block was not made for these dimensions.
    """
    count, rest = divmod(len(packed), dimensions + 4)
    if rest:
        raise ValueError(f"a block of {len(packed)} bytes does not hold rows of {dimensions} numbers")
    numbers: NDArray[np.int8] = np.frombuffer(packed, dtype=np.int8, count=count * dimensions)
    scales = np.frombuffer(packed, dtype="<f4", offset=count * dimensions)
    rows: Vectors = numbers.reshape(count, dimensions).astype(np.float32)
    rows *= scales[:, None]
    return rows
