"""What people thought of answers, beside what articles carried of them: does the number agree with people?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.contribution.metrics import rank_auc

LEAST_OPINIONS = 10
"""Answers of either kind below which the two are not compared."""
_NORMAL = 1.96


@dataclass(frozen=True, slots=True)
class Opinion:
    """What people said of one answer. carried: share of its judged statements that any article carries, None
    where nothing could be judged. helpful, not_helpful: people. wrong_sources: for each source that somebody
    called wrong, whether the check credits it all the same."""

    carried: float | None
    helpful: int
    not_helpful: int
    wrong_sources: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class FeedbackFigures:
    """answers: with an opinion. liked, disliked: by more people than the other way. interval: of share, 95 %.

    carried_liked, carried_disliked: mean share that articles carry of these answers. order: probability that
    articles carry more of a liked answer than of a disliked one, 0.5 by chance; None below LEAST_OPINIONS.
    wrong_sources: sources that were called wrong; wrong_but_credited: of those, how many the check credits.
    warns: people dislike what articles carry no less than the rest, or most wrong sources are credited.
    """

    answers: int
    liked: int
    disliked: int
    share: float | None
    interval: tuple[float, float] | None
    carried_liked: float | None
    carried_disliked: float | None
    order: float | None
    wrong_sources: int
    wrong_but_credited: int
    warns: bool


def compare_with_feedback(opinions: Sequence[Opinion]) -> FeedbackFigures:
    """Sum up what people said; answers on which as many liked as disliked count for neither."""
    liked = [one for one in opinions if one.helpful > one.not_helpful]
    disliked = [one for one in opinions if one.helpful < one.not_helpful]
    decided = len(liked) + len(disliked)
    of_liked = [one.carried for one in liked if one.carried is not None]
    of_disliked = [one.carried for one in disliked if one.carried is not None]
    order = _order(of_liked, of_disliked)
    wrong = [credited for one in opinions for credited in one.wrong_sources]
    credited_most = len(wrong) >= LEAST_OPINIONS and 2 * sum(wrong) > len(wrong)
    return FeedbackFigures(
        answers=len(opinions),
        liked=len(liked),
        disliked=len(disliked),
        share=round(len(liked) / decided, 4) if decided else None,
        interval=wilson_interval(len(liked), decided),
        carried_liked=_mean(of_liked),
        carried_disliked=_mean(of_disliked),
        order=order,
        wrong_sources=len(wrong),
        wrong_but_credited=sum(wrong),
        warns=credited_most or (order is not None and order < 0.5),
    )


def wilson_interval(hits: int, count: int) -> tuple[float, float] | None:
    """The 95 % interval of a share (Wilson 1927); None of nothing."""
    if not count:
        return None
    share, spread = hits / count, _NORMAL**2 / count
    middle = (share + spread / 2) / (1 + spread)
    half = _NORMAL * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return round(max(0.0, middle - half), 4), round(min(1.0, middle + half), 4)


def _order(liked: Sequence[float], disliked: Sequence[float]) -> float | None:
    if min(len(liked), len(disliked)) < LEAST_OPINIONS:
        return None
    labels = np.array([True] * len(liked) + [False] * len(disliked))
    found = rank_auc(labels, np.array([*liked, *disliked]))
    return None if found is None else round(found, 4)


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
