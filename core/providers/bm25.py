"""Exact BM25 over the packed terms of a few candidates; finding candidates is left to an engine.

A term is known by a 48-bit code of its bytes, so no character of it can disturb an engine, and two
different terms of a million-term vocabulary share a code with probability 2e-3 in the whole index.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.ports import TermMatch

K1 = 1.5
B = 0.75

_CODE_BYTES = 6
_COUNT_BITS = np.uint64(16)
_MOST_COUNTED = 0xFFFF


def term_code(term: str) -> int:
    """Number a term by the first 48 bits of its BLAKE2b digest."""
    return int.from_bytes(_digest(term), "big")


def term_token(term: str) -> str:
    """Spell the code of a term in twelve hexadecimal digits, for engines that want words."""
    return _digest(term).hex()


@dataclass(frozen=True, slots=True)
class PackedTerms:
    """What is kept of a chunk's terms, in little more than a kilobyte for 400 characters of Japanese.

    terms: 8 bytes a distinct term, ascending: code in the upper 48 bits, count in the lower 16. pairs:
    4 bytes of hash a distinct pair of neighbours, ascending. length: of the terms, repeats included.
    """

    terms: bytes
    pairs: bytes
    length: int


NO_TERMS = PackedTerms(b"", b"", 0)


def pack_terms(terms: Sequence[str]) -> PackedTerms:
    """Pack the terms of a chunk, in order. Equal sequences give equal bytes."""
    coded = [term_code(term) for term in terms]
    packed = [code << 16 | min(count, _MOST_COUNTED) for code, count in Counter(coded).items()]
    pairs = {_pair_hash(left, right) for left, right in pairwise(coded)}
    return PackedTerms(
        terms=np.array(sorted(packed), dtype="<u8").tobytes(),
        pairs=np.array(sorted(pairs), dtype="<u4").tobytes(),
        length=len(terms),
    )


@dataclass(frozen=True, slots=True)
class WeighedTerms:
    """The terms of a question with their weights.

    codes: (n,), uint64, ascending. idf: (n,). pairs: (m,), uint32, ascending, hashes of neighbouring terms.
    pair_weight: (m,), the lower idf of the two. mass: sum of the idf.
    """

    codes: NDArray[np.uint64]
    idf: NDArray[np.float64]
    pairs: NDArray[np.uint32]
    pair_weight: NDArray[np.float64]
    mass: float


def weigh_terms(frequencies: Mapping[str, int], chunks: int) -> WeighedTerms:
    """Weigh terms by idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)), a pair by the lower idf of its two.

    frequencies: term -> df, the number of chunks that hold it, in the order of the question. chunks: N.
    """
    idf = {
        term_code(term): math.log(1 + (chunks - df + 0.5) / (df + 0.5)) for term, df in frequencies.items()
    }
    pairs = {_pair_hash(left, right): min(idf[left], idf[right]) for left, right in pairwise(idf)}
    codes, hashes = sorted(idf), sorted(pairs)
    return WeighedTerms(
        codes=np.array(codes, dtype=np.uint64),
        idf=np.array([idf[code] for code in codes], dtype=np.float64),
        pairs=np.array(hashes, dtype=np.uint32),
        pair_weight=np.array([pairs[pair] for pair in hashes], dtype=np.float64),
        mass=sum(idf.values()),
    )


def score_packed(
    chunks: Sequence[PackedTerms], average_length: float, question: WeighedTerms
) -> NDArray[np.float64]:
    """Score chunks by sum over terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)).

    Returns (len(chunks),). Formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
    and Beyond" (2009), with k1 = 1.5 and b = 0.75 and the idf above, which is never negative.
    """
    return _score(chunks, average_length, question)[0]


def match_packed(chunks: Sequence[PackedTerms], average_length: float, question: WeighedTerms) -> TermMatch:
    """Score chunks as `score_packed` does, and tell how much of the question each of them covers."""
    bm25, covered = _score(chunks, average_length, question)
    hashes = np.frombuffer(b"".join([chunk.pairs for chunk in chunks]), dtype="<u4")
    place, shared = _find(question.pairs, hashes)
    chunk_of = np.repeat(np.arange(len(chunks)), [len(chunk.pairs) // 4 for chunk in chunks])[shared]
    pairs = _sum_by_chunk(chunk_of, question.pair_weight[place], len(chunks))
    return TermMatch(bm25, covered, pairs / max(float(question.pair_weight.sum()), 1e-9), question.mass)


def _score(
    chunks: Sequence[PackedTerms], average_length: float, question: WeighedTerms
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(BM25, sum of the idf of the terms that it holds) of each chunk."""
    entries = np.frombuffer(b"".join([chunk.terms for chunk in chunks]), dtype="<u8")
    place, shared = _find(question.codes, entries >> _COUNT_BITS)
    chunk_of = np.repeat(np.arange(len(chunks)), [len(chunk.terms) // 8 for chunk in chunks])[shared]
    counts = (entries[shared] & np.uint64(_MOST_COUNTED)).astype(np.float64)
    lengths = np.array([chunk.length for chunk in chunks], dtype=np.float64)
    damping = K1 * (1 - B + B * lengths / max(average_length, 1e-9))
    idf = question.idf[place]
    gains = idf * counts * (K1 + 1) / (counts + damping[chunk_of])
    return _sum_by_chunk(chunk_of, gains, len(chunks)), _sum_by_chunk(chunk_of, idf, len(chunks))


def _find(
    wanted: NDArray[np.unsignedinteger[Any]], entries: NDArray[np.unsignedinteger[Any]]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(place among the wanted, place among the entries) of each entry that is wanted; wanted ascends."""
    if not len(wanted):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    place = np.searchsorted(wanted, entries)
    place[place == len(wanted)] = 0
    shared = np.flatnonzero(wanted[place] == entries)
    return place[shared], shared


def _sum_by_chunk(
    chunk_of: NDArray[np.intp], weights: NDArray[np.float64], chunks: int
) -> NDArray[np.float64]:
    return np.bincount(chunk_of, weights=weights, minlength=chunks).astype(np.float64)


def _pair_hash(left: int, right: int) -> int:
    """Mix two codes into 32 bits; a pair of a question meets another's once in 20,000 questions."""
    return ((left * 0x9E3779B97F4A7C15 + right * 0xC2B2AE3D27D4EB4F) >> 32) & 0xFFFFFFFF


def _digest(term: str) -> bytes:
    return hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=_CODE_BYTES).digest()
