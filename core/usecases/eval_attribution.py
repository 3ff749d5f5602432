"""Whether sentences are credited to the passages that people chose."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.contribution import metrics
from core.contribution.support import SupportModel, check_pairs, load_model
from core.ports import Embedder, Progress, no_progress
from core.usecases.judged_rows import (
    JudgedSentence,
    best_log_odds,
    measure_pairs,
    read_attribution_rows,
)


async def evaluate_attribution(
    rows: Iterable[Mapping[str, Any]],
    embedder: Embedder | None,
    model: SupportModel | None = None,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Credit every sentence of the rows {answer_sentences, passages, gold} to passages and compare with gold.

    The sentences are taken as written from the passages, so the credited set is decided by the model's
    attribution_threshold; f1_checked is the f1 of what the stricter check of verdicts would credit.
    Returns n (sentences), n_with_gold, n_pairs, top1 (over sentences with gold: the most probable passage
    is a gold one), precision, recall and f1 of the credited pairs, f1_checked, pair_auc, threshold,
    rival_odds, ci (95 %, resampled by group). A figure that cannot be computed is None. Raises ReadError
    for a row that is wrong.
    """
    chosen = model if model is not None else load_model()
    sentences = read_attribution_rows(rows)
    pairs = [pair for sentence in sentences for pair in sentence.pairs()]
    measured = await measure_pairs(pairs, embedder, progress)
    probabilities = chosen.calibration.apply(best_log_odds(chosen, measured))
    labels = np.array([pair.supported for pair in pairs], dtype=bool)
    owners = np.repeat(np.arange(len(sentences)), [len(sentence.passages) for sentence in sentences])
    named = owners.tolist()
    credited = check_pairs(named, probabilities, chosen.attribution_threshold, chosen.rival_odds)
    checked = check_pairs(named, probabilities, chosen.threshold, chosen.rival_odds)
    return await asyncio.to_thread(
        _summarise, sentences, _Pairs(owners, labels, probabilities, credited, checked), chosen
    )


class _Pairs:
    """One entry a pair of sentence and passage: whose it is, gold or not, how probable, credited or not."""

    def __init__(
        self,
        owners: NDArray[np.int64],
        labels: NDArray[np.bool_],
        probabilities: NDArray[np.float64],
        credited: NDArray[np.bool_],
        checked: NDArray[np.bool_],
    ) -> None:
        self.owners, self.labels, self.probabilities = owners, labels, probabilities
        self.credited, self.checked = credited, checked

    def f1(self, rows: NDArray[np.int64]) -> float:
        return _f1(self.credited[rows], self.labels[rows])


def _f1(said: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    total = int(said.sum() + truth.sum())
    return 2 * int((said & truth).sum()) / total if total else 0.0


def _summarise(sentences: Sequence[JudgedSentence], pairs: _Pairs, model: SupportModel) -> dict[str, Any]:
    labels, credited = pairs.labels, pairs.credited
    hits = int((labels & credited).sum())
    first = _first_is_gold(sentences, pairs)
    groups = [sentences[owner].group for owner in pairs.owners]
    f1_interval = metrics.bootstrap_interval(pairs.f1, groups)
    firsts = np.array([value for value in first if value is not None], dtype=float)
    first_groups = [
        sentence.group for sentence, value in zip(sentences, first, strict=True) if value is not None
    ]
    top_interval = metrics.bootstrap_interval(lambda rows: float(firsts[rows].mean()), first_groups)
    return {
        "n": len(sentences),
        "n_with_gold": len(firsts),
        "n_pairs": len(labels),
        "top1": float(firsts.mean()) if len(firsts) else None,
        "precision": hits / int(credited.sum()) if credited.any() else 0.0,
        "recall": hits / int(labels.sum()) if labels.any() else 0.0,
        "f1": pairs.f1(np.arange(len(labels))),
        "pair_auc": metrics.rank_auc(labels, pairs.probabilities),
        "f1_checked": _f1(pairs.checked, labels),
        "threshold": model.attribution_threshold,
        "rival_odds": model.rival_odds,
        "ci": {
            "top1": list(top_interval) if top_interval is not None else None,
            "f1": list(f1_interval) if f1_interval is not None else None,
        },
    }


def _first_is_gold(sentences: Sequence[JudgedSentence], pairs: _Pairs) -> list[bool | None]:
    """For each sentence whether its most probable passage is gold, None if it has no gold; ties by order."""
    start = 0
    found: list[bool | None] = []
    for sentence in sentences:
        end = start + len(sentence.passages)
        if sentence.gold & {id_ for id_, _, _ in sentence.passages}:
            best = start + int(np.argmax(pairs.probabilities[start:end]))
            found.append(bool(pairs.labels[best]))
        else:
            found.append(None)
        start = end
    return found
