"""Vector index by exact scan: every readable vector is compared, none is missed.

The vectors stand in memory, audience by audience, so a search touches only what may be read. A file beside
the database spares the next start from reading rows; it may lag behind, and its revision says how far.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.domain import ChunkId, Hit
from core.ports import AudienceId, IndexDelta, Vector, Vectors
from core.providers.vector_entries import (
    EmbeddedChunk,
    embedded_chunks,
    embedder_digest,
    has_direction,
    require_dimensions,
)
from core.providers.vector_file import read_vectors, write_vectors

logger = logging.getLogger(__name__)

_FEWEST_ROWS = 64
_MOST_ROWS = 8192
_ROW_BITS = 13
_UNSAVED_CHANGES = 2000
_SAME_SCORE = 1e-6
"""BLAS rounds the last bits by a row's position, so scores are compared and given to six decimals."""


@dataclass(slots=True)
class _Block:
    """Rows of one audience; the first `used` count. ids: (capacity,). rows: (capacity, dimensions)."""

    ids: NDArray[np.int64]
    rows: Vectors
    used: int


class ExactScan:
    """Cosine against every readable vector, held as float32 in blocks of one audience each.

    100,000 vectors of 512 dimensions take 205 MB and 14 ms a search on one core, which is what reading them
    from memory takes; float16 halves the memory at seven times the time (numpy converts it in software).
    """

    def __init__(self, embedder_id: str, dimensions: int, folder: Path | None = None) -> None:
        """folder: where the file is kept, one for each embedding model; None keeps nothing."""
        self._embedder_id = embedder_id
        self._dimensions = dimensions
        self._folder = folder
        self._path = folder / f"vectors-{embedder_digest(embedder_id)}.bin" if folder else None
        self._lock = threading.Lock()
        self._changes = 0
        """Even when nothing is being written; a search that saw it change is repeated under the lock."""
        self._unsaved = 0
        self._revision = 0
        self._blocks: dict[AudienceId, list[_Block]] = {}
        self._places: dict[ChunkId, tuple[AudienceId, int]] = {}
        """Chunk -> its audience, and its position there: block number in the upper bits, row in the lower."""
        if self._path:
            self._load(self._path)

    @property
    def revision(self) -> int:
        return self._revision

    def count(self) -> int:
        return len(self._places)

    def apply(self, delta: IndexDelta) -> None:
        """Raises IndexMismatchError, before anything is changed, when a vector has other dimensions."""
        for entry in delta.entries:
            require_dimensions(entry.vector, self._dimensions, self._embedder_id)
        with self._lock:
            if delta.revision < self._revision:
                return
            self._changes += 1
            try:
                self._write(delta)
            finally:
                self._changes += 1
            if self._unsaved > max(_UNSAVED_CHANGES, len(self._places) // 4):
                self._save()

    def search(self, vector: Vector, audiences: Sequence[AudienceId], limit: int) -> list[Hit]:
        require_dimensions(vector, self._dimensions, self._embedder_id)
        if limit < 1 or not has_direction(vector):
            return []
        before = self._changes
        if before % 2 == 0:
            hits = self._scan(vector, audiences, limit)
            if self._changes == before:
                return hits
        with self._lock:
            return self._scan(vector, audiences, limit)

    def vectors(self, chunk_ids: Sequence[ChunkId]) -> Vectors:
        found = np.zeros((len(chunk_ids), self._dimensions), dtype=np.float32)
        with self._lock:
            for number, chunk_id in enumerate(chunk_ids):
                place = self._places.get(chunk_id)
                if place is not None:
                    block, row = self._at(place)
                    found[number] = block.rows[row]
        return found

    def sample(self, limit: int) -> Vectors:
        with self._lock:
            ids = sorted(self._places)
        return self.vectors(ids[:: max(1, len(ids) // max(1, limit))][:limit])

    def close(self) -> None:
        """Save what changed since the file was written."""
        with self._lock:
            if self._unsaved:
                self._save()

    def drop_others(self) -> None:
        """Delete the files of other embedding models, once this one is complete."""
        if self._folder:
            for path in self._folder.glob("vectors-*.bin"):
                if path != self._path:
                    path.unlink(missing_ok=True)

    # --- reading ---------------------------------------------------------------------------------

    def _scan(self, vector: Vector, audiences: Sequence[AudienceId], limit: int) -> list[Hit]:
        blocks = [block for audience in dict.fromkeys(audiences) for block in self._blocks.get(audience, ())]
        sizes = [block.used for block in blocks]
        starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        scores = np.empty(starts[-1], dtype=np.float32)
        wanted = np.asarray(vector, dtype=np.float32)
        for block, size, start in zip(blocks, sizes, starts.tolist(), strict=False):
            np.dot(block.rows[:size], wanted, out=scores[start : start + size])
        if limit < len(scores):
            least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            best = np.flatnonzero(scores >= least - _SAME_SCORE)
        else:
            best = np.arange(len(scores))
        block_of = np.searchsorted(starts, best, side="right") - 1
        hits = [
            Hit(int(blocks[number].ids[index - starts[number]]), round(float(scores[index]), 6))
            for number, index in zip(block_of, best, strict=True)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]

    def _at(self, place: tuple[AudienceId, int]) -> tuple[_Block, int]:
        audience, position = place
        return self._blocks[audience][position >> _ROW_BITS], position & (_MOST_ROWS - 1)

    # --- writing ---------------------------------------------------------------------------------

    def _write(self, delta: IndexDelta) -> None:
        for chunk_id in delta.removed:
            self._remove(chunk_id)
        for entry in delta.entries:
            self._remove(entry.chunk_id)
        for chunk in embedded_chunks(delta.entries):
            self._add(chunk)
        self._unsaved += len(delta.removed) + len(delta.entries) + (delta.revision != self._revision)
        self._revision = delta.revision

    def _add(self, chunk: EmbeddedChunk) -> None:
        blocks = self._blocks.setdefault(chunk.audience, [])
        if not blocks or blocks[-1].used == len(blocks[-1].ids):
            capacity = min(_MOST_ROWS, max(_FEWEST_ROWS, 2 * sum(block.used for block in blocks)))
            rows = np.zeros((capacity, self._dimensions), dtype=np.float32)
            blocks.append(_Block(np.zeros(capacity, dtype=np.int64), rows, 0))
        block = blocks[-1]
        block.ids[block.used] = chunk.chunk_id
        block.rows[block.used] = chunk.vector
        self._places[chunk.chunk_id] = (chunk.audience, (len(blocks) - 1) << _ROW_BITS | block.used)
        block.used += 1

    def _remove(self, chunk_id: ChunkId) -> None:
        """The last row of the audience moves into the hole, so that blocks stay full."""
        place = self._places.pop(chunk_id, None)
        if place is None:
            return
        audience, position = place
        block, row = self._at(place)
        blocks = self._blocks[audience]
        last = blocks[-1]
        last.used -= 1
        moved = int(last.ids[last.used])
        if moved != chunk_id:
            block.ids[row] = moved
            block.rows[row] = last.rows[last.used]
            self._places[moved] = (audience, position)
        if not last.used:
            blocks.pop()
        if not blocks:
            del self._blocks[audience]

    # --- the file --------------------------------------------------------------------------------

    def _load(self, path: Path) -> None:
        try:
            stored = read_vectors(path, self._dimensions)
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.warning("the vectors in %s are read from the database again: %s", path, error)
            return
        start = 0
        for audience, size in stored.audiences:
            pieces = [
                slice(at, min(at + _MOST_ROWS, start + size)) for at in range(start, start + size, _MOST_ROWS)
            ]
            self._blocks[audience] = [
                _Block(stored.ids[piece], stored.rows[piece], piece.stop - piece.start) for piece in pieces
            ]
            ids = stored.ids[start : start + size].tolist()
            self._places.update((chunk_id, (audience, row)) for row, chunk_id in enumerate(ids))
            start += size
        self._revision = stored.revision

    def _save(self) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        groups = [
            (audience, np.concatenate([block.ids[: block.used] for block in blocks]))
            for audience, blocks in self._blocks.items()
        ]
        rows = (block.rows[: block.used] for blocks in self._blocks.values() for block in blocks)
        write_vectors(self._path, self._revision, groups, rows, self._dimensions)
        self._unsaved = 0
