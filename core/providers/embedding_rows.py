"""What every embedder does around its model: clean texts, keep batches small, check and scale the rows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import ProviderOutputError
from core.ports import Vector, Vectors

_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_CLEANED = {0: None, **_SURROGATES}


@dataclass(frozen=True, slots=True)
class PostProcess:
    """A change to a model's vectors, such as taking off their mean.

    id: becomes part of the embedder's id, because changed vectors compare only with each other.
    change: (n, dimensions) to the same shape; it sees no rows of zeros, and rows are made unit length after.
    """

    id: str
    change: Callable[[Vectors], Vectors]


def clean_text(text: str, most_characters: int) -> str:
    """Drop NULs (C tokenisers end there) and half characters, and cut; "" when nothing is left to embed."""
    return text[:most_characters].translate(_CLEANED).strip()


def batch_by_length(texts: Sequence[str], size: int) -> Iterator[list[int]]:
    """Yield the positions of texts with content, shortest first, so that a batch pads to a like length."""
    order = sorted((position for position, text in enumerate(texts) if text), key=lambda at: len(texts[at]))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def check_rows(rows: Vectors, shape: tuple[int, int], model: str) -> None:
    """Raise ProviderOutputError unless rows have this shape and each is a finite vector other than zero."""
    if rows.shape != shape:
        raise ProviderOutputError(
            f"{model} gave vectors of shape {rows.shape} where {shape} was expected; "
            "check `dimensions` in [memory.embeddings]"
        )
    lengths = np.linalg.norm(rows, axis=1)
    if not np.all(np.isfinite(lengths) & (lengths > 0)):
        raise ProviderOutputError(f"{model} gave a vector of zeros or one that is not a number")


def unit_rows(rows: Vectors) -> Vectors:
    """Scale rows to unit length; a row of zeros stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    scaled: Vectors = (rows / lengths).astype(np.float32)
    return scaled


class QueryCache:
    """The vectors of the last questions, safe to use from several threads."""

    def __init__(self, size: int = 512) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def get(self, text: str) -> Vector | None:
        with self._lock:
            vector = self._vectors.get(text)
            if vector is not None:
                self._vectors.move_to_end(text)
            return vector

    def put(self, text: str, vector: Vector) -> None:
        """The vector becomes read-only: every later asker gets the same one."""
        vector.setflags(write=False)
        with self._lock:
            self._vectors[text] = vector
            if len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
