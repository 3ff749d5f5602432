"""Fakes of models and indexes: small, exact, in memory; each passes the contract of its port."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.domain import ChunkId, Hit
from core.ports import AudienceId, IndexDelta, TermMatch, Vector, Vectors
from core.text.terms import Analyser

_WORDS = re.compile(r"[a-z0-9]+|[^\x00-\x7f\s]")


class FakeEmbedder:
    """Embeds a text as the bag of its words and Japanese characters, each hashed to one dimension.

    version: models of different versions have different ids. embedded: every passage it was given.
    """

    def __init__(self, dimensions: int = 64, *, embeds_lines: bool = False, version: int = 1) -> None:
        self.dimensions = dimensions
        self.id = f"fake/bag-of-words@{version}/{dimensions}{'+lines' if embeds_lines else ''}"
        self.embeds_lines = embeds_lines
        self.embedded: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded.extend(texts)
        rows = [self._vector(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)

    async def embed_query(self, text: str) -> Vector:
        return self._vector(text)

    def _vector(self, text: str) -> Vector:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for word in _WORDS.findall(text.lower()):
            vector[zlib.crc32(word.encode("utf-8", "replace")) % self.dimensions] += 1
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector


class FakeKeywordIndex:
    """Scores every readable chunk by the formula, one after the other."""

    def __init__(self, analyser: Analyser) -> None:
        self.revision = 0
        self._analyser = analyser
        self._chunks: dict[ChunkId, tuple[AudienceId, Counter[str]]] = {}
        self._pairs: dict[ChunkId, set[tuple[str, str]]] = {}

    def apply(self, delta: IndexDelta) -> None:
        if delta.revision < self.revision:
            return
        for chunk_id in delta.removed:
            self._chunks.pop(chunk_id, None)
        for entry in delta.entries:
            terms = self._analyser.analyse(entry.text)
            self._chunks[entry.chunk_id] = (entry.audience, Counter(terms))
            self._pairs[entry.chunk_id] = set(pairwise(terms))
        self.revision = delta.revision

    def search(self, terms: Sequence[str], audiences: Sequence[AudienceId], limit: int) -> list[Hit]:
        hits = [
            Hit(chunk_id, score)
            for chunk_id, (audience, bag) in self._chunks.items()
            if audience in audiences and (score := self._score(set(terms), bag)) > 0
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[: max(0, limit)]

    def match(self, terms: Sequence[str], chunk_ids: Sequence[ChunkId]) -> TermMatch:
        distinct = list(dict.fromkeys(terms))
        total, frequencies = self.document_frequencies(distinct)
        idf = {
            term: math.log(1 + (total - df + 0.5) / (df + 0.5))
            for term, df in zip(distinct, frequencies, strict=True)
        }
        pairs = {pair: min(idf[pair[0]], idf[pair[1]]) for pair in pairwise(distinct)}
        bags = [self._chunks.get(chunk_id, (0, Counter[str]()))[1] for chunk_id in chunk_ids]
        neighbours = [self._pairs.get(chunk_id, set()) for chunk_id in chunk_ids]
        near = [sum(w for pair, w in pairs.items() if pair in held) for held in neighbours]
        return TermMatch(
            bm25=np.array([self._score(set(distinct), bag) if bag else 0.0 for bag in bags]),
            covered=np.array([sum(w for term, w in idf.items() if term in bag) for bag in bags]),
            pairs=np.array(near) / max(sum(pairs.values()), 1e-9),
            mass=sum(idf.values()),
        )

    def document_frequencies(self, terms: Sequence[str]) -> tuple[int, list[int]]:
        bags = [bag for _, bag in self._chunks.values()]
        return len(bags), [sum(term in bag for bag in bags) for term in terms]

    def count(self) -> int:
        return len(self._chunks)

    def close(self) -> None:
        pass

    def _score(self, terms: set[str], bag: Counter[str]) -> float:
        total, frequencies = self.document_frequencies(sorted(terms))
        average = sum(bag.total() for _, bag in self._chunks.values()) / total
        score = 0.0
        for term, df in zip(sorted(terms), frequencies, strict=True):
            idf = math.log(1 + (total - df + 0.5) / (df + 0.5))
            norm = 1.5 * (1 - 0.75 + 0.75 * bag.total() / average) if average else 1.5
            score += idf * bag[term] * 2.5 / (bag[term] + norm)
        return score


class FakeVectorIndex:
    """Compares a vector with every readable one."""

    def __init__(self, dimensions: int) -> None:
        self.revision = 0
        self._dimensions = dimensions
        self._chunks: dict[ChunkId, tuple[AudienceId, Vector]] = {}

    def apply(self, delta: IndexDelta) -> None:
        if delta.revision < self.revision:
            return
        for chunk_id in [*delta.removed, *(entry.chunk_id for entry in delta.entries)]:
            self._chunks.pop(chunk_id, None)
        for entry in delta.entries:
            if entry.vector is not None and entry.vector.any():
                self._chunks[entry.chunk_id] = (entry.audience, entry.vector)
        self.revision = delta.revision

    def search(self, vector: Vector, audiences: Sequence[AudienceId], limit: int) -> list[Hit]:
        if not vector.any():
            return []
        hits = [
            Hit(chunk_id, round(float(stored @ vector), 6))
            for chunk_id, (audience, stored) in self._chunks.items()
            if audience in audiences
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[: max(0, limit)]

    def vectors(self, chunk_ids: Sequence[ChunkId]) -> Vectors:
        nothing = (0, np.zeros(self._dimensions, dtype=np.float32))
        rows = [self._chunks.get(chunk_id, nothing)[1] for chunk_id in chunk_ids]
        return np.array(rows, dtype=np.float32).reshape(len(chunk_ids), self._dimensions)

    def count(self) -> int:
        return len(self._chunks)

    def sample(self, limit: int) -> Vectors:
        ids = sorted(self._chunks)
        return self.vectors(ids[:: max(1, len(ids) // max(1, limit))][:limit])

    def close(self) -> None:
        pass
