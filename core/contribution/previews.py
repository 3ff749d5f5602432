"""What other rules would make of the past, seen on a sample of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.contribution.decisions import Codes, Integers
from core.contribution.measure import VERDICT_ORDER
from core.contribution.redeciding import CHECKED_CODES, NewRules, StoredPairs, decide_block

LISTED = 10


@dataclass(frozen=True, slots=True)
class PastBlock:
    """Whole answers as columns. answers: how many. pair_verdicts, verdicts: of the pairs and of the judged
    statements, as recorded. articles, shares, judged: for each article of an answer its key, its share as
    recorded, and how many statements of the answer were judged."""

    answers: int
    pairs: StoredPairs
    pair_verdicts: Codes
    verdicts: Codes
    shares: Sequence[float]
    articles: Sequence[int]
    judged: Integers


@dataclass(frozen=True, slots=True)
class ArticleChange:
    """Contribution of an article to the sample, before and after."""

    title: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class PastPreview:
    """answers: of the period. sampled: those looked at, which could be judged and are no examples.

    statements, pairs: of the sample. carried_before, carried_after: share of the statements that an article
    carries. verdicts_before, verdicts_after: how many statements have each verdict. changed: pairs with
    another verdict. articles: whose contribution would change most.
    """

    version: str
    threshold: float
    answers: int
    sampled: int
    statements: int
    pairs: int
    changed: int
    carried_before: float | None
    carried_after: float | None
    verdicts_before: Mapping[str, int]
    verdicts_after: Mapping[str, int]
    articles: tuple[ArticleChange, ...]


def compare_blocks(
    rules: NewRules, blocks: Sequence[PastBlock], answers: int, titles: Mapping[int, str]
) -> PastPreview:
    """Decide the blocks by the rules and compare. answers: in the whole period. titles: by article."""
    before, after = np.zeros(len(VERDICT_ORDER), dtype=int), np.zeros(len(VERDICT_ORDER), dtype=int)
    moved: dict[int, list[float]] = {}
    pairs = changed = 0
    for block in blocks:
        decided = decide_block(rules, block.pairs, len(block.verdicts), len(block.articles))
        before += np.bincount(block.verdicts, minlength=len(VERDICT_ORDER))
        after += np.bincount(decided.statements, minlength=len(VERDICT_ORDER))
        pairs += len(decided.pairs)
        changed += int((decided.pairs != block.pair_verdicts).sum())
        shares = decided.sums.carried / np.maximum(block.judged, 1)
        for article, was, is_now in zip(block.articles, block.shares, shares.tolist(), strict=True):
            sums = moved.setdefault(article, [0.0, 0.0])
            sums[0] += was
            sums[1] += is_now
    ordered = sorted(moved.items(), key=lambda one: (-abs(one[1][1] - one[1][0]), one[0]))
    return PastPreview(
        version=rules.model.version,
        threshold=rules.least,
        answers=answers,
        sampled=sum(block.answers for block in blocks),
        statements=int(before.sum()),
        pairs=pairs,
        changed=changed,
        carried_before=_carried(before),
        carried_after=_carried(after),
        verdicts_before=dict(zip(VERDICT_ORDER, before.tolist(), strict=True)),
        verdicts_after=dict(zip(VERDICT_ORDER, after.tolist(), strict=True)),
        articles=tuple(
            ArticleChange(titles.get(article, ""), round(was, 4), round(is_now, 4))
            for article, (was, is_now) in ordered[:LISTED]
            if abs(is_now - was) > 1e-9
        ),
    )


def _carried(counts: Integers) -> float | None:
    judged = int(counts[: VERDICT_ORDER.index("not_judged")].sum())
    return float(counts[list(CHECKED_CODES)].sum() / judged) if judged else None
