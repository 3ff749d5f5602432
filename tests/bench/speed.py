"""Time and memory of the main path at 1,000 and at 100,000 chunks, and what ingest costs beyond embedding.

Stores are kept below KIYO_BENCH_FOLDER (default: a folder in the system's temporary folder) between runs.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.app import build, close
from core.config import load_settings
from core.domain import ANONYMOUS
from core.ports import Services, Vector, Vectors
from core.usecases.ingest import IngestRequest, ingest_path
from core.usecases.reply import AskRequest, answer_question
from core.usecases.retrieve import retrieve
from tests.bench.corpora import Corpora, Store
from tests.bench.figures import Figure
from tests.bench.pool import load_pool
from tests.bench.retrieval_sets import data_folder

STORES: tuple[Store, ...] = ("chroma", "sqlite")
ASKED = 200
MEMORY_MB = 700


def reply_1k() -> list[Figure]:
    return [figure for store in STORES for figure in _in_process(1_000, store)]


def reply_100k() -> list[Figure]:
    return [figure for store in STORES for figure in _in_process(100_000, store)]


def ingest() -> list[Figure]:
    """CPU seconds of an ingest of the sample against those of the embedding calls in it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environ = {"KIYO_STORAGE__FOLDER": folder, "KIYO_MEMORY__EMBEDDINGS__VECTOR_STORE": "sqlite"}
        services = build(load_settings(environ=environ))
        try:
            asyncio.run(services.embedder.embed_query("warm"))
            embedded = _Embedded(services)
            started = time.process_time()
            asyncio.run(ingest_path(embedded.services, IngestRequest(Path("core/sample/knowledge"))))
            spent = time.process_time() - started
        finally:
            close(services)
    return [
        Figure("ingest of the sample, CPU seconds", spent),
        Figure("ingest CPU over embedding CPU", spent / embedded.seconds, 1.3, "at most"),
    ]


class _Embedded:
    """Services whose embedder is timed; it alone runs while it runs, so process time is its own."""

    def __init__(self, services: Services) -> None:
        from dataclasses import replace

        self._embedder = services.embedder
        self.seconds = 0.0
        self.id = services.embedder.id
        self.dimensions = services.embedder.dimensions
        self.embeds_lines = services.embedder.embeds_lines
        self.services = replace(services, embedder=self)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        started = time.process_time()
        try:
            return await self._embedder.embed_passages(texts)
        finally:
            self.seconds += time.process_time() - started

    async def embed_query(self, text: str) -> Vector:
        return await self._embedder.embed_query(text)


def _in_process(chunks: int, store: Store) -> list[Figure]:
    """Measured in a process of its own, so that its memory is that of serving alone."""
    command = [sys.executable, "-m", "tests.bench.speed", str(chunks), store]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    values = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return [_read(row) for row in values]


def _read(row: Sequence[str]) -> Figure:
    name, value, target = row
    return Figure(name, float(value), float(target) if target else None, "at most")


def _measure(chunks: int, store: Store) -> list[tuple[str, float, float | None]]:
    pool = load_pool(data_folder())
    folder = Path(os.environ.get("KIYO_BENCH_FOLDER", Path(tempfile.gettempdir()) / "kiyo-bench"))
    folder.mkdir(parents=True, exist_ok=True)
    questions = pool.questions[:ASKED]
    with Corpora(pool, folder).open(chunks, store) as services:
        for question in questions[:20]:
            asyncio.run(answer_question(services, AskRequest(question)))
        replies = asyncio.run(_time_replies(services, questions))
        retrievals = asyncio.run(_time_retrievals(services, questions))
        keywords = _time_keywords(services, questions)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    at = f"{store} {chunks:,} chunks"
    large = chunks >= 100_000
    return [
        (f"{at}: question to recorded answer p50 ms", _percentile(replies, 50), None),
        (f"{at}: question to recorded answer p95 ms", _percentile(replies, 95), 60.0 if large else 20.0),
        (f"{at}: retrieval p95 ms", _percentile(retrievals, 95), 40.0 if large else None),
        (f"{at}: keyword p50 ms", _percentile(keywords, 50), 3.0),
        (f"{at}: peak resident MB", memory, MEMORY_MB if large else None),
    ]


async def _time_replies(services: Services, questions: Sequence[str]) -> list[float]:
    times = []
    for question in questions:
        started = time.perf_counter()
        await answer_question(services, AskRequest(f"{question} "))
        times.append(time.perf_counter() - started)
    return times


async def _time_retrievals(services: Services, questions: Sequence[str]) -> list[float]:
    times = []
    for question in questions:
        started = time.perf_counter()
        await retrieve(services, f" {question}", ANONYMOUS)
        times.append(time.perf_counter() - started)
    return times


def _time_keywords(services: Services, questions: Sequence[str]) -> list[float]:
    audiences = services.knowledge.readable_audiences(ANONYMOUS)
    times = []
    for question in questions:
        terms = services.analyse(question)
        started = time.perf_counter()
        services.keyword.search(terms, audiences, 100)
        times.append(time.perf_counter() - started)
    return times


def _percentile(seconds: Sequence[float], share: float) -> float:
    return float(np.percentile(seconds, share)) * 1000


def main() -> None:
    for name, value, target in _measure(int(sys.argv[1]), "chroma" if sys.argv[2] == "chroma" else "sqlite"):
        print(f"{name}\t{value}\t{'' if target is None else target}")


if __name__ == "__main__":
    main()
