"""What it takes to look up statements that nothing shown supports, in everything."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from core.contribution.measure import Evidence, measure
from core.contribution.support import load_model
from core.domain import ANONYMOUS, Statement
from core.ports import Services, Vector
from core.usecases.evidence import line_vectors, list_lines, pair_vectors, term_stats
from core.usecases.lookup import look_up
from tests.bench.children import measured_by, print_measured
from tests.bench.corpora import Corpora, Store
from tests.bench.figures import Context, Figure, at_most, percentile
from tests.bench.parts.speed_reply import STORES
from tests.bench.pool import Pool, load_pool
from tests.bench.retrieval_sets import data_folder

CHUNKS = 100_000
STATEMENTS = 120
WARMING = 20
"""Statements that are looked up before anything is measured; none of them is looked up again."""
LOOKUP_MS = at_most(30)
TARGETS = {"one statement: median", "one statement: p95"}


def run(context: Context) -> list[Figure]:
    figures: list[Figure] = []
    for store in STORES:
        measured = measured_by(__name__, str(context.folder), str(CHUNKS), store)
        figures += [
            Figure(f"{CHUNKS} {store}: {name}", value, "ms", LOOKUP_MS if name in TARGETS else None)
            for name, value in measured.items()
        ]
    return figures


def main() -> None:
    folder, chunks, store = sys.argv[1:]
    corpora = Corpora(load_pool(data_folder()), Path(folder))
    chosen: Store = "chroma" if store == "chroma" else "sqlite"
    with corpora.open(int(chunks), chosen) as services:
        print_measured(asyncio.run(_measure(services, _said(corpora.pool))))


def _said(pool: Pool) -> list[str]:
    """Sentences of two passages run together, so that something resembles each and nothing says it."""
    chance = random.Random(7)
    said = []
    for _ in range(STATEMENTS):
        one, other = chance.sample(pool.passages, 2)
        first, second = chance.choice(one.sentences), chance.choice(other.sentences)
        said.append(f"{first[: len(first) // 2]} {second[len(second) // 2 :]}")
    return said


async def _measure(services: Services, said: Sequence[str]) -> dict[str, float]:
    audiences = services.knowledge.readable_audiences(ANONYMOUS)
    statements = [Statement(0, text, 0, len(text), (), judged=True) for text in said]
    vectors = await services.embedder.embed_passages(list(said))
    rows = list(zip(statements, vectors, strict=True))
    found: dict[str, list[float]] = {"one statement": [], "one statement, comparing included": []}
    for number, (statement, vector) in enumerate(rows):
        times = await _look_up(services, [statement], [vector], audiences)
        if number >= WARMING:
            for name, spent in zip(found, times, strict=True):
                found[name].append(spent)
    pairs = [rows[n : n + 2] for n in range(WARMING, len(rows) - 1, 2)]
    two = [await _look_up(services, [s for s, _ in pair], [v for _, v in pair], audiences) for pair in pairs]
    found["two statements at once"] = [spent for spent, _ in two]
    return {
        f"{name}: {label}": round(percentile(times, share), 1)
        for name, times in found.items()
        for label, share in (("median", 50), ("p95", 95))
    }


async def _look_up(
    services: Services, statements: Sequence[Statement], vectors: Sequence[Vector], audiences: Sequence[int]
) -> tuple[float, float]:
    """Milliseconds until the chunks are found, and until the statements are compared with their lines."""
    said = [
        Statement(n, one.text, one.start, one.end, one.cited, one.judged) for n, one in enumerate(statements)
    ]
    by_statement = dict(enumerate(vectors))
    started = time.perf_counter()
    found = await look_up(services, said, by_statement, audiences)
    searched = time.perf_counter()
    lines = list_lines(found)
    by_line = line_vectors(services, found)
    evidence = Evidence(
        lines=lines,
        stats=term_stats(services, said),
        vectors=pair_vectors(services.embedder.dimensions, by_statement, by_line, lines),
        exposed={},
    )
    measure(said, evidence, load_model())
    compared = time.perf_counter()
    return (searched - started) * 1000, (compared - started) * 1000


if __name__ == "__main__":
    main()
