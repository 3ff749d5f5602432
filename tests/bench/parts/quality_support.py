"""The support measure agrees with people: on every judged set, and on generated pairs by kind of error."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from core.app import make_embedder
from core.config import load_settings
from core.usecases.eval_support import evaluate_support
from tests.bench.data.generate import generate_pairs, rows_of_kind
from tests.bench.figures import Context, Figure, Target, at_least, need_data
from tests.bench.pool import RememberingEmbedder
from tests.bench.support_sets import SUPPORT_SETS, read_set

TARGETS: Mapping[tuple[str, str], Target] = {("support-jhars-ja", "auc"): at_least(0.93)}
MEASURES = ("auc", "auc_overlap", "balanced_accuracy", "ece", "n")
JUDGED = ("support-jhars-ja", "support-hagrid", "support-begin-wow")
"""Large enough to judge by; the mean of their AUC has a target."""
MEAN_AUC = at_least(0.85)
NUMBERS_AUC = at_least(0.95)
KINDS = ("number", "date", "unit", "negation", "antonym", "swap")


def run(context: Context) -> list[Figure]:
    data = need_data(context)
    embedder = RememberingEmbedder(make_embedder(load_settings(environ={})))
    figures: list[Figure] = []
    areas: dict[str, float] = {}
    for name in SUPPORT_SETS:
        found = asyncio.run(evaluate_support(read_set(data, name), embedder))
        areas[name] = found["auc"]
        figures += [
            Figure(f"{name} {measure}", found[measure], "", TARGETS.get((name, measure)))
            for measure in MEASURES
        ]
    mean = sum(areas[name] for name in JUDGED) / len(JUDGED)
    figures.append(Figure("mean auc of the judged sets, coefficients as shipped", mean, "", MEAN_AUC))
    pairs = generate_pairs()
    for kind in KINDS:
        rows = [dict(row) for row in rows_of_kind(pairs, kind)]
        found = asyncio.run(evaluate_support(rows, embedder))
        target = NUMBERS_AUC if kind == "number" else None
        figures.append(Figure(f"generated pairs, {kind}: auc", found["auc"], "", target))
    return figures
