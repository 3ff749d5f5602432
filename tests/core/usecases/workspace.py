"""A folder of documents and a store of its own, with real indexes, for tests of whole use cases."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.config import Settings
from core.domain import ANONYMOUS, Answer, IngestStatus, Principal
from core.ports import Answerer, Embedder, Services, VectorIndex
from core.providers.chroma_index import ChromaIndex
from core.providers.exact_scan import ExactScan
from core.providers.tantivy_index import TantivyIndex
from core.rag.answering import ExtractiveAnswerer
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database, open_database
from core.storage.jobs import SqlJobStore
from core.storage.knowledge import SqlKnowledgeStore
from core.text.terms import make_analyser
from core.usecases.ingest import IngestReport, IngestRequest, ingest_path
from core.usecases.reply import AskRequest, answer_question
from core.usecases.retrieve import Retrieved, retrieve
from tests.fake_models import FakeEmbedder

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MANAGER = Principal("mia", frozenset({"public", "managers"}))


@dataclass
class Workspace:
    """base: everything is below it. docs: the folder that is read unless another one is named.

    now: what the clock says. embedder, answerer: used by the next `open`.
    """

    base: Path
    migrated: Path
    now: datetime = NOW
    embedder: Embedder = field(default_factory=lambda: FakeEmbedder(embeds_lines=True))
    answerer: Answerer | None = None
    _opened: list[tuple[Services, Database]] = field(default_factory=list)

    @property
    def docs(self) -> Path:
        return self.base / "docs"

    @property
    def store(self) -> Path:
        return self.base / "store"

    @property
    def services(self) -> Services:
        """Those opened last."""
        return self._opened[-1][0] if self._opened else self.open()

    def open(self, settings: Mapping[str, Any] | None = None, *, chroma: bool = False) -> Services:
        """Services on the same database and index folders as before, as a new process would have them."""
        self.close()
        self.store.mkdir(exist_ok=True)
        path = self.store / "kiyo.db"
        if not path.exists():
            shutil.copyfile(self.migrated, path)
        chosen = Settings.model_validate(
            {"rag": {"analyser": "dictionary_free", "relevance_threshold": 0.0}, **(settings or {})}
        )
        analyser = make_analyser(chosen.rag.analyser)
        database = open_database(f"sqlite:///{path}")
        keyword = TantivyIndex(self.store / f"keyword-{chosen.rag.analyser}", analyser)
        services = Services(
            settings=chosen,
            knowledge=SqlKnowledgeStore(database),
            answers=SqlAnswerStore(database),
            jobs=SqlJobStore(database),
            embedder=self.embedder,
            keyword=keyword,
            vector=self._open_vectors(chroma),
            answerer=self.answerer
            or ExtractiveAnswerer(analyser.analyse, keyword.document_frequencies, self.embedder),
            analyse=analyser.analyse,
            now=lambda: self.now,
        )
        self._opened.append((services, database))
        return services

    def close(self) -> None:
        for services, database in self._opened:
            services.keyword.close()
            services.vector.close()
            database.close()
        self._opened.clear()

    def _open_vectors(self, chroma: bool) -> VectorIndex:
        name = self.embedder.id.replace("/", "-")
        if chroma:
            return ChromaIndex(self.store / f"chroma-{name}", self.embedder.id, self.embedder.dimensions)
        return ExactScan(self.embedder.id, self.embedder.dimensions, self.store / f"exact-{name}")

    # --- what a person does ----------------------------------------------------------------------

    def write(self, files: Mapping[str, str | bytes], folder: Path | None = None) -> None:
        """Files by path below a folder, `docs` unless told otherwise."""
        for name, content in files.items():
            path = (folder or self.docs) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)

    async def ingest(self, path: Path | None = None, **request: Any) -> IngestReport:
        return await ingest_path(self.services, IngestRequest(path or self.docs, **request))

    async def ask(self, question: str, principal: Principal = ANONYMOUS) -> Answer:
        return await answer_question(self.services, AskRequest(question, principal))

    async def find(self, question: str, principal: Principal = ANONYMOUS) -> Retrieved:
        return await retrieve(self.services, question, principal)

    async def ids_by_words(self, question: str, principal: Principal = ANONYMOUS) -> list[str]:
        """Ids of the articles that share a word with the question, best first, without repeats."""
        found = (await self.find(question, principal)).rankings["keyword"]
        knowledge = self.services.knowledge
        stored = knowledge.load_chunks(
            [hit.chunk_id for hit in found], knowledge.readable_audiences(principal)
        )
        return list(dict.fromkeys(stored[hit.chunk_id].article.id for hit in found))

    async def find_all(self, question: str, principal: Principal = ANONYMOUS) -> list[str]:
        """Ids of all articles that were retrieved, by words or meaning, best first, without repeats."""
        return list(dict.fromkeys(c.article.id for c in (await self.find(question, principal)).candidates))

    def live_ids(self) -> list[str]:
        """Ids of the articles that a search may find."""
        knowledge = self.services.knowledge
        states = (s for source in knowledge.sources() for s in knowledge.file_states(source.name).values())
        return sorted(state.article_id for state in states if not state.removed)

    def readers(self, article_id: str) -> set[str]:
        article = self.services.knowledge.get_article(article_id)
        assert article is not None
        return set(article.readers)

    def readable_texts(self, principal: Principal) -> list[str]:
        """Every chunk that the person could be shown."""
        knowledge = self.services.knowledge
        entries = knowledge.delta_since(0, self.embedder.id, 10_000).entries
        audiences = knowledge.readable_audiences(principal)
        stored = knowledge.load_chunks([entry.chunk_id for entry in entries], audiences)
        return [chunk.chunk.text for chunk in stored.values()]


def statuses(report: IngestReport) -> dict[str, IngestStatus]:
    """What became of every path."""
    return {outcome.path: outcome.status for outcome in report.outcomes}


def reasons(report: IngestReport) -> dict[str, str]:
    """Why paths were left out."""
    return {outcome.path: outcome.reason for outcome in report.outcomes if outcome.status == "skipped"}
