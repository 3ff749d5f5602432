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

import numpy as np
from numpy.typing import NDArray

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
    """Pack a bag of terms into 8 bytes a distinct term, ascending: code in the upper 48 bits, count in the
    lower 16. Equal bags give equal bytes."""
    packed = [term_code(term) << 16 | min(count, _MOST_COUNTED) for term, count in Counter(terms).items()]
    return np.array(sorted(packed), dtype="<u8").tobytes()


@dataclass(frozen=True, slots=True)
class WeighedTerms:
    """The terms of a question with their idf: codes (n,), uint64, ascending; idf (n,), float64."""

    codes: NDArray[np.uint64]
    idf: NDArray[np.float64]


def weigh_terms(frequencies: Mapping[str, int], chunks: int) -> WeighedTerms:
    """Weigh terms by idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)).

    frequencies: term -> df, the number of chunks that hold it. chunks: N.
    """
    weights = {
        term_code(term): math.log(1 + (chunks - df + 0.5) / (df + 0.5)) for term, df in frequencies.items()
    }
    codes = sorted(weights)
    return WeighedTerms(
        codes=np.array(codes, dtype=np.uint64),
        idf=np.array([weights[code] for code in codes], dtype=np.float64),
    )


def score_packed(
    packed: Sequence[bytes], lengths: Sequence[int], average_length: float, terms: WeighedTerms
) -> NDArray[np.float64]:
    """Score bags: sum over terms of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)).

    packed: one bag a chunk, from `pack_terms`. lengths: terms of each chunk, repeats included.
    Returns (len(packed),). Formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework:
    BM25 and Beyond" (2009), with k1 = 1.5 and b = 0.75 and the idf above, which is never negative.
    """
    if not packed or not len(terms.codes):
        return np.zeros(len(packed))
    entries = np.frombuffer(b"".join(packed), dtype="<u8")
    codes = entries >> _COUNT_BITS
    place = np.searchsorted(terms.codes, codes)
    place[place == len(terms.codes)] = 0
    shared = np.flatnonzero(terms.codes[place] == codes)
    chunk_of = np.repeat(np.arange(len(packed)), [len(bag) // 8 for bag in packed])[shared]
    counts = (entries[shared] & np.uint64(_MOST_COUNTED)).astype(np.float64)
    damping = K1 * (1 - B + B * np.asarray(lengths, dtype=np.float64) / average_length)
    gains = terms.idf[place[shared]] * counts * (K1 + 1) / (counts + damping[chunk_of])
    return np.bincount(chunk_of, weights=gains, minlength=len(packed)).astype(np.float64)


def _digest(term: str) -> bytes:
    return hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=_CODE_BYTES).digest()
