"""One file that holds an index's vectors, so that a start maps them instead of reading rows of a database.

Layout, little-endian: 8 bytes of magic; length and CRC-32 of the header (2 x uint32); the header as JSON;
the chunk ids (int64); zeros up to a multiple of 64; the rows (float32). Rows are not summed, so that
opening does not read them: a file is replaced whole and never written in place.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.ports import AudienceId, Vectors

_MAGIC = b"KIYOVEC1"
_LENGTHS = struct.Struct("<II")
_ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """What the file holds. audiences: (audience, number of rows), in the order of the rows.

    ids: (n,), int64. rows: (n, dimensions), float32; writable, and what is written stays in memory.
    """

    revision: int
    audiences: tuple[tuple[AudienceId, int], ...]
    ids: NDArray[np.int64]
    rows: Vectors


def write_vectors(
    path: Path,
    revision: int,
    groups: Sequence[tuple[AudienceId, NDArray[np.int64]]],
    rows: Iterable[Vectors],
    dimensions: int,
) -> None:
    """Replace the file at once: a reader sees the old content or the new, and so does a start after a crash.

    groups: audience -> chunk ids, in the order in which `rows` yields their vectors, in pieces of any size.
    """
    ids = np.concatenate([ids for _, ids in groups]) if groups else np.zeros(0, dtype=np.int64)
    packed_ids = ids.astype("<i8").tobytes()
    header = json.dumps(
        {
            "revision": revision,
            "dimensions": dimensions,
            "audiences": [[audience, len(ids)] for audience, ids in groups],
            "ids_crc": zlib.crc32(packed_ids),
        }
    ).encode()
    front = _MAGIC + _LENGTHS.pack(len(header), zlib.crc32(header)) + header + packed_ids
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with fresh.open("wb") as file:
        file.write(front + bytes(-len(front) % _ALIGNMENT))
        for piece in rows:
            file.write(np.ascontiguousarray(piece, dtype="<f4").data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def read_vectors(path: Path, dimensions: int) -> StoredVectors:
    """Map a file: its header and ids are read and checked, its rows are read when they are used.

    Raises OSError when there is no file, ValueError when it is damaged or has other dimensions.
    """
    with path.open("rb") as file:
        front = file.read(len(_MAGIC) + _LENGTHS.size)
        if len(front) < len(_MAGIC) + _LENGTHS.size or not front.startswith(_MAGIC):
            raise ValueError("it is not a file of vectors")
        length, crc = _LENGTHS.unpack_from(front, len(_MAGIC))
        header = file.read(length)
        if zlib.crc32(header) != crc:
            raise ValueError("its header is damaged")
        about = json.loads(header)
        audiences = tuple((int(audience), int(rows)) for audience, rows in about["audiences"])
        count = sum(rows for _, rows in audiences)
        packed_ids = file.read(8 * count)
    if zlib.crc32(packed_ids) != about["ids_crc"]:
        raise ValueError("its chunk ids are damaged")
    if about["dimensions"] != dimensions:
        raise ValueError(f"its vectors have {about['dimensions']} dimensions instead of {dimensions}")
    end = len(front) + length + len(packed_ids)
    start = end + -end % _ALIGNMENT
    if path.stat().st_size != start + 4 * count * dimensions:
        raise ValueError("its rows are not complete")
    ids = np.frombuffer(packed_ids, dtype="<i8").astype(np.int64)
    if not count:
        return StoredVectors(about["revision"], audiences, ids, np.zeros((0, dimensions), np.float32))
    rows = np.memmap(path, dtype="<f4", mode="c", offset=start, shape=(count, dimensions))
    return StoredVectors(about["revision"], audiences, ids, rows)
