"""Deciding stored answers anew, a block of them at a time: verdicts, shares and what they add up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.contribution.decisions import (
    NOT_JUDGED,
    Bools,
    Codes,
    Floats,
    Integers,
    Pairs,
    Sums,
    decide_pairs,
    decide_statements,
    rescore,
    sum_pairs,
)
from core.contribution.features import FEATURES, Features
from core.contribution.measure import VERDICT_ORDER
from core.contribution.support import SupportModel
from core.contribution.verifying import VERIFIED
from core.domain import Verdict

CHECKED_CODES = (VERDICT_ORDER.index("supported"), VERDICT_ORDER.index("uncited"))


@dataclass(frozen=True, slots=True)
class NewRules:
    """What the past is decided by. threshold: None for that of the model.

    verifier_weight: see `shift_probabilities`. counted: verdicts that count as contribution.
    """

    model: SupportModel
    threshold: float | None
    verifier_weight: float
    counted: frozenset[Verdict]

    @property
    def least(self) -> float:
        return self.model.threshold if self.threshold is None else self.threshold


@dataclass(frozen=True, slots=True)
class StoredPairs:
    """Pairs of a block of answers as columns, (n,) each.

    statements, owners: place of the pair's statement among the judged statements of the block, and of its
    article among the articles of answers. features: rows of FEATURES. verified: NaN where no verifier said
    anything. gone: whether the line is gone from the article. For the rest see `Pairs`.
    """

    statements: Integers
    owners: Integers
    features: Features
    verified: Floats
    labels: Bools
    compared: Bools
    judged: Bools
    exposed: Bools
    gone: Bools


@dataclass(frozen=True, slots=True)
class Decided:
    """The block anew: probability and verdict of each pair, verdict of each judged statement, and for each
    article of an answer its sums and whether a line that carried it is gone."""

    probabilities: Floats
    pairs: Codes
    statements: Codes
    sums: Sums
    stale: Bools


def decide_block(rules: NewRules, stored: StoredPairs, statements: int, owners: int) -> Decided:
    """Decide the pairs of whole answers. statements, owners: how many there are in the block, also such that
    no pair belongs to."""
    scored = rescore(rules.model, stored.features, stored.verified, rules.verifier_weight)
    probabilities: Floats = np.where(stored.compared | stored.judged, scored, np.nan)
    pairs = Pairs(
        stored.statements, stored.labels, probabilities, stored.compared, stored.judged, stored.exposed
    )
    codes = decide_pairs(pairs, rules.least, rules.model.rival_odds)
    sums = sum_pairs(stored.owners, owners, pairs, codes, rules.counted)
    carried_by_gone = stored.gone & np.isin(codes, CHECKED_CODES)
    stale = np.bincount(stored.owners[carried_by_gone], minlength=owners) > 0
    return Decided(
        probabilities=probabilities,
        pairs=codes,
        statements=decide_statements(stored.statements, codes, statements),
        sums=sums,
        stale=stale & (sums.carried > 0),
    )


def order_features(names: tuple[str, ...], values: NDArray[np.float32]) -> tuple[Features, Floats]:
    """Stored values, (n, len(names)), as rows of FEATURES and what a verifier said.

    A feature that was not stored counts as 0, an absent cosine or verifier as NaN.
    """
    place: Mapping[str, int] = {name: n for n, name in enumerate(names)}
    rows = np.zeros((len(values), len(FEATURES)))
    rows[:, FEATURES.index("cosine")] = np.nan
    for n, name in enumerate(FEATURES):
        if name in place:
            rows[:, n] = values[:, place[name]]
    if VERIFIED in place:
        return rows, values[:, place[VERIFIED]].astype(np.float64)
    return rows, np.full(len(values), np.nan)


def count_carried(codes: Codes, answers: Integers, count: int) -> Integers:
    """How many statements of each of `count` answers any article carries. answers: of each statement."""
    carried: Integers = np.bincount(answers[np.isin(codes, CHECKED_CODES)], minlength=count).astype(np.int64)
    return carried


def name_verdicts(codes: Codes) -> list[Verdict]:
    return [VERDICT_ORDER[code] for code in codes.tolist()]


def code_verdicts(verdicts: list[str]) -> Codes:
    """Places of recorded verdicts in VERDICT_ORDER."""
    places: dict[str, int] = {verdict: n for n, verdict in enumerate(VERDICT_ORDER)}
    return np.array([places.get(verdict, NOT_JUDGED) for verdict in verdicts], dtype=np.int8)
