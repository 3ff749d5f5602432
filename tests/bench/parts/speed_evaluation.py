"""Measuring an answer of 6 statements over 5 chunks of 15 lines whose vectors are at hand."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from core.contribution.features import TermStats, count_terms
from core.contribution.measure import Evidence, measure
from core.contribution.passages import passage_lines
from core.contribution.repeats import PairMemory
from core.contribution.statements import split_statements
from core.contribution.support import PairVectors, load_model
from core.domain import LineRef
from core.memory import Memory
from core.ports import Embedder, Vectors
from core.providers.local_embeddings import LocalEmbedder
from tests.bench.figures import Context, Figure, at_most, percentile
from tests.bench.parts.speed_reply import forget_texts
from tests.bench.pool import SAMPLE

STATEMENTS = 6
CHUNKS = 5
LINES = 15
ANSWERS = 60
MEDIAN_MS = at_most(30)
P95_MS = at_most(60)


@dataclass(frozen=True, slots=True)
class _Case:
    """An answer and what was shown."""

    text: str
    lines: tuple[LineRef, ...]
    vectors: Vectors


def run(context: Context) -> list[Figure]:
    assert context.folder.exists()
    return asyncio.run(_run())


async def _run() -> list[Figure]:
    embedder = LocalEmbedder()
    texts = _lines()
    stats = count_terms(texts)
    chance = random.Random(5)
    cases = [await _draw(chance, texts, embedder) for _ in range(ANSWERS)]
    await _time(cases[:5], stats, embedder, forget=False)
    fresh = await _time(cases, stats, embedder, forget=True)
    known = await _time(cases, stats, embedder, forget=False)
    memory: PairMemory = Memory(10_000)
    await _time(cases, stats, embedder, forget=False, memory=memory)
    compared = memory.made
    again = await _time(cases, stats, embedder, forget=False, memory=memory)
    name = f"{STATEMENTS} statements, {CHUNKS} chunks of {LINES} lines"
    return [
        Figure(f"{name}: median", round(percentile(known, 50), 1), "ms", MEDIAN_MS),
        Figure(f"{name}: p95", round(percentile(known, 95), 1), "ms", P95_MS),
        Figure(f"{name}, no line read before: median", round(percentile(fresh, 50), 1), "ms"),
        Figure(f"{name}, no line read before: p95", round(percentile(fresh, 95), 1), "ms"),
        Figure(f"{name}, answered before: median", round(percentile(again, 50), 1), "ms"),
        Figure("pairs compared for these answers", compared),
        Figure("pairs compared when they come again", memory.made - compared, "", at_most(0)),
    ]


def _lines() -> list[str]:
    """Sentences of the sample knowledge base, in both languages."""
    found = []
    for path in sorted((SAMPLE / "knowledge").rglob("*.md")):
        found += [ref.line.text for ref in passage_lines(path.read_text(encoding="utf-8"))]
    return [text for text in dict.fromkeys(found) if len(text) > 20]


async def _draw(chance: random.Random, texts: Sequence[str], embedder: Embedder) -> _Case:
    shown: list[LineRef] = []
    for chunk in range(CHUNKS):
        start = chance.randrange(len(texts) - LINES)
        shown += passage_lines("\n".join(texts[start : start + LINES]), f"article-{chunk}")[:LINES]
    said = [f"{chance.choice(shown).line.text} [{chance.randint(1, CHUNKS)}]" for _ in range(STATEMENTS)]
    vectors = await embedder.embed_passages([ref.line.text for ref in shown])
    return _Case("\n\n".join(said), tuple(shown), vectors)


async def _time(
    cases: Sequence[_Case],
    stats: TermStats,
    embedder: Embedder,
    *,
    forget: bool,
    memory: PairMemory | None = None,
) -> list[float]:
    """Milliseconds from the text of each answer to its contributions, the vectors of statements included.

    Without a memory every pair is compared.
    """
    model, times = load_model(), []
    for case in cases:
        if forget:
            forget_texts()
        started = time.perf_counter()
        statements = split_statements(case.text)
        vectors = await embedder.embed_passages([statement.text for statement in statements])
        evidence = Evidence(
            lines=case.lines,
            cited={n + 1: [f"article-{n}"] for n in range(CHUNKS)},
            stats=stats,
            vectors=PairVectors(vectors, case.vectors),
            memory=memory,
            encoder=embedder.id,
        )
        measure(statements, evidence, model)
        times.append((time.perf_counter() - started) * 1000)
    return times
