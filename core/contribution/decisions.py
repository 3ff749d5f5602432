"""Decide stored pairs anew, a million at a time: another threshold, other coefficients, no text at hand."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import Features
from core.contribution.measure import VERDICT_ORDER
from core.contribution.support import SupportModel, check_pairs
from core.contribution.verifying import shift_probabilities
from core.domain import Verdict

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.int8]
"""Places in VERDICT_ORDER: the smaller, the better."""

NOT_JUDGED = VERDICT_ORDER.index("not_judged")
UNSUPPORTED = VERDICT_ORDER.index("unsupported")
_BY_WITNESSES = np.array(
    [
        [VERDICT_ORDER.index("unsupported"), VERDICT_ORDER.index("uncited")],
        [VERDICT_ORDER.index("unverified"), VERDICT_ORDER.index("supported")],
    ],
    dtype=np.int8,
)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of statements and articles as columns, (n,) each.

    statements: numbers from 0 that tell the statements of all answers apart. labels: the first witness.
    probabilities: of the second, anything where `compared` is False. compared: whether the article had a line
    to compare with. judged: False where a witness failed or the text was gone, and so it stays.
    exposed: whether the article stood in the prompt.
    """

    statements: Integers
    labels: Bools
    probabilities: Floats
    compared: Bools
    judged: Bools
    exposed: Bools


@dataclass(frozen=True, slots=True)
class Sums:
    """What articles carried of answers, (m,) each, in the order of the numbers that were given.

    carried, sole: numbers of statements. strongest: highest probability, NaN without any.
    """

    carried: Integers
    sole: Integers
    strongest: Floats


def rescore(model: SupportModel, features: Features, verified: Floats, weight: float) -> Floats:
    """Probability of stored pairs under a model, (n,).

    features: rows of FEATURES, (n, len(FEATURES)), a missing cosine is NaN. verified: what a verifier said of
    each, NaN where none was asked; weight: see `shift_probabilities`.
    """
    contradicted = model.contradicted(features)
    return shift_probabilities(model.probabilities(features), verified, contradicted, weight)


def decide_pairs(pairs: Pairs, threshold: float, rival_odds: float) -> Codes:
    """The verdict of each pair, as `measure` gives it: articles that were not exposed count only where no
    exposed one passes the check. Order does not matter."""
    checked = np.zeros(len(pairs.statements), dtype=bool)
    inside = np.flatnonzero(pairs.exposed & pairs.compared)
    checked[inside] = check_pairs(
        pairs.statements[inside], pairs.probabilities[inside], threshold, rival_odds
    )
    carried = np.zeros(int(pairs.statements.max(initial=-1)) + 1, dtype=bool)
    carried[pairs.statements[checked]] = True
    outside = np.flatnonzero(~pairs.exposed & pairs.compared & ~carried[pairs.statements])
    checked[outside] = check_pairs(
        pairs.statements[outside], pairs.probabilities[outside], threshold, rival_odds
    )
    codes = _BY_WITNESSES[pairs.labels.astype(np.int8), checked.astype(np.int8)]
    return np.where(pairs.judged, codes, NOT_JUDGED).astype(np.int8)


def decide_statements(statements: Integers, codes: Codes, count: int) -> Codes:
    """The best verdict of the pairs of each of `count` judged statements; without pairs it is unsupported."""
    best = np.full(count, NOT_JUDGED + 1, dtype=np.int8)
    np.minimum.at(best, statements, codes)
    best[best > NOT_JUDGED] = UNSUPPORTED
    return best


def sum_pairs(owners: Integers, count: int, pairs: Pairs, codes: Codes, counted: Collection[Verdict]) -> Sums:
    """What each of `count` owners, that is articles of an answer, carried.

    owners: for each pair the number of its owner, from 0.
    """
    counts = np.isin(codes, [VERDICT_ORDER.index(verdict) for verdict in counted])
    carriers = np.bincount(pairs.statements[counts], minlength=int(pairs.statements.max(initial=-1)) + 1)
    alone = counts & (carriers[pairs.statements] == 1)
    strongest = np.full(count, -np.inf)
    known = np.isfinite(pairs.probabilities)
    np.maximum.at(strongest, owners[known], pairs.probabilities[known])
    strongest[np.isneginf(strongest)] = np.nan
    return Sums(
        carried=np.bincount(owners[counts], minlength=count).astype(np.int64),
        sole=np.bincount(owners[alone], minlength=count).astype(np.int64),
        strongest=strongest,
    )


def name_evaluator(version: str, threshold: float | None = None, witnesses: str = "") -> str:
    """The evaluator version that is recorded: coefficients, a threshold other than their own, and further
    witnesses, such as `kiyo-support-1@0.62+judge:openai/gpt-5`."""
    own = version if threshold is None else f"{version}@{threshold:g}"
    return f"{own}+{witnesses}" if witnesses else own


def rename_evaluator(recorded: str, version: str, threshold: float | None) -> str:
    """The name after deciding anew: the further witnesses of the recorded one stay."""
    return name_evaluator(version, threshold, recorded.partition("+")[2])
