"""An embedder that remembers the last texts it was given: sentences of answers come again and again.

Measured: embedding a sentence takes longer than everything else that is computed for it, so this is the one
thing of a repeated pair that is kept. Questions are not remembered, and long batches pass through.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from core.ports import Embedder, Vector, Vectors

LONGEST_BATCH = 64
"""Beyond this it is a document and not an answer."""


class RememberingEmbedder:
    """Embeds with `inner`; of the passages of short batches the last `capacity` are kept in memory."""

    def __init__(self, inner: Embedder, capacity: int = 2048) -> None:
        self._inner = inner
        self._capacity = capacity
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        return self._inner.id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    @property
    def embeds_lines(self) -> bool:
        return self._inner.embeds_lines

    async def embed_query(self, text: str) -> Vector:
        return await self._inner.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not texts or len(texts) > LONGEST_BATCH:
            return await self._inner.embed_passages(texts)
        known = self._recall(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            rows = await self._inner.embed_passages(missing)
            made = dict(zip(missing, rows, strict=True))
            self._keep(made)
            known |= made
        return np.array([known[text] for text in texts], dtype=np.float32)

    def _recall(self, texts: Sequence[str]) -> dict[str, Vector]:
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
            for text in found:
                self._known.move_to_end(text)
            return found

    def _keep(self, made: dict[str, Vector]) -> None:
        with self._lock:
            for text, row in made.items():
                self._known[text] = row.copy()
            while len(self._known) > self._capacity:
                self._known.popitem(last=False)
