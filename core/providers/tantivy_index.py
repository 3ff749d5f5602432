"""Keyword index: tantivy finds candidates among the readable chunks, the exact BM25 orders them.

What the terms of a text are is left to the analyser; what a score means to the later stages is left to
fusion. The index is derived: whatever is wrong with its folder, the folder is emptied and filled again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

import filelock
import tantivy

from core.domain import ChunkId, Hit
from core.errors import ProviderError, StoreError
from core.ports import AudienceId, IndexDelta, IndexEntry, TermMatch
from core.providers.bm25 import (
    NO_TERMS,
    PackedTerms,
    match_packed,
    pack_terms,
    score_packed,
    term_token,
    weigh_terms,
)
from core.providers.full_disk import refuse_full_disk
from core.providers.tantivy_files import check_sums
from core.text.terms import Analyser

logger = logging.getLogger(__name__)

_SCHEMA_VERSION = 3
"""Raise when fields or packing change, so that stored indexes are built again."""

_CANDIDATES = 1.5
"""Candidates a wanted hit. tantivy counts with k1 = 1.2 and rounded lengths; over 20k chunks of very mixed
lengths its first 150 held each of the exact first 100 (110 held 98 %)."""

_FEWEST_CANDIDATES = 150

_WRITER_BYTES = 50_000_000
_CACHED_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class _Totals:
    """What one commit says of itself. chunks: by audience. terms: of all chunks, repeats included."""

    revision: int = 0
    terms: int = 0
    chunks: Mapping[AudienceId, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return sum(self.chunks.values())

    @property
    def average(self) -> float:
        """Mean length of a chunk, in terms."""
        return self.terms / max(1, self.count)


@dataclass(slots=True)
class _Snapshot:
    """One commit as its readers see it; only what it remembers of itself changes.

    holds_deleted: whether tantivy's own figures still count deleted chunks, until it merges them away.
    bags: of chunks that were candidates before. frequencies: of terms asked for before.
    """

    searcher: tantivy.Searcher
    totals: _Totals
    holds_deleted: bool
    bags: dict[ChunkId, PackedTerms] = field(default_factory=dict)
    frequencies: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An entry that is ready to be written. length: terms with repeats."""

    audience: AudienceId
    length: int
    document: tantivy.Document


class _Counted(Protocol):
    """What the stubs of tantivy leave out of a search result."""

    count: int


