"""What every embedder does around its model: clean texts, keep batches small, check and scale the rows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
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


@dataclass(frozen=True, slots=True)
class RowShape:
    """What a model makes of texts, and how it is fed. model: its name in messages.

    batch_size: texts in one call. most_characters: of one text, the rest does not count.
    """

    model: str
    dimensions: int
    batch_size: int
    most_characters: int


async def embed_in_batches(
    texts: Sequence[str], shape: RowShape, encode: Callable[[list[str]], Awaitable[Vectors]]
) -> Vectors:
    """Clean texts, have them encoded in batches of like length, and give unit rows in the order of the texts.

    A text without content becomes a row of zeros and is not encoded. Raises ProviderOutputError when
    `encode` gives another number of rows, other dimensions, or rows that mean nothing.
    """
    cleaned = [clean_text(text, shape.most_characters) for text in texts]
    rows = np.zeros((len(texts), shape.dimensions), dtype=np.float32)
    for positions in batch_by_length(cleaned, shape.batch_size):
        encoded = await encode([cleaned[position] for position in positions])
        check_rows(encoded, (len(positions), shape.dimensions), shape.model)
        rows[positions] = unit_rows(encoded)
    return rows


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

    async def get(self, text: str, make: Callable[[], Awaitable[Vectors]]) -> Vector:
        """Give the vector of a text, at need the only row of what `make` gives. It is read-only: every later
        asker gets the same one."""
        with self._lock:
            known = self._vectors.get(text)
            if known is not None:
                self._vectors.move_to_end(text)
                return known
        vector: Vector = (await make())[0]
        vector.setflags(write=False)
        with self._lock:
            self._vectors[text] = vector
            if len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
        return vector
