"""Ingest costs little more than the embedding it needs, and nearly nothing where nothing changed."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.app import build, close
from core.config import load_settings
from core.ports import Embedder, Services, Vector, Vectors
from core.usecases.ingest import IngestRequest, ingest_path
from tests.bench.figures import Context, Figure, at_most
from tests.bench.pool import SAMPLE

CPU_RATIO = at_most(1.3)
UNCHANGED_SECONDS = at_most(5)
FILES = 10_000


def run(context: Context) -> list[Figure]:
    folders = {"the sample": SAMPLE / "knowledge"}
    if context.data is not None:
        folders |= {
            f"documentation, {pages}": context.data / "docs-fastapi" / pages for pages in ("ja", "en")
        }
    figures: list[Figure] = []
    for name, folder in folders.items():
        figures += asyncio.run(_compare(name, folder))
    return [*figures, *asyncio.run(_repeat())]


class TimedEmbedder:
    """Another embedder with the processor time spent in it; nothing else works meanwhile."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.cpu_seconds = 0.0
        self.id = embedder.id
        self.dimensions = embedder.dimensions
        self.embeds_lines = embedder.embeds_lines

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        started = time.process_time()
        try:
            return await self._embedder.embed_passages(texts)
        finally:
            self.cpu_seconds += time.process_time() - started

    async def embed_query(self, text: str) -> Vector:
        return await self._embedder.embed_query(text)


@contextmanager
def _temporary_services() -> Iterator[Services]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        services = build(load_settings(environ={"KIYO_STORAGE__FOLDER": folder}))
        try:
            yield services
        finally:
            close(services)


async def _compare(name: str, folder: Path) -> list[Figure]:
    with _temporary_services() as services:
        await services.embedder.embed_query("the model is loaded with the first text")
        services.analyse("辞書も同じです")
        embedder = TimedEmbedder(services.embedder)
        started = time.process_time()
        await ingest_path(replace(services, embedder=embedder), IngestRequest(folder))
        spent = time.process_time() - started
        ratio = round(spent / embedder.cpu_seconds, 3)
        chunks = services.knowledge.counts().chunks
    return [
        Figure(f"{name}: CPU of ingest / CPU of its embedding calls", ratio, "", CPU_RATIO),
        Figure(f"{name}: CPU of ingest", round(spent, 2), "s"),
        Figure(f"{name}: chunks", chunks),
    ]


async def _repeat() -> list[Figure]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _temporary_services() as services:
        _write_files(Path(folder))
        figures = []
        for name, target in (("new", None), ("unchanged", UNCHANGED_SECONDS)):
            wall, cpu = time.perf_counter(), time.process_time()
            await ingest_path(services, IngestRequest(Path(folder)))
            seconds = round(time.perf_counter() - wall, 2)
            figures.append(Figure(f"ingest of {FILES} {name} files", seconds, "s", target))
            spent = round(time.process_time() - cpu, 2)
            figures.append(Figure(f"ingest of {FILES} {name} files, CPU", spent, "s"))
        return figures


def _write_files(folder: Path) -> None:
    for number in range(FILES):
        path = folder / f"{number % 100:02}" / f"{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Part {number}\n\nPart {number} weighs {number * 7} g.\n", encoding="utf-8")
