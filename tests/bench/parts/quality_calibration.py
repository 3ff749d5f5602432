"""What labels of the target set bring: calibration on half of it, and a threshold after 100 labels.

Each figure is the mean over several splits, with the coefficients as shipped and with those that were fitted
without the set.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from core.app import make_embedder
from core.config import load_settings
from core.contribution.metrics import calibration_bins, calibration_error, decide
from core.contribution.population import Sample, choose_threshold
from core.contribution.recalibration import Labelled, fit_line, recalibrate_on_half, split_groups
from core.contribution.support import SupportModel, load_model
from core.usecases.calibrate import calibrate_support
from core.usecases.judged_rows import MeasuredPair, measure_pairs, read_support_rows
from tests.bench.figures import Context, Figure, at_least, at_most, need_data
from tests.bench.pool import RememberingEmbedder
from tests.bench.support_sets import fitted_sets

SETS = ("support-begin-wow", "support-hagrid")
"""The sets with 200 rows at least in either half."""
SPLITS = 20
LABELS = 100
ECE = at_most(0.05)
BALANCED = at_least(0.75)


def run(context: Context) -> list[Figure]:
    return asyncio.run(_run(context))


async def _run(context: Context) -> list[Figure]:
    sets = fitted_sets(need_data(context))
    embedder = RememberingEmbedder(make_embedder(load_settings(environ={})))
    figures: list[Figure] = []
    for name in SETS:
        measured = await measure_pairs(read_support_rows(sets[name]), embedder)
        without = await calibrate_support("left-out", sets, embedder, exclude=[name])
        for label, model in (("shipped", load_model()), ("set left out", without)):
            labelled = _label(measured, model)
            figures += _calibrated(f"{name}, {label}", labelled, model)
            figures += _after_labels(f"{name}, {label}", labelled, model)
    return figures


def _label(measured: Sequence[MeasuredPair], model: SupportModel) -> Labelled:
    """The best line of each passage, as the product keeps it."""
    best = [item.rows[int(model.log_odds(item.rows).argmax())] for item in measured]
    return Labelled(
        features=np.array(best),
        labels=np.array([item.pair.supported for item in measured]),
        weights=np.ones(len(measured)),
        groups=tuple(item.pair.group for item in measured),
    )


def _calibrated(name: str, labelled: Labelled, model: SupportModel) -> Iterator[Figure]:
    before, after, least = [], [], []
    for split in range(SPLITS):
        groups = tuple(f"{split}-{group}" for group in labelled.groups)
        made = recalibrate_on_half(model, replace(labelled, groups=groups), "half")
        before.append(made.before["ece"])
        after.append(made.after["ece"])
        said = made.model.probabilities(labelled.features[split_groups(groups)[1]])
        drawn = np.random.default_rng(split).random(len(said)) < said
        least.append(calibration_error(calibration_bins(drawn, said)) or 0.0)
    yield Figure(f"{name}: ece on the other half, before", round(float(np.mean(before)), 4))
    yield Figure(f"{name}: ece on the other half, after", round(float(np.mean(after)), 4), "", ECE)
    chance = f"{name}: ece of exact probabilities on as many rows, by chance alone"
    yield Figure(chance, round(float(np.mean(least)), 4))


def _after_labels(name: str, labelled: Labelled, model: SupportModel) -> Iterator[Figure]:
    log_odds, found = model.log_odds(labelled.features), []
    for split in range(SPLITS):
        order = np.random.default_rng(split).permutation(len(labelled.labels))
        known, rest = order[:LABELS], order[LABELS:]
        line = fit_line(log_odds[known], labelled.labels[known], np.ones(LABELS))
        said = line.apply(log_odds)
        groups = tuple(labelled.groups[row] for row in known)
        sample = Sample(labelled.labels[known], said[known], np.ones(LABELS), groups)
        threshold = choose_threshold(sample, None)
        if threshold is not None:
            found.append(decide(labelled.labels[rest], said[rest], threshold).balanced_accuracy)
    value = round(float(np.mean(found)), 4)
    yield Figure(f"{name}: balanced accuracy after {LABELS} labels", value, "", BALANCED)
