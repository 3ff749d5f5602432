from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from core.ports import IndexEntry
from core.storage.engine import open_database
from core.storage.knowledge import SqlKnowledgeStore
from tests.databases import copied_sqlite
from tests.samples import SOURCE, START, article_record

PATHS = st.sampled_from(["a.md", "b.md"])
READERS = st.sampled_from([["public"], ["hr"]])
TEXTS = st.lists(st.sampled_from(["One.", "Two.", "Three.", "Four."]), max_size=5)
Step = Callable[[SqlKnowledgeStore], object]


@dataclass
class Follower:
    """An index that does nothing but follow the deltas."""

    revision: int = 0
    entries: dict[int, IndexEntry] = field(default_factory=dict)

    def follow(self, store: SqlKnowledgeStore, limit: int) -> None:
        while True:
            delta = store.delta_since(self.revision, "toy", limit)
            for chunk in delta.removed:
                self.entries.pop(chunk, None)
            for entry in delta.entries:
                assert entry.chunk_id not in self.entries
                self.entries[entry.chunk_id] = entry
            if delta.revision == self.revision:
                return
            self.revision = delta.revision

    def seen(self) -> set[tuple[int, int, str]]:
        return {(entry.chunk_id, entry.audience, entry.text) for entry in self.entries.values()}


def _save(path: str, texts: list[str]) -> Step:
    return lambda store: store.save_article(article_record(path, texts))


def _known(store: SqlKnowledgeStore, path: str) -> bool:
    return path in store.file_states("docs")


def _remove(path: str) -> Step:
    return lambda store: _known(store, path) and store.remove_article(f"docs:{path}", START)


def _share(path: str, readers: list[str]) -> Step:
    return lambda store: _known(store, path) and store.set_readers(f"docs:{path}", readers)


STEPS = st.lists(
    st.one_of(st.builds(_save, PATHS, TEXTS), st.builds(_remove, PATHS), st.builds(_share, PATHS, READERS)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(steps=STEPS, pauses=st.sets(st.integers(0, 11)), limit=st.integers(1, 6))
def test_an_index_that_follows_in_any_pace_holds_what_a_new_one_holds(
    migrated_sqlite: Path, steps: list[Step], pauses: set[int], limit: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(copied_sqlite(migrated_sqlite, Path(folder) / "kiyo.db"))
        store = SqlKnowledgeStore(database)
        store.save_source(SOURCE)
        patient = Follower()
        for place, step in enumerate(steps):
            step(store)
            if place in pauses:
                patient.follow(store, limit)
        patient.follow(store, limit)
        new = Follower()
        new.follow(store, 1000)
        assert patient.seen() == new.seen()
        assert patient.revision == new.revision == store.counts().revision
        assert len(new.entries) == store.counts().chunks
        database.close()