class TantivyIndex:
    """A keyword index in a folder of its own.

    Several processes may open it: one writes at a time, and the others see its commit when they next ask
    for `revision`. Another analyser, a newer layout or a damaged folder start from revision 0.
    """

    def __init__(self, folder: Path, analyser: Analyser, lock_seconds: float = 60.0) -> None:
        """folder: created if absent; nothing else may live in it. lock_seconds: wait for another writer."""
        digest = hashlib.sha256(analyser.id.encode()).hexdigest()[:12]
        self._analyser = analyser
        self._folder = folder
        self._home = folder / f"{_SCHEMA_VERSION}-{digest}"
        self._writer_lock = filelock.FileLock(folder / "writer.lock", timeout=lock_seconds)
        self._schema = _build_schema()
        folder.mkdir(parents=True, exist_ok=True)
        self._index, self._snapshot = self._open()
        self._seen = self._stamp()

    @property
    def revision(self) -> int:
        if self._stamp() != self._seen:
            self._refresh({})
        return self._snapshot.totals.revision

    def count(self) -> int:
        return self._snapshot.totals.count

    def close(self) -> None:
        """Nothing is held between calls but memory maps, which go with the object."""

    def apply(self, delta: IndexDelta) -> None:
        """Raises StoreError when another process keeps writing for longer than `lock_seconds`, ProviderError
        when it cannot be written; then it is as it was before."""
        if delta.revision < self.revision:
            return
        prepared = {entry.chunk_id: self._prepare(entry) for entry in delta.entries}
        with self._writing():
            if delta.revision >= self.revision:
                self._commit(delta, prepared)

    def search(self, terms: Sequence[str], audiences: Sequence[AudienceId], limit: int) -> list[Hit]:
        snapshot = self._snapshot
        readable = snapshot.totals.chunks.keys() & set(audiences)
        known = {term: df for term in dict.fromkeys(terms) if (df := self._frequency(snapshot, term))}
        if not known or not readable or limit < 1:
            return []
        query = self._candidate_query(snapshot, known, readable)
        wanted = max(_FEWEST_CANDIDATES, int(limit * _CANDIDATES))
        found = snapshot.searcher.search(query, wanted, count=False)
        addresses = [address for _, address in found.hits]
        chunk_ids = _column(snapshot, "chunk", addresses)
        bags = _read_bags(snapshot, chunk_ids, addresses)
        packed = [bags[chunk_id] for chunk_id in chunk_ids]
        scores = score_packed(packed, snapshot.totals.average, weigh_terms(known, snapshot.totals.count))
        ranked = sorted(zip(scores.tolist(), chunk_ids, strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [Hit(chunk_id, score) for score, chunk_id in ranked[:limit]]

    def match(self, terms: Sequence[str], chunk_ids: Sequence[ChunkId]) -> TermMatch:
        snapshot = self._snapshot
        frequencies = {term: self._frequency(snapshot, term) for term in dict.fromkeys(terms)}
        bags = {chunk_id: snapshot.bags[chunk_id] for chunk_id in chunk_ids if chunk_id in snapshot.bags}
        missing = [chunk_id for chunk_id in chunk_ids if chunk_id not in bags]
        if missing:
            query = tantivy.Query.term_set_query(self._schema, "chunk", missing)
            found = snapshot.searcher.search(query, len(missing), count=False).hits
            addresses = [address for _, address in found]
            bags |= _read_bags(snapshot, _column(snapshot, "chunk", addresses), addresses)
        packed = [bags.get(chunk_id, NO_TERMS) for chunk_id in chunk_ids]
        return match_packed(packed, snapshot.totals.average, weigh_terms(frequencies, snapshot.totals.count))

    def document_frequencies(self, terms: Sequence[str]) -> tuple[int, list[int]]:
        snapshot = self._snapshot
        return snapshot.totals.count, [self._frequency(snapshot, term) for term in terms]

    # --- reading ---------------------------------------------------------------------------------

    def _frequency(self, snapshot: _Snapshot, term: str) -> int:
        """Count the live chunks that hold a term."""
        known = snapshot.frequencies.get(term)
        if known is None:
            token = term_token(term)
            known = snapshot.searcher.doc_freq("terms", token)
            if known and snapshot.holds_deleted:
                query = tantivy.Query.term_query(self._schema, "terms", token, "basic")
                known = cast(_Counted, snapshot.searcher.search(query, 1)).count
            snapshot.frequencies[term] = known
        return known

    def _candidate_query(
        self, snapshot: _Snapshot, terms: Iterable[str], readable: set[AudienceId]
    ) -> tantivy.Query:
        tokens = [term_token(term) for term in terms]
        term_queries = [tantivy.Query.term_query(self._schema, "terms", token, "freq") for token in tokens]
        shares_a_term = tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in term_queries])
        if len(readable) == len(snapshot.totals.chunks):
            return shares_a_term
        may_be_read = tantivy.Query.const_score_query(
            tantivy.Query.term_set_query(self._schema, "audience", sorted(readable)), 0.0
        )
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, shares_a_term), (tantivy.Occur.Must, may_be_read)]
        )

    def _stamp(self) -> tuple[int, int]:
        """Identify the commit on disk; (0, 0) when the folder is gone."""
        try:
            status = (self._home / "meta.json").stat()
        except FileNotFoundError:
            return 0, 0
        return status.st_ino, status.st_mtime_ns

    def _refresh(self, bags: dict[ChunkId, PackedTerms]) -> None:
        """Read the latest commit: 70 ms at 100k chunks, hence only when there is a new one."""
        stamp = self._stamp()
        try:
            self._snapshot = self._read(self._index, bags)
        except (ValueError, OSError):
            self._index, self._snapshot = self._open()
            stamp = self._stamp()
        self._seen = stamp

    def _read(self, index: tantivy.Index, bags: dict[ChunkId, PackedTerms]) -> _Snapshot:
        index.reload()
        searcher = index.searcher()
        found = searcher.search(self._of_kind("totals"), 1, count=False).hits
        if not found:
            return _Snapshot(searcher, _Totals(), holds_deleted=False)
        stored = json.loads(cast(bytes, searcher.doc(found[0][1]).get_first("totals")))
        chunks = {int(audience): count for audience, count in stored["chunks"].items()}
        totals = _Totals(stored["revision"], stored["terms"], chunks)
        return _Snapshot(searcher, totals, searcher.doc_freq("kind", "chunk") > totals.count, bags)

    def _of_kind(self, kind: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, "kind", kind, "basic")

    # --- opening ---------------------------------------------------------------------------------

    def _open(self) -> tuple[tantivy.Index, _Snapshot]:
        """Open what is there, else start empty; another process may do the same at the same time."""
        try:
            return self._open_stored()
        except (ValueError, OSError) as error:
            refuse_full_disk(error, self._home)
        with self._writing():
            try:
                return self._open_stored()
            except FileNotFoundError:
                pass
            except (ValueError, OSError) as error:
                refuse_full_disk(error, self._home)
                logger.warning("the keyword index in %s is damaged and starts empty: %s", self._home, error)
            for stale in self._folder.glob("*-*"):
                _throw_away(stale)
            self._home.mkdir()
            tantivy.Index(self._schema, path=str(self._home))
            return self._open_stored()

    def _open_stored(self) -> tuple[tantivy.Index, _Snapshot]:
        if not self._home.exists():
            raise FileNotFoundError(self._home)
        check_sums(self._home)
        index = tantivy.Index(self._schema, path=str(self._home))
        index.config_reader("manual")
        return index, self._read(index, {})

    # --- writing ---------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            with self._writer_lock:
                yield
        except filelock.Timeout as error:
            raise StoreError(
                f"another process keeps writing the keyword index in {self._folder}; "
                "wait until its ingest is done, or stop it"
            ) from error

    def _prepare(self, entry: IndexEntry) -> _Prepared:
        terms = self._analyser.analyse(entry.text)
        packed = pack_terms(terms)
        document = tantivy.Document()
        document.add_text("kind", "chunk")
        document.add_unsigned("chunk", entry.chunk_id)
        document.add_unsigned("audience", entry.audience)
        document.add_unsigned("length", packed.length)
        document.add_text("terms", " ".join(term_token(term) for term in terms))
        document.add_bytes("packed", packed.terms)
        document.add_bytes("pairs", packed.pairs)
        return _Prepared(entry.audience, len(terms), document)

    def _commit(self, delta: IndexDelta, prepared: Mapping[ChunkId, _Prepared]) -> None:
        gone = sorted({*delta.removed, *prepared})
        totals = self._totals_after(delta.revision, gone, prepared)
        documents = [entry.document for entry in prepared.values()]
        try:
            self._write(gone, [*documents, _totals_document(totals)])
        except ValueError as error:  # tantivy says so for a full disk as for everything else
            refuse_full_disk(error, self._home)
            raise ProviderError(f"the keyword index in {self._home} cannot be written: {error}") from error
        kept = self._snapshot.bags.copy()
        for chunk_id in gone:
            kept.pop(chunk_id, None)
        self._refresh(kept)

    def _write(self, gone: Sequence[ChunkId], documents: Sequence[tantivy.Document]) -> None:
        writer = self._index.writer(_WRITER_BYTES, 1)
        try:
            # By query: deleting by an unsigned term silently deletes nothing in tantivy 0.27.
            writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "chunk", gone))
            writer.delete_documents_by_query(self._of_kind("totals"))
            for document in documents:
                writer.add_document(document)
            writer.commit()
        finally:
            writer.wait_merging_threads()

    def _totals_after(
        self, revision: int, gone: Sequence[ChunkId], prepared: Mapping[ChunkId, _Prepared]
    ) -> _Totals:
        snapshot = self._snapshot
        query = tantivy.Query.term_set_query(self._schema, "chunk", gone)
        found = snapshot.searcher.search(query, max(1, len(gone)), count=False).hits
        addresses = [address for _, address in found]
        chunks = Counter(snapshot.totals.chunks)
        chunks.subtract(_column(snapshot, "audience", addresses))
        chunks.update(entry.audience for entry in prepared.values())
        terms = snapshot.totals.terms - sum(_column(snapshot, "length", addresses))
        terms += sum(entry.length for entry in prepared.values())
        return _Totals(revision, terms, {audience: count for audience, count in chunks.items() if count})


