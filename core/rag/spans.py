"""Vectors of a chunk's heading, of its article, of itself and of its lines, in one compact block.

One byte a number: at 512 dimensions cosines differ from those of float32 by less than 0.01.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ports import Vector, Vectors

_LEVELS = 127.0
HEADING_SHARE = 0.5
HEADING, ARTICLE, CHUNK, LINES_FROM = range(4)
"""Rows of a block: the breadcrumb, the centre of the article, the chunk; then there is a row a line."""


@dataclass(frozen=True, slots=True)
class BlockCosines:
    """Cosines of one vector with all rows of some blocks. flat: block after block. starts: (n,), of each."""

    flat: NDArray[np.float64]
    starts: NDArray[np.intp]

    def row(self, number: int) -> NDArray[np.float64]:
        """(n,) of the row with this number in every block."""
        return self.flat[self.starts + number]

    def lines(self) -> list[NDArray[np.float64]]:
        """Of each block's lines, in order."""
        return [rows[LINES_FROM:] for rows in np.split(self.flat, self.starts[1:])]

    def best_lines(self) -> NDArray[np.float64]:
        """(n,) the highest of each block's lines, -inf without lines."""
        lines = self.flat.copy()
        lines[(self.starts[:, None] + np.arange(LINES_FROM)).ravel()] = -np.inf
        best: NDArray[np.float64] = np.maximum.reduceat(lines, self.starts)
        return best


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
    count = _count_rows(packed, dimensions)
    numbers: NDArray[np.int8] = np.frombuffer(packed, dtype=np.int8, count=count * dimensions)
    scales = np.frombuffer(packed, dtype="<f4", offset=count * dimensions)
    rows: Vectors = numbers.reshape(count, dimensions).astype(np.float32)
    rows *= scales[:, None]
    return rows


def compare_blocks(blocks: Sequence[bytes], vector: Vector) -> BlockCosines:
    """Compare a unit vector with the rows of at least one block, without unpacking each block by itself.

    Raises ValueError if a block was not made for the vector's dimensions.
    """
    dimensions = len(vector)
    counts = [_count_rows(block, dimensions) for block in blocks]
    sizes = [count * dimensions for count in counts]
    joined = b"".join([block[:size] for block, size in zip(blocks, sizes, strict=True)])
    scales = b"".join([block[size:] for block, size in zip(blocks, sizes, strict=True)])
    numbers: NDArray[np.int8] = np.frombuffer(joined, dtype=np.int8)
    cosines = numbers.reshape(-1, dimensions).astype(np.float32) @ vector
    cosines *= np.frombuffer(scales, dtype="<f4")
    return BlockCosines(cosines.astype(np.float64), np.cumsum([0, *counts[:-1]]))


def _count_rows(packed: bytes, dimensions: int) -> int:
    count, rest = divmod(len(packed), dimensions + 4)
    if rest:
        raise ValueError(f"a block of {len(packed)} bytes does not hold rows of {dimensions} numbers")
    return count
