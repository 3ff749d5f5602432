"""What people say of pairs, and what follows when they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

from core.contribution.metrics import bootstrap_interval, cohen_kappa

LabelVerdict = Literal["supported", "unsupported", "unclear"]
LABEL_VERDICTS: tuple[LabelVerdict, ...] = get_args(LabelVerdict)


@dataclass(frozen=True, slots=True)
class Said:
    """One person's verdict on a pair."""

    labeller: str
    verdict: LabelVerdict


def settle(said: Sequence[LabelVerdict]) -> LabelVerdict | None:
    """What holds of a pair: the majority of those who could tell; None when nobody has said anything, or as
    many say yes as no, so that one more person is needed. `unclear` when nobody could tell."""
    yes, no = said.count("supported"), said.count("unsupported")
    if yes == no:
        return "unclear" if said and not yes else None
    return "supported" if yes > no else "unsupported"


def is_disputed(said: Sequence[LabelVerdict]) -> bool:
    """Whether two or more people have judged the pair and it still is not settled."""
    return len(said) > 1 and settle(said) is None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people agree. pairs: of statement and article that both judged. share: of the same verdict.

    kappa: beyond chance (Cohen 1960), None where it is not defined; interval: of kappa, 95 %.
    """

    labellers: tuple[str, str]
    pairs: int
    share: float
    kappa: float | None
    interval: tuple[float, float] | None


def measure_agreement(labelled: Sequence[Sequence[Said]]) -> list[Agreement]:
    """For every two people who judged some of the same pairs, those with most in common first.

    labelled: for each pair what was said of it, each person once.
    """
    common: dict[tuple[str, str], list[tuple[LabelVerdict, LabelVerdict]]] = {}
    for said in labelled:
        ordered = sorted(said, key=lambda one: one.labeller)
        for first, second in combinations(ordered, 2):
            names = (first.labeller, second.labeller)
            common.setdefault(names, []).append((first.verdict, second.verdict))
    found = [_agreement(names, verdicts) for names, verdicts in common.items()]
    return sorted(found, key=lambda one: (-one.pairs, one.labellers))


def _agreement(names: tuple[str, str], verdicts: Sequence[tuple[LabelVerdict, LabelVerdict]]) -> Agreement:
    firsts, seconds = [one for one, _ in verdicts], [other for _, other in verdicts]
    return Agreement(
        labellers=names,
        pairs=len(verdicts),
        share=sum(one == other for one, other in verdicts) / len(verdicts),
        kappa=cohen_kappa(firsts, seconds),
        interval=bootstrap_interval(
            lambda rows: cohen_kappa([firsts[row] for row in rows], [seconds[row] for row in rows]),
            range(len(verdicts)),
        ),
    )
