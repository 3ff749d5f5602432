"""Vector index in an embedded Chroma: one collection for each embedding model and audience.

A collection for each audience keeps the search inside what may be read: Chroma's own filter scans all rows
(65 ms at 100,000). Vectors are always ours, and nothing is sent anywhere. Only one process may open the
folder at a time; that lock is held by the caller.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from core.domain import ChunkId, Hit
from core.errors import ProviderError
from core.ports import AudienceId, IndexDelta, Vector, Vectors
from core.providers.extras import import_extra
from core.providers.full_disk import refuse_full_disk
from core.providers.vector_entries import (
    EmbeddedChunk,
    embedded_chunks,
    embedder_digest,
    has_direction,
    require_dimensions,
)

logger = logging.getLogger(__name__)

_BATCH = 5000
"""Chroma takes at most 5,461 rows a call."""

_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_search": 200}}


class _Collection(Protocol):
    """What is used of Chroma's collection; ids are strings there."""

    name: str

    def upsert(self, *, ids: list[str], embeddings: Vectors) -> None: ...

    def delete(self, *, ids: list[str]) -> None: ...

    def get(self, *, ids: list[str] | None = None, include: list[str]) -> dict[str, Any]: ...

    def query(self, *, query_embeddings: Vectors, n_results: int, include: list[str]) -> dict[str, Any]: ...


