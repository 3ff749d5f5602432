"""Kiyo's own search on a corpus of the benchmark, timed like that of the others."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.domain import ANONYMOUS
from core.ports import Services
from core.usecases.retrieve import retrieve
from tests.bench.children import print_measured
from tests.bench.corpora import Corpora
from tests.bench.parts.speed_reply import UncachedQueries, time_each
from tests.bench.peers.exchange import WARMING
from tests.bench.pool import load_pool
from tests.bench.retrieval_sets import data_folder


def main() -> None:
    folder, chunks, questions = sys.argv[1:]
    with Corpora(load_pool(data_folder()), Path(folder)).open(int(chunks), "chroma") as services:
        print_measured(asyncio.run(_measure(services, json.loads(questions))))


async def _measure(services: Services, questions: Sequence[str]) -> dict[str, list[float]]:
    uncached = replace(services, embedder=UncachedQueries(services.embedder))
    await time_each(lambda question: retrieve(uncached, question, ANONYMOUS), questions[:WARMING])
    times: dict[str, list[float]] = {}
    for name, chosen in (("with embedding", uncached), ("without embedding", services)):
        if chosen is services:
            for question in questions:
                await services.embedder.embed_query(question)
        found = await time_each(_searcher(chosen), questions)
        times[name], times[f"{name}, CPU"] = found.wall, found.cpu
    return times


def _searcher(services: Services) -> Callable[[str], Awaitable[object]]:
    return lambda question: retrieve(services, question, ANONYMOUS)


if __name__ == "__main__":
    main()
