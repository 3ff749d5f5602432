"""Knowledge bases of any size, drawn from a pool of real sentences, always the same for a size.

An article is about one passage of the pool: most sentences of its sections are drawn from that passage,
the rest from anywhere, so that articles resemble each other as pages of one company do, and line vectors
are those of real sentences. Reading files is left out; cutting, embedding, writing and indexing are the
product's own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from bots.memory import settled, share_arenas
from core.app import build, close
from core.config import Settings, load_settings
from core.domain import ANONYMOUS, Article, Line, LineKind, ParsedFile, Section
from core.ports import FileState, Progress, Services, SourceRecord, no_progress
from core.storage.migrating import upgrade
from core.usecases.ingest import make_record
from core.usecases.refresh import refresh_indexes
from tests.bench.pool import Passage, Pool, RememberingEmbedder, embed_pool

Store = Literal["chroma", "sqlite"]

SECTIONS = 10
"""A chunk each: a section of this length is below the default size."""
_OWN_SHARE = 0.6
_SOURCE = "bench"
_WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
_HEADINGS = {
    "ja": ("概要", "準備", "手順", "設定", "注意", "例外", "履歴", "問い合わせ", "費用", "期限"),
    "en": (
        "Overview",
        "Setup",
        "Steps",
        "Settings",
        "Caution",
        "Limits",
        "History",
        "Contact",
        "Cost",
        "Dates",
    ),
}


@dataclass(frozen=True, slots=True)
class Corpora:
    """Makes stores below `folder` and keeps them there for the next run."""

    pool: Pool
    folder: Path

    @contextmanager
    def open(self, chunks: int, store: Store, progress: Progress = no_progress) -> Iterator[Services]:
        """The product's services on a knowledge base of so many chunks, indexed by both detectors."""
        with open_store(self.prepare(chunks, progress), store, progress) as services:
            yield services

    def prepare(self, chunks: int, progress: Progress) -> Path:
        folder = self.folder / f"store-{chunks}-{self.pool.key}"
        done = folder / "complete.json"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            embedder = embed_pool(self.pool, self.folder)
            asyncio.run(_fill(folder, self.pool, embedder, chunks, progress))
            done.write_text(json.dumps({"chunks": chunks}), encoding="utf-8")
        return folder


@contextmanager
def open_store(folder: Path, store: Store, progress: Progress = no_progress) -> Iterator[Services]:
    """The same for a store that was made before."""
    share_arenas()
    settings = _settings(folder, store)
    upgrade(settings.database_url)
    services = build(settings)
    try:
        asyncio.run(refresh_indexes(services, progress))
        with settled():
            yield services
    finally:
        close(services)


def _settings(folder: Path, store: Store) -> Settings:
    return load_settings(
        environ={"KIYO_STORAGE__FOLDER": str(folder), "KIYO_MEMORY__EMBEDDINGS__VECTOR_STORE": store}
    )


async def _fill(
    folder: Path, pool: Pool, embedder: RememberingEmbedder, chunks: int, progress: Progress
) -> None:
    services = replace(build(_settings(folder, "sqlite")), embedder=embedder)
    try:
        services.knowledge.save_source(SourceRecord(_SOURCE, _SOURCE, "document", ANONYMOUS.groups))
        for number, parsed in enumerate(draw_articles(pool, chunks)):
            digest = hashlib.sha256(parsed.text.encode()).hexdigest()
            state = FileState(f"{_SOURCE}/{number}", f"{number}.md", digest, 0, 0, "file", "", False)
            article = Article(
                id=state.article_id,
                source=_SOURCE,
                path=state.path,
                uri=state.path,
                title=parsed.title,
                kind="document",
                language=parsed.language,
                version=digest[:16],
                readers=ANONYMOUS.groups,
                updated_at=_WRITTEN,
            )
            services.knowledge.save_article(await make_record(services, article, parsed, state))
            progress(number, chunks // SECTIONS, "articles")
    finally:
        close(services)


def draw_articles(pool: Pool, chunks: int) -> Iterator[ParsedFile]:
    """Articles of SECTIONS sections; together they have `chunks` of them."""
    chance = random.Random(chunks)
    for number in range(chunks // SECTIONS):
        passage = pool.passages[number % len(pool.passages)]
        yield _draw_article(pool, passage, chance)


def _draw_article(pool: Pool, passage: Passage, chance: random.Random) -> ParsedFile:
    headings = _HEADINGS["ja" if passage.language == "ja" else "en"]
    sections = [Section(0, 0, passage.title, None, passage.title)]
    lines: list[Line] = []
    text = ""
    for ordinal, heading in enumerate(headings, start=1):
        breadcrumb = f"{passage.title} > {heading}"
        sections.append(Section(ordinal, 1, heading, 0, breadcrumb, f"#{ordinal}"))
        said: list[tuple[LineKind, str]] = [("heading", heading)]
        said += [("sentence", sentence) for sentence in _draw(pool, passage, chance)]
        for kind, words in said:
            row, end = len(lines) + 1, len(text) + len(words)
            lines.append(Line(len(lines), ordinal, kind, words, len(text), end, None, row, row))
            text += f"{words}\n"
    return ParsedFile(passage.title, passage.language, text, tuple(sections), tuple(lines))


def _draw(pool: Pool, passage: Passage, chance: random.Random) -> Iterator[str]:
    """Sentences of one section, without repeats, for about 400 characters of Japanese or 900 of English."""
    room = 400 if passage.language == "ja" else 900
    seen: set[str] = set()
    while room > 0:
        source = passage if chance.random() < _OWN_SHARE else chance.choice(pool.passages)
        sentence = chance.choice(source.sentences)
        if sentence in seen:
            room -= 20
            continue
        seen.add(sentence)
        room -= len(sentence)
        yield sentence
