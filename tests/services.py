"""Services for tests of use cases: real stores on a SQLite file, fake models and indexes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from core.config import Settings
from core.domain import Draft
from core.ports import AnswerRequest, Services
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.jobs import SqlJobStore
from core.storage.knowledge import SqlKnowledgeStore
from core.text.terms import make_analyser
from tests.fake_models import FakeEmbedder, FakeKeywordIndex, FakeVectorIndex

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class FakeAnswerer:
    """Quotes the first sentence of every source that shares a word with the question, with its mark."""

    name = "fake"

    def __init__(self, analyse: Callable[[str], list[str]]) -> None:
        self._analyse = analyse
        self.requests: list[AnswerRequest] = []

    async def answer(self, request: AnswerRequest, on_text: Callable[[str], None] | None = None) -> Draft:
        self.requests.append(request)
        wanted = set(self._analyse(request.question))
        quotes = []
        for source in request.sources:
            lines = [line.text for line in source.lines if line.kind != "heading"]
            best = next((text for text in lines if wanted & set(self._analyse(text))), None)
            if best is not None:
                quotes.append(f"{best} [{source.number}]")
        return Draft(" ".join(quotes) or "Nothing was found.", bool(quotes), self.name)


def fake_services(database: Database, folder: Path, settings: Settings | None = None) -> Services:
    """Every search finds what shares a word; nothing is cut by relevance unless the settings say so."""
    chosen = settings or Settings.model_validate(
        {"storage": {"folder": str(folder)}, "rag": {"relevance_threshold": 0.0}}
    )
    analyser = make_analyser("dictionary_free")
    embedder = FakeEmbedder()
    return Services(
        settings=chosen,
        knowledge=SqlKnowledgeStore(database),
        answers=SqlAnswerStore(database),
        jobs=SqlJobStore(database),
        embedder=embedder,
        keyword=FakeKeywordIndex(analyser),
        vector=FakeVectorIndex(embedder.dimensions),
        answerer=FakeAnswerer(analyser.analyse),
        analyse=analyser.analyse,
        now=lambda: NOW,
    )


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Files by relative path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
