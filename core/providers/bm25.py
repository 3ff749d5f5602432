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


def pack_terms(terms: Sequence[str]) -> bytes:
    """Pack a bag of terms and of neighbouring pairs of terms into 8 bytes each: code in the upper 48 bits,
    count in the lower 16. Equal sequences give equal bytes."""
    counts = Counter(terms)
    counts.update(pair_term(left, right) for left, right in pairwise(terms))
    packed = [term_code(term) << 16 | min(count, _MOST_COUNTED) for term, count in counts.items()]
    return np.array(sorted(packed), dtype="<u8").tobytes()


def pair_term(left: str, right: str) -> str:
    """What a pair of neighbours is called among the terms; no analyser makes a term with this separator."""
    return f"{left}\x1f{right}"


@dataclass(frozen=True, slots=True)
class WeighedTerms:
    """The terms of a question with their weights, ascending by code.

    codes: (n,), uint64, of terms and of pairs. idf: (n,), 0 for a pair. pair_weight: (n,), 0 for a term.
    """

    codes: NDArray[np.uint64]
    idf: NDArray[np.float64]
    pair_weight: NDArray[np.float64]


def weigh_terms(frequencies: Mapping[str, int], chunks: int) -> WeighedTerms:
    """Weigh terms by idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)), a pair by the lower idf of its two.

    frequencies: term -> df, the number of chunks that hold it, in the order of the question. chunks: N.
    """
    idf = {term: math.log(1 + (chunks - df + 0.5) / (df + 0.5)) for term, df in frequencies.items()}
    rows = {term_code(term): (weight, 0.0) for term, weight in idf.items()}
    for left, right in pairwise(idf):
        rows[term_code(pair_term(left, right))] = (0.0, min(idf[left], idf[right]))
    ordered = sorted(rows.items())
    weights = np.array([pair for _, pair in ordered], dtype=np.float64).reshape(-1, 2)
    return WeighedTerms(
        codes=np.array([code for code, _ in ordered], dtype=np.uint64),
        idf=weights[:, 0],
        pair_weight=weights[:, 1],
    )


def match_packed(
    packed: Sequence[bytes], lengths: Sequence[int], average_length: float, terms: WeighedTerms
) -> TermMatch:
    """Score bags by sum over terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)), and
    tell how much of the question each covers.

    packed: one bag a chunk, from `pack_terms`. lengths: terms of each chunk, repeats included.
    Formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
    k1 = 1.5 and b = 0.75 and the idf above, which is never negative.
    """
    n = len(packed)
    mass = float(terms.idf.sum())
    if not n or not len(terms.codes):
        return TermMatch(np.zeros(n), np.zeros(n), np.zeros(n), mass)
    entries = np.frombuffer(b"".join(packed), dtype="<u8")
    codes = entries >> _COUNT_BITS
    place = np.searchsorted(terms.codes, codes)
    place[place == len(terms.codes)] = 0
    shared = np.flatnonzero(terms.codes[place] == codes)
    place = place[shared]
    chunk_of = np.repeat(np.arange(n), [len(bag) // 8 for bag in packed])[shared]
    counts = (entries[shared] & np.uint64(_MOST_COUNTED)).astype(np.float64)
    damping = K1 * (1 - B + B * np.asarray(lengths, dtype=np.float64) / max(average_length, 1e-9))
    gains = terms.idf[place] * counts * (K1 + 1) / (counts + damping[chunk_of])

    def total(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(chunk_of, weights=weights, minlength=n).astype(np.float64)

    pair_mass = max(float(terms.pair_weight.sum()), 1e-9)
    return TermMatch(total(gains), total(terms.idf[place]), total(terms.pair_weight[place]) / pair_mass, mass)


def _digest(term: str) -> bytes:
    return hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=_CODE_BYTES).digest()