def _build_schema() -> tantivy.Schema:
    """A document is a chunk, or (one of them) the totals, so that both are committed at once."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("kind", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("chunk", indexed=True, fast=True)
    builder.add_unsigned_field("audience", indexed=True, fast=True)
    builder.add_unsigned_field("length", fast=True)
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    builder.add_bytes_field("packed", stored=True)
    builder.add_bytes_field("pairs", stored=True)
    builder.add_bytes_field("totals", stored=True)
    return builder.build()


def _throw_away(path: Path) -> None:
    """Remove a file or folder at once for others, even if some process still makes files in it."""
    trash = Path(tempfile.mkdtemp(prefix="gone-", dir=path.parent))
    path.rename(trash / "index")
    shutil.rmtree(trash, ignore_errors=True)


def _totals_document(totals: _Totals) -> tantivy.Document:
    stored = {"revision": totals.revision, "terms": totals.terms, "chunks": dict(totals.chunks)}
    document = tantivy.Document()
    document.add_text("kind", "totals")
    document.add_bytes("totals", json.dumps(stored).encode())
    return document


def _column(snapshot: _Snapshot, name: str, addresses: list[tantivy.DocAddress]) -> list[int]:
    return cast(list[int], snapshot.searcher.fast_field_values(name, addresses))


def _read_bags(
    snapshot: _Snapshot, chunk_ids: Sequence[ChunkId], addresses: Sequence[tantivy.DocAddress]
) -> dict[ChunkId, PackedTerms]:
    """Get packed terms of chunks; the stored ones cost 10 us each, so the last ones are kept in memory."""
    kept = snapshot.bags
    bags: dict[ChunkId, PackedTerms] = {}
    lengths = _column(snapshot, "length", list(addresses))
    for chunk_id, address, length in zip(chunk_ids, addresses, lengths, strict=True):
        bag = kept.get(chunk_id)
        if bag is None:
            stored = snapshot.searcher.doc(address)
            packed, pairs = (cast(bytes, stored.get_first(name)) for name in ("packed", "pairs"))
            bag = PackedTerms(packed, pairs, length)
            kept[chunk_id] = bag
        bags[chunk_id] = bag
    mean_bytes = sum(len(bag.terms) + len(bag.pairs) for bag in bags.values()) / max(1, len(bags)) + 250
    if len(kept) * mean_bytes > _CACHED_BYTES:
        for chunk_id in list(kept)[: len(kept) // 2]:
            kept.pop(chunk_id, None)
    return bags
