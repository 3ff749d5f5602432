"""The right articles are found: every question set by keyword, by vector and by both."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.app import build, close
from core.config import load_settings
from core.ports import Services
from core.usecases.eval_retrieval import Mode, Question, evaluate_retrieval, index_corpus
from core.usecases.ingest import IngestRequest, ingest_path
from tests.bench.figures import Context, Figure, Target, at_least, at_most, need_data
from tests.bench.pool import RememberingEmbedder
from tests.bench.retrieval_sets import RetrievalSet, load_retrieval_sets

MODES: tuple[Mode, ...] = ("keyword", "vector", "hybrid")
MEASURES = ("recall@1", "recall@3", "recall@10", "mrr@10", "answerable_auc")
TARGETS: Mapping[tuple[str, str], Target] = {
    ("jsquad-ja", "recall@1"): at_least(0.90),
    ("jsquad-ja", "mrr@10"): at_least(0.935),
    ("banking77-en", "mrr@10"): at_least(0.86),
    ("clinc150-oos-en", "mrr@10"): at_least(0.89),
    ("clinc150-oos-en", "answerable_auc"): at_least(0.93),
    ("clapnq-en", "mrr@10"): at_least(0.965),
    ("clapnq-en", "answerable_auc"): at_least(0.75),
    **{
        (f"fastapi-{asked}-question-{pages}-pages", "recall@3"): at_least(0.90)
        for asked in ("ja", "en")
        for pages in ("ja", "en")
    },
}
"""Of `hybrid`, by set and measure."""
MOST_BELOW_A_LEG = 0.005

Measured = dict[str, float | int | str | None]


def run(context: Context) -> list[Figure]:
    figures: list[Figure] = []
    for chosen in load_retrieval_sets(need_data(context)):
        found = measure_set(chosen)
        for mode in MODES:
            for measure in MEASURES:
                target = TARGETS.get((chosen.name, measure)) if mode == "hybrid" else None
                value = found[mode][measure]
                if value is not None:
                    figures.append(Figure(f"{chosen.name} {mode} {measure}", value, "", target))
        best = max(float(found[mode]["mrr@10"] or 0) for mode in ("keyword", "vector"))
        below = round(best - float(found["hybrid"]["mrr@10"] or 0), 4)
        name = f"{chosen.name} hybrid below its better leg, mrr@10"
        figures.append(Figure(name, below, "", at_most(MOST_BELOW_A_LEG)))
    return figures


def measure_set(chosen: RetrievalSet, modes: Sequence[Mode] = MODES) -> dict[Mode, Measured]:
    """Figures by mode, with the default settings, on a store of its own."""
    return asyncio.run(_measure_set(chosen, modes))


async def _measure_set(chosen: RetrievalSet, modes: Sequence[Mode]) -> dict[Mode, Measured]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        plain = build(load_settings(environ={"KIYO_STORAGE__FOLDER": folder}))
        services = replace(plain, embedder=RememberingEmbedder(plain.embedder))
        try:
            questions = await _index(services, chosen)
            return {mode: await evaluate_retrieval(services, (), questions, mode) for mode in modes}
        finally:
            close(services)


async def _index(services: Services, chosen: RetrievalSet) -> tuple[Question, ...]:
    """Pages are read as files; the questions then name the articles that these became."""
    if chosen.folder is None:
        await index_corpus(services, chosen.corpus)
        return chosen.questions
    source = (await ingest_path(services, IngestRequest(chosen.folder))).source
    return tuple(
        replace(question, gold=frozenset(f"{source}/{path}" for path in question.gold))
        for question in chosen.questions
    )
