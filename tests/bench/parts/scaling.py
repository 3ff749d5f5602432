"""What retrieval costs over ten times as many chunks: less than ten times as much."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.domain import ANONYMOUS
from core.ports import Services
from core.usecases.retrieve import retrieve
from tests.bench.children import measured_by, print_measured
from tests.bench.corpora import Corpora, Store
from tests.bench.figures import Context, Figure, at_most, percentile
from tests.bench.parts.speed_reply import WARMING, UncachedQueries, time_each, time_keyword
from tests.bench.pool import load_pool
from tests.bench.retrieval_sets import data_folder

SIZES = (10_000, 100_000)
MILLION = 1_000_000
STORES: tuple[Store, ...] = ("chroma", "sqlite")


def run(context: Context) -> list[Figure]:
    figures: list[Figure] = []
    sizes = (*SIZES, MILLION) if context.full else SIZES
    for store in STORES:
        before: dict[str, float] = {}
        for place, chunks in enumerate(sizes):
            measured = measured_by(__name__, str(context.folder), str(chunks), store)
            for name, value in measured.items():
                figures.append(Figure(f"{store} {chunks}: {name}", value, "ms"))
                if before:
                    times = chunks // sizes[place - 1]
                    growth = round(value / before[name], 2)
                    label = f"{store} {name}: cost over {times} times the chunks, up to {chunks}"
                    figures.append(Figure(label, growth, "times", at_most(times)))
            before = measured
    return figures


def main() -> None:
    folder, chunks, store = sys.argv[1:]
    corpora = Corpora(load_pool(data_folder()), Path(folder))
    questions = list(corpora.pool.questions)
    random.Random(0).shuffle(questions)
    chosen: Store = "chroma" if store == "chroma" else "sqlite"
    with corpora.open(int(chunks), chosen) as services:
        print_measured(asyncio.run(_measure(services, questions)))


async def _measure(services: Services, questions: Sequence[str]) -> dict[str, float]:
    uncached = replace(services, embedder=UncachedQueries(services.embedder))

    async def found(question: str) -> object:
        return await retrieve(uncached, question, ANONYMOUS)

    await time_each(found, questions[:WARMING])
    times = await time_each(found, questions[WARMING:])
    return {
        "retrieval p50": round(percentile(times.wall, 50), 3),
        "retrieval p95": round(percentile(times.wall, 95), 3),
        "retrieval, CPU p50": round(percentile(times.cpu, 50), 3),
        "keyword p50": round(percentile(time_keyword(services, questions[WARMING:]), 50), 3),
    }


if __name__ == "__main__":
    main()
