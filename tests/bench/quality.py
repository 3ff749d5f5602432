"""Quality on the development data: retrieval, support, attribution, by the product's own use cases."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.app import build, close, make_embedder
from core.config import load_settings
from core.usecases.eval_attribution import evaluate_attribution
from core.usecases.eval_retrieval import Mode, evaluate_retrieval
from core.usecases.eval_support import evaluate_support
from core.usecases.ingest import IngestRequest, ingest_path
from tests.bench.figures import Figure
from tests.bench.retrieval_sets import RetrievalSet, data_folder, load_retrieval_sets
from tests.bench.support_sets import ATTRIBUTION_SETS, SUPPORT_SETS, read_set

MODES: tuple[Mode, ...] = ("keyword", "vector", "hybrid")
RETRIEVAL_TARGETS: Mapping[str, Mapping[str, float]] = {
    "jsquad-ja": {"recall@1": 0.90, "mrr@10": 0.935},
    "banking77-en": {"mrr@10": 0.86},
    "clinc150-oos-en": {"mrr@10": 0.89, "answerable_auc": 0.93},
    "clapnq-en": {"mrr@10": 0.965, "answerable_auc": 0.75},
}
ATTRIBUTION_F1 = {
    "multi-quotesum": 0.78,
    "multi-hagrid": 0.66,
    "multi-jhars-ja": 0.94,
    "multi-clapnq": 0.96,
}
LEG_MARGIN = 0.005


def retrieval() -> list[Figure]:
    """Every set by keyword, by vector and by both; both may not be worse than the better leg."""
    folder = data_folder()
    if folder is None:
        return [_absent("retrieval")]
    figures: list[Figure] = []
    for chosen in load_retrieval_sets(folder):
        measured = {mode: asyncio.run(_retrieve(chosen, mode)) for mode in MODES}
        figures += _retrieval_figures(chosen, measured)
    return figures


def support() -> list[Figure]:
    """Area under the curve of every support set with the shipped coefficients."""
    folder = data_folder()
    if folder is None:
        return [_absent("support")]
    embedder = make_embedder(load_settings(environ={}))
    figures: list[Figure] = []
    judged: list[float] = []
    for name in SUPPORT_SETS:
        result = asyncio.run(evaluate_support(read_set(folder, name), embedder))
        target = {"support-jhars-ja": 0.93}.get(name)
        overlap = result["auc_overlap"]
        figures.append(Figure(f"{name} auc", result["auc"], target, note=f"word overlap {overlap:.3f}"))
        if name in SUPPORT_SETS[:4]:
            judged.append(result["auc"])
            figures.append(Figure(f"{name} auc over word overlap", result["auc"] - overlap, -0.01))
    figures.append(Figure("support, mean auc of the four judged sets", sum(judged) / len(judged), 0.85))
    return figures


def attribution() -> list[Figure]:
    """Which passage carried a sentence: top-1 and F1 of the credited set."""
    folder = data_folder()
    if folder is None:
        return [_absent("attribution")]
    embedder = make_embedder(load_settings(environ={}))
    figures: list[Figure] = []
    for name in ATTRIBUTION_SETS:
        result = asyncio.run(evaluate_attribution(read_set(folder, name), embedder))
        figures.append(Figure(f"{name} top1", result["top1"], 0.95))
        figures.append(Figure(f"{name} f1", result["f1"], ATTRIBUTION_F1[name]))
    return figures


def _retrieval_figures(chosen: RetrievalSet, measured: Mapping[Mode, Mapping[str, Any]]) -> list[Figure]:
    targets = RETRIEVAL_TARGETS.get(chosen.name, {"recall@3": 0.90})
    both = measured["hybrid"]
    legs = {mode: measured[mode]["mrr@10"] for mode in ("keyword", "vector")}
    shown = f"keyword {legs['keyword']:.3f}, vector {legs['vector']:.3f}"
    figures = [
        Figure(f"{chosen.name} {name}", both[name], target, note=shown if name == "mrr@10" else "")
        for name, target in targets.items()
    ]
    margin = both["mrr@10"] - max(legs.values())
    figures.append(Figure(f"{chosen.name} mrr over the better leg", margin, -LEG_MARGIN))
    figures.append(Figure(f"{chosen.name} question p95 ms", both["p95_ms"]))
    return figures


async def _retrieve(chosen: RetrievalSet, mode: Mode) -> Mapping[str, Any]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        services = build(load_settings(environ={"KIYO_STORAGE__FOLDER": folder}))
        try:
            if chosen.folder is not None:
                await ingest_path(services, IngestRequest(chosen.folder))
                source = services.knowledge.sources()[0].name
                questions = [
                    replace(question, gold=frozenset(f"{source}/{page}" for page in question.gold))
                    for question in chosen.questions
                ]
                return await evaluate_retrieval(services, (), questions, mode)
            return await evaluate_retrieval(services, chosen.corpus, chosen.questions, mode)
        finally:
            close(services)


def _absent(part: str) -> Figure:
    return Figure(part, None, note="KIYO_BENCH_DATA does not name the development data")
