"""Sentences of answers are credited to the passages that people chose."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from core.app import make_embedder
from core.config import load_settings
from core.usecases.eval_attribution import evaluate_attribution
from tests.bench.figures import Context, Figure, Target, at_least, need_data
from tests.bench.pool import RememberingEmbedder
from tests.bench.support_sets import ATTRIBUTION_SETS, read_set

F1: Mapping[str, Target] = {
    "multi-quotesum": at_least(0.78),
    "multi-hagrid": at_least(0.66),
    "multi-jhars-ja": at_least(0.94),
    "multi-clapnq": at_least(0.96),
}
TOP1 = at_least(0.95)


def run(context: Context) -> list[Figure]:
    data = need_data(context)
    embedder = RememberingEmbedder(make_embedder(load_settings(environ={})))
    figures: list[Figure] = []
    for name in ATTRIBUTION_SETS:
        found = asyncio.run(evaluate_attribution(read_set(data, name), embedder))
        figures += [
            Figure(f"{name} top1", found["top1"], "", TOP1),
            Figure(f"{name} f1", found["f1"], "", F1.get(name)),
            Figure(f"{name} pair_auc", found["pair_auc"]),
            Figure(f"{name} n", found["n"]),
        ]
    return figures
