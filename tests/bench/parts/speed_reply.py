"""From a question to its recorded answer with contributions, without a language model, stage by stage."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

from core.contribution import features, polarity, reading
from core.domain import ANONYMOUS, Answer
from core.ports import Embedder, Services, Vector, Vectors
from core.text import morphology, quantities, terms
from core.usecases.reply import AskRequest, answer_question
from core.usecases.retrieve import retrieve
from tests.bench.children import measured_by, print_measured
from tests.bench.corpora import Corpora, Store
from tests.bench.figures import Context, Figure, Target, at_most, percentile
from tests.bench.pool import load_pool
from tests.bench.retrieval_sets import data_folder

STORES: tuple[Store, ...] = ("chroma", "sqlite")
REPLY_P95 = {1_000: at_most(20), 100_000: at_most(60)}
KEYWORD_P50 = at_most(3)
RETRIEVAL_P95 = {100_000: at_most(40)}
_HITS = 100
WARMING = 30
"""Questions before anything is measured; none of them is asked again."""


def run(context: Context) -> list[Figure]:
    figures: list[Figure] = []
    for chunks in REPLY_P95:
        for store in STORES:
            measured = measured_by(__name__, str(context.folder), str(chunks), store)
            targets = _targets(chunks)
            figures += [
                Figure(f"{chunks} {store}: {name}", value, "ms", targets.get(name))
                for name, value in measured.items()
            ]
    return figures


def _targets(chunks: int) -> dict[str, Target]:
    targets = {"reply p95": REPLY_P95[chunks], "keyword p50": KEYWORD_P50}
    if chunks in RETRIEVAL_P95:
        targets["retrieval p95"] = RETRIEVAL_P95[chunks]
    return targets


def main() -> None:
    folder, chunks, store = sys.argv[1:]
    corpora = Corpora(load_pool(data_folder()), Path(folder))
    questions = list(corpora.pool.questions)
    random.Random(0).shuffle(questions)
    chosen: Store = "chroma" if store == "chroma" else "sqlite"
    with corpora.open(int(chunks), chosen) as services:
        print_measured(asyncio.run(_measure(services, questions)))


class UncachedQueries:
    """The embedder, asked anew for a question that it has met before."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.id = embedder.id
        self.dimensions = embedder.dimensions
        self.embeds_lines = embedder.embeds_lines

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embedder.embed_passages(texts)

    async def embed_query(self, text: str) -> Vector:
        vector: Vector = (await self.embed_passages([text]))[0]
        return vector


@dataclass(slots=True)
class Times:
    """Milliseconds of each question; stages: by name, as the product records them."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


async def _measure(services: Services, questions: Sequence[str]) -> dict[str, float]:
    uncached = replace(services, embedder=UncachedQueries(services.embedder))

    async def reply(question: str) -> Answer:
        return await answer_question(uncached, AskRequest(question))

    async def known_reply(question: str) -> Answer:
        return await answer_question(services, AskRequest(question))

    warming, asked = questions[:WARMING], questions[WARMING:]
    first = await time_each(reply, warming)
    fresh = await time_each(reply, asked)
    found = await time_each(lambda question: retrieve(uncached, question, ANONYMOUS), asked)
    await time_each(known_reply, asked)
    known = await time_each(known_reply, asked)
    unread = await time_each(reply, asked, before=forget_texts)
    series = {
        "reply": fresh.wall,
        "reply, CPU": fresh.cpu,
        "retrieval": found.wall,
        "retrieval, CPU": found.cpu,
        "keyword": time_keyword(services, asked),
        "reply, question asked before": known.wall,
        "reply, no line read before": unread.wall,
        "reply, no line read before, CPU": unread.cpu,
        **{f"stage {stage}": times for stage, times in fresh.stages.items()},
    }
    figures = {
        f"{name} p{q}": round(percentile(times, q), 3) for name, times in series.items() for q in (50, 95)
    }
    return {**figures, "first question after the start": round(first.wall[0], 1)}


async def time_each(
    ask: Callable[[str], Awaitable[object]],
    questions: Sequence[str],
    before: Callable[[], None] = lambda: None,
) -> Times:
    """before: is called before each question, outside of its time."""
    times = Times()
    for question in questions:
        before()
        wall, cpu = time.perf_counter(), time.process_time()
        answer = await ask(question)
        times.wall.append((time.perf_counter() - wall) * 1000)
        times.cpu.append((time.process_time() - cpu) * 1000)
        for stage, spent in answer.timings_ms.items() if isinstance(answer, Answer) else ():
            times.stages[stage].append(spent)
    return times


def time_keyword(services: Services, questions: Sequence[str]) -> list[float]:
    """Milliseconds from each question to its hits by words."""
    audiences = services.knowledge.readable_audiences(ANONYMOUS)
    times = []
    for question in questions:
        started = time.perf_counter()
        services.keyword.search(list(dict.fromkeys(services.analyse(question))), audiences, _HITS)
        times.append((time.perf_counter() - started) * 1000)
    return times


def forget_texts() -> None:
    """Make the product read every line as if for the first time, as in a knowledge base without repeats."""
    modules: tuple[ModuleType, ...] = (features, polarity, reading, morphology, quantities, terms)
    for module in modules:
        for value in vars(module).values():
            clear = getattr(value, "cache_clear", None)
            if clear is not None and value.cache_parameters()["maxsize"] is not None:
                clear()


if __name__ == "__main__":
    main()
