"""Fit the weights of the ranking and its relevance on the development data, with the product's own parts.

python -m tests.bench.fit_ranking [--write]    needs KIYO_BENCH_DATA
Prints, for each set, the figures with all sets and with the set's family left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.app import build, close
from core.config import load_settings
from core.contribution.metrics import rank_auc
from core.domain import ANONYMOUS
from core.rag.ranking import measure_features
from core.rag.relevance import FEATURES
from core.rag.retrieval import detect
from core.usecases.eval_retrieval import index_corpus, measure_ranking
from core.usecases.ingest import IngestRequest, ingest_path
from core.usecases.retrieve import read_query
from tests.bench.retrieval_sets import RetrievalSet, data_folder, load_retrieval_sets

Array = NDArray[np.float64]
WEIGHTS_FILE = Path("core/rag/ranking_weights.json")
RELEVANCE_TERMS = ("score", "root", "line", "share", "offset")
PENALTY = 1e-3


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: features and owners of its candidates, and what would have been right."""

    table: Array
    mass: float
    articles: tuple[str, ...]
    gold: frozenset[str]

    @property
    def right(self) -> Array:
        return np.array([article in self.gold for article in self.articles], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Measured:
    name: str
    family: str
    asked: tuple[Asked, ...]
    background: tuple[float, float]


async def measure_set(chosen: RetrievalSet) -> Measured:
    """Index the set on a store of its own and measure every question."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        env = {"KIYO_STORAGE__FOLDER": folder, "KIYO_MEMORY__EMBEDDINGS__VECTOR_STORE": "sqlite"}
        services = build(load_settings(environ=env))
        try:
            if chosen.folder is None:
                await index_corpus(services, chosen.corpus)
            else:
                await ingest_path(services, IngestRequest(chosen.folder))
            audiences = services.knowledge.readable_audiences(ANONYMOUS)
            everything = services.vector.sample(400)
            owners: dict[int, str] = {}
            asked = []
            cosines = []
            for question in chosen.questions:
                query = await read_query(services, question.text)
                cosines.append(everything @ query.vector)
                rankings = await detect(query, audiences, services.keyword, services.vector, 100)
                table = measure_features(services, query, rankings)
                missing = [i for i in table.chunk_ids if i not in owners]
                for chunk_id, stored in services.knowledge.load_chunks(missing, audiences).items():
                    article = stored.article
                    owners[chunk_id] = article.path if chosen.folder else article.id
                articles = tuple(owners[i] for i in table.chunk_ids)
                asked.append(Asked(table.values, table.mass, articles, question.gold))
        finally:
            close(services)
    flat = np.concatenate(cosines)
    return Measured(chosen.name, chosen.family, tuple(asked), (float(flat.mean()), float(flat.std())))


def fit_weights(sets: Sequence[Measured]) -> Array:
    """Listwise softmax: the probability that a right chunk comes first, every family weighing the same."""
    groups: list[tuple[float, Asked]] = []
    for measured in sets:
        usable = [a for a in measured.asked if 0 < a.right.sum() < len(a.right)]
        siblings = sum(other.family == measured.family for other in sets)
        groups.extend((1.0 / len(usable) / siblings, a) for a in usable)
    share = np.array([weight for weight, _ in groups])
    share /= share.sum()
    table = np.concatenate([a.table for _, a in groups])
    right = np.concatenate([a.right for _, a in groups])
    sizes = [len(a.right) for _, a in groups]
    starts = np.cumsum([0, *sizes[:-1]])
    owner = np.repeat(np.arange(len(groups)), sizes)
    spread = table.std(axis=0) + 1e-9

    def loss(weights: Array) -> tuple[float, Array]:
        z = table @ (weights / spread)
        e = np.exp(z - np.maximum.reduceat(z, starts)[owner])
        total = np.add.reduceat(e, starts)
        hit = np.add.reduceat(e * right, starts) + 1e-30
        slope = share[owner] * (e / total[owner] - e * right / hit[owner])
        value = float((share * (np.log(total) - np.log(hit))).sum() + PENALTY * (weights**2).sum())
        return value, table.T @ slope / spread + 2 * PENALTY * weights

    fitted: Array = minimise(loss, np.zeros(table.shape[1])) / spread
    return fitted


def fit_relevance(sets: Sequence[Measured], weights: Array) -> Array:
    """Logistic: is the first hit right; questions that nothing answers count as never right."""
    rows, right, share = [], [], []
    for measured in sets:
        siblings = sum(other.family == measured.family for other in sets)
        for asked in measured.asked:
            if len(asked.table) == 0:
                continue
            first = int(np.argmax(asked.table @ weights))
            rows.append(relevance_row(asked, weights)[first])
            right.append(asked.right[first])
            share.append(1.0 / len(measured.asked) / siblings)
    table, target, weight = np.array(rows), np.array(right), np.array(share)
    weight /= weight.sum()
    spread = np.maximum(table.std(axis=0), 1e-9)
    spread[-1] = 1.0

    def loss(coefficients: Array) -> tuple[float, Array]:
        z = table @ (coefficients / spread)
        p = 1 / (1 + np.exp(-z))
        value = float((weight * (np.logaddexp(0, z) - target * z)).sum() + PENALTY * (coefficients**2).sum())
        return value, table.T @ (weight * (p - target)) / spread + 2 * PENALTY * coefficients

    fitted: Array = minimise(loss, np.zeros(table.shape[1])) / spread
    return fitted


def relevance_row(asked: Asked, weights: Array) -> Array:
    """(n, terms) what the relevance of each candidate is made of, in the order of RELEVANCE_TERMS."""
    n, root = len(asked.table), float(np.sqrt(max(asked.mass, 1e-6)))
    columns = {
        "score": asked.table @ weights,
        "root": np.full(n, root),
        "line": asked.table[:, FEATURES.index("line")],
        "share": asked.table[:, FEATURES.index("covered")] / root,
        "offset": np.ones(n),
    }
    return np.stack([columns[name] for name in RELEVANCE_TERMS], axis=1)


def minimise(loss: Callable[[Array], tuple[float, Array]], start: Array, steps: int = 300) -> Array:
    """BFGS with backtracking (Nocedal and Wright, Numerical Optimization, chapter 6)."""
    x = start
    value, slope = loss(x)
    inverse = np.eye(len(x))
    for _ in range(steps):
        direction = -inverse @ slope
        length = 1.0
        while length > 1e-10:
            candidate, next_slope = loss(x + length * direction)
            if candidate <= value + 1e-4 * length * float(slope @ direction):
                break
            length /= 2
        else:
            break
        step, change = length * direction, next_slope - slope
        x, value, slope = x + step, candidate, next_slope
        curvature = float(step @ change)
        if curvature > 1e-12:
            left = np.eye(len(x)) - np.outer(step, change) / curvature
            inverse = left @ inverse @ left.T + np.outer(step, step) / curvature
        if float(np.abs(slope).max()) < 1e-8:
            break
    return x


def figures(measured: Measured, weights: Array, relevance: Array) -> dict[str, float | None]:
    """Ranking over articles, best chunk first, and how well relevance tells what can be answered."""
    answerable = []
    best: dict[bool, list[float]] = {True: [], False: []}
    for asked in measured.asked:
        order = np.argsort(-(asked.table @ weights), kind="stable")
        if asked.gold:
            answerable.append((asked.gold, tuple(dict.fromkeys(asked.articles[i] for i in order))))
        logits = relevance_row(asked, weights) @ relevance
        best[bool(asked.gold)].append(float(logits.max(initial=-99.0)))
    ranked = measure_ranking(answerable)
    labels = np.array([True] * len(best[True]) + [False] * len(best[False]))
    auc = rank_auc(labels, np.array(best[True] + best[False]))
    return {**{k: ranked[k] for k in ("recall@1", "recall@3", "mrr@10")}, "answerable_auc": auc}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the weights that Kiyo ships")
    write = parser.parse_args().write
    folder = data_folder()
    if folder is None:
        raise SystemExit("KIYO_BENCH_DATA does not name the development data.")
    sets = [asyncio.run(measure_set(chosen)) for chosen in load_retrieval_sets(folder)]
    weights = fit_weights(sets)
    relevance = fit_relevance(sets, weights)
    print("weights", dict(zip(FEATURES, weights.round(3).tolist(), strict=True)))
    print("relevance", dict(zip(RELEVANCE_TERMS, relevance.round(4).tolist(), strict=True)))
    for measured in sets:
        others = [s for s in sets if s.family != measured.family]
        without = fit_weights(others)
        left_out = figures(measured, without, fit_relevance(others, without))
        print(measured.name, "all", figures(measured, weights, relevance), "left out", left_out, flush=True)
    print("background", {s.name: s.background for s in sets})
    if write:
        write_weights(weights, relevance, sets)


def write_weights(weights: Array, relevance: Array, sets: Sequence[Measured]) -> None:
    mean = float(np.mean([s.background[0] for s in sets]))
    spread = float(np.mean([s.background[1] for s in sets]))
    content = {
        "version": "ranking-1",
        "model": "local/use-multilingual-v3",
        "fitted_on": sorted(s.name for s in sets),
        "weights": dict(zip(FEATURES, weights.round(4).tolist(), strict=True)),
        "relevance": dict(zip(RELEVANCE_TERMS, relevance.round(4).tolist(), strict=True)),
        "scale": {"mean": round(mean, 4), "spread": round(spread, 4)},
    }
    WEIGHTS_FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
