"""Pairs that come again, in this answer or in a later one, are compared once.

The key of a pair is a digest of everything that its comparison reads, so nothing has to be dropped when an
article, a coefficient or the embedding model changes: what is new has another key.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import ArticleReading, TermStats
from core.contribution.reading import terms_of
from core.contribution.support import SupportModel, format_model
from core.domain import ComparedPair
from core.memory import Memory

PairMemory: TypeAlias = Memory[bytes, ComparedPair | None]
"""None for a pair that the prefilter drops."""

_SIZE = 16
_UNIT = b"\x1f"
_RECORD = b"\x1e"


def statement_digest(text: str, stats: TermStats, looked_up: bool, model: bytes) -> bytes:
    """What a comparison reads of a statement: its text, how rare its terms are, how it is looked at.

    model: see `model_digest`.
    """
    terms = terms_of(text)
    counts = [stats.documents, *(stats.frequencies.get(term, 0) for term in terms), int(looked_up)]
    return _digest(text.encode("utf-8", "replace"), np.array(counts, dtype="<i8").tobytes(), model)


def article_digest(article: ArticleReading) -> bytes:
    """What a comparison reads of an article: all its lines that are given, with their surroundings."""
    found = blake2b(digest_size=_SIZE)
    for ref in article.lines:
        parts = (ref.heading, ref.before, ref.line.text, ref.after)
        found.update(_UNIT.join(part.encode("utf-8", "replace") for part in parts) + _RECORD)
    return found.digest()


def pair_key(statement: bytes, article: bytes, cosines: NDArray[np.float64] | None) -> bytes:
    """Name a comparison. statement, article: digests. cosines: of the statement with the article's lines."""
    near = b"" if cosines is None else cosines.astype("<f8").tobytes()
    return _digest(statement, article, near)


@lru_cache(maxsize=8)
def _format_digest(text: str, encoder: str) -> bytes:
    return _digest(text.encode(), encoder.encode())


def model_digest(model: SupportModel, encoder: str) -> bytes:
    """What stays the same for a whole answer: the coefficients and the id of the embedding model."""
    return _format_digest(format_model(model), encoder)


def _digest(*parts: bytes) -> bytes:
    found = blake2b(digest_size=_SIZE)
    for part in parts:
        found.update(len(part).to_bytes(8, "little") + part)
    return found.digest()
