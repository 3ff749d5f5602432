"""Vectors of a chunk's heading, of its article's centre and of its lines, in one compact block.

One byte a number: at 512 dimensions cosines differ from those of float32 by less than 0.01.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.ports import Vector, Vectors

_LEVELS = 127.0
HEADING_SHARE = 0.5
LINES_FROM = 2
"""Row 0 is the breadcrumb, row 1 the centre of the article; from here on there is a row a line."""


def compose_chunk_vector(heading: Vector, lines: Vectors, characters: Sequence[int]) -> Vector:
    """Direction of a chunk: unit(unit(sum of sqrt(length) * line) + HEADING_SHARE * heading).

    heading: (dimensions,) of the breadcrumb. lines: (n, dimensions), unit length, with their lengths in
    characters; the root keeps one long line from drowning the others. All zero when nothing has content.
    """
    weights = np.sqrt(np.array(characters, dtype=np.float32))
    body = _unit(weights @ lines) if len(lines) else np.zeros_like(heading)
    return _unit(body + np.float32(HEADING_SHARE) * heading)


def centre_of(chunks: Vectors) -> Vector:
    """Direction of an article: the mean of its chunk vectors, unit length."""
    return _unit(chunks.sum(axis=0))


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 1e-9 else np.zeros_like(vector)


def pack_rows(rows: Vectors) -> bytes:
    """rows: (n, dimensions), float32. Each row is scaled by its own largest number, kept as float32 behind
    the int8 numbers of all rows."""
    if not np.isfinite(rows).all():
        raise ValueError("vectors must be finite")
    scales = np.abs(rows).max(axis=1, initial=0.0).astype(np.float32)
    safe = np.where(scales > 0, scales, 1.0)
    numbers = np.rint(rows / safe[:, None] * _LEVELS).astype(np.int8)
    packed: bytes = numbers.tobytes() + (scales / np.float32(_LEVELS)).astype("<f4").tobytes()
    return packed


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