class ChromaIndex:
    """Cosine by Chroma's HNSW graph: about 2 ms a search at 100,000 vectors, nearly all of the nearest.

    What is stored of the revision is written after the vectors, so that a crash between the two repeats
    a delta, which changes nothing. A damaged folder starts from revision 0.
    """

    def __init__(self, folder: Path, embedder_id: str, dimensions: int) -> None:
        """folder: created if absent; nothing else may live in it.

        Raises ExtraMissingError without the package chromadb.
        """
        digest = embedder_digest(embedder_id)
        self._embedder_id = embedder_id
        self._dimensions = dimensions
        self._folder = folder
        self._prefix = f"e{digest}-a"
        self._state_path = folder / f"state-{digest}.json"
        self._chromadb = import_extra("chromadb", "chroma")
        self._lock = threading.Lock()
        self._collections: dict[AudienceId, _Collection] = {}
        self._audience_of: dict[ChunkId, AudienceId] = {}
        self._revision = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._client = self._open()

    @property
    def revision(self) -> int:
        return self._revision

    def count(self) -> int:
        return len(self._audience_of)

    def apply(self, delta: IndexDelta) -> None:
        """Raises IndexMismatchError, before anything is changed, when a vector has other dimensions."""
        for entry in delta.entries:
            require_dimensions(entry.vector, self._dimensions, self._embedder_id)
        with self._lock:
            if delta.revision < self._revision:
                return
            self._remove([*delta.removed, *(entry.chunk_id for entry in delta.entries)])
            self._add(embedded_chunks(delta.entries))
            if delta.revision != self._revision or delta.removed or delta.entries:
                self._revision = delta.revision
                self._save_state()

    def search(self, vector: Vector, audiences: Sequence[AudienceId], limit: int) -> list[Hit]:
        require_dimensions(vector, self._dimensions, self._embedder_id)
        if limit < 1 or not has_direction(vector):
            return []
        hits: list[Hit] = []
        for audience in dict.fromkeys(audiences):
            collection = self._collections.get(audience)
            if collection is not None:
                hits += self._nearest(collection, audience, vector, limit)
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]

    def vectors(self, chunk_ids: Sequence[ChunkId]) -> Vectors:
        found = np.zeros((len(chunk_ids), self._dimensions), dtype=np.float32)
        stored: dict[ChunkId, Vector] = {}
        for audience, ids in self._by_audience(chunk_ids).items():
            with self._translated():
                got = self._collections[audience].get(ids=[str(key) for key in ids], include=["embeddings"])
            stored.update(zip(map(int, got["ids"]), got["embeddings"], strict=True))
        for number, chunk_id in enumerate(chunk_ids):
            if chunk_id in stored:
                found[number] = stored[chunk_id]
        return found

    def sample(self, limit: int) -> Vectors:
        with self._lock:
            ids = sorted(self._audience_of)
        return self.vectors(ids[:: max(1, len(ids) // max(1, limit))][:limit])

    def close(self) -> None:
        self._client.close()

    def drop_others(self) -> None:
        """Delete what other embedding models left in the folder, once this one is complete."""
        for collection in self._client.list_collections():
            if not collection.name.startswith(self._prefix):
                self._client.delete_collection(collection.name)
        for path in self._folder.glob("state-*.json"):
            if path != self._state_path:
                path.unlink(missing_ok=True)

    # --- reading ---------------------------------------------------------------------------------

    def _nearest(
        self, collection: _Collection, audience: AudienceId, vector: Vector, limit: int
    ) -> Iterator[Hit]:
        """Chroma has been seen to return deleted ids; those that were removed here are left out."""
        with self._translated():
            found = collection.query(
                query_embeddings=vector.reshape(1, -1), n_results=limit, include=["distances"]
            )
        for key, distance in zip(found["ids"][0], found["distances"][0], strict=True):
            if self._audience_of.get(int(key)) == audience:
                yield Hit(int(key), round(1 - float(distance), 6))

    def _by_audience(self, chunk_ids: Iterable[ChunkId]) -> dict[AudienceId, list[ChunkId]]:
        grouped: dict[AudienceId, list[ChunkId]] = defaultdict(list)
        for chunk_id in dict.fromkeys(chunk_ids):
            audience = self._audience_of.get(chunk_id)
            if audience is not None:
                grouped[audience].append(chunk_id)
        return grouped

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._chromadb.errors.ChromaError as error:
            raise ProviderError(f"the vector index in {self._folder} failed: {error}") from error

    # --- writing ---------------------------------------------------------------------------------

    def _remove(self, chunk_ids: Iterable[ChunkId]) -> None:
        for audience, ids in self._by_audience(chunk_ids).items():
            for chunk_id in ids:
                del self._audience_of[chunk_id]
            for start in range(0, len(ids), _BATCH):
                batch = [str(chunk_id) for chunk_id in ids[start : start + _BATCH]]
                with self._translated():
                    self._collections[audience].delete(ids=batch)

    def _add(self, chunks: Iterable[EmbeddedChunk]) -> None:
        grouped: dict[AudienceId, list[EmbeddedChunk]] = defaultdict(list)
        for chunk in chunks:
            grouped[chunk.audience].append(chunk)
        for audience, members in grouped.items():
            for start in range(0, len(members), _BATCH):
                batch = members[start : start + _BATCH]
                with self._translated():
                    self._collection(audience).upsert(
                        ids=[str(chunk.chunk_id) for chunk in batch],
                        embeddings=np.stack([chunk.vector for chunk in batch]),
                    )
                self._audience_of.update((chunk.chunk_id, audience) for chunk in batch)

    def _collection(self, audience: AudienceId) -> _Collection:
        if audience not in self._collections:
            self._collections[audience] = self._client.get_or_create_collection(
                f"{self._prefix}{audience}", embedding_function=None, configuration=_CONFIGURATION
            )
        return self._collections[audience]

    def _save_state(self) -> None:
        state = {"embedder": self._embedder_id, "revision": self._revision, "chunks": len(self._audience_of)}
        fresh = self._state_path.with_suffix(f".{os.getpid()}.new")
        fresh.write_text(json.dumps(state), encoding="utf-8")
        fresh.replace(self._state_path)

    # --- opening ---------------------------------------------------------------------------------

    def _open(self) -> Any:
        """Open the newest store; a damaged one is left for a fresh one, since Chroma keeps hold of a path."""
        number = max((int(path.name.removeprefix("store-")) for path in self._stores()), default=1)
        client = None
        try:
            client = self._connect(number)
            self._load(client)
        except (self._chromadb.errors.ChromaError, ValueError, KeyError, TypeError, OSError) as error:
            refuse_full_disk(error, self._folder)
            logger.warning("the vector index in %s is damaged and starts empty: %s", self._folder, error)
            if client is not None:
                client.close()
            self._collections, self._audience_of, self._revision = {}, {}, 0
            for path in [*self._stores(), *self._folder.glob("state-*.json")]:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            with self._translated():
                client = self._connect(number + 1)
        return client

    def _stores(self) -> Iterator[Path]:
        return self._folder.glob("store-*")

    def _connect(self, number: int) -> Any:
        settings = import_extra("chromadb.config", "chroma").Settings(anonymized_telemetry=False)
        return self._chromadb.PersistentClient(str(self._folder / f"store-{number}"), settings=settings)

    def _load(self, client: Any) -> None:
        """Raises ValueError, its like or an error of Chroma's when the store is not what the state says."""
        names = [collection.name for collection in client.list_collections()]
        own = [name for name in names if name.startswith(self._prefix)]
        if not self._state_path.exists():
            for name in own:
                client.delete_collection(name)
            return
        state = json.loads(self._state_path.read_text("utf-8"))
        for name in own:
            collection = client.get_collection(name, embedding_function=None)
            ids = collection.get(include=[])["ids"]
            if ids:
                # Reading a vector fails when the graph's files are gone; searching would find less instead.
                collection.get(ids=list({ids[0], ids[-1]}), include=["embeddings"])
            audience = int(name.removeprefix(self._prefix))
            self._collections[audience] = collection
            self._audience_of.update((int(key), audience) for key in ids)
        if state["chunks"] and not self._audience_of:
            raise ValueError("its vectors are gone")
        self._revision = int(state["revision"])
