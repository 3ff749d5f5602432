"""Why an article stands in its quadrant, and the one thing to do about it: derived from its figures.

The words for a reason are in advice_words.
"""

from dataclasses import dataclass
from typing import Literal

from core.contribution.quadrants import Quadrant, Thresholds, classify_quadrant

Reason = Literal[
    "too_few",
    "stale",
    "working",
    "only_source",
    "duplicate",
    "retrieval_miss",
    "seldom_asked",
    "prior_knowledge",
    "weak_retrieval",
    "outdone",
    "unclear_use",
    "never_found",
    "cut",
    "mismatch",
]
"""too_few: hardly any answer to judge by. stale: what carried answers has been edited away.
working, only_source (mostly alone), duplicate (never alone): carrying articles.
retrieval_miss, seldom_asked: carrying, seldom shown. prior_knowledge (the answers say what no article says),
weak_retrieval (shown with low relevance), outdone (other articles carry the same answers), unclear_use:
shown in vain. never_found, cut (found, but cut from the prompt), mismatch: neither."""

LEAST_ANSWERS = 5
"""Fewer answers than this say nothing of an article."""
_MOSTLY = 0.5
_HARDLY = 0.05
_LOW_RELEVANCE = 0.5


@dataclass(frozen=True, slots=True)
class ArticleFigures:
    """One article in a period; see the reports for the counts.

    relevance: mean calibrated relevance of its exposures. unsupported: share of the judged statements, in
    answers where it was shown, that nothing carries. others: the share there that other articles carry.
    These three are None where they are not known; then they explain nothing.
    """

    retrieved: int
    exposure: int
    answers: int
    missed: int
    stale: int
    contribution: float
    sole: float
    relevance: float | None = None
    unsupported: float | None = None
    others: float | None = None

    @property
    def rate(self) -> float | None:
        """Contribution an answer; None without answers."""
        return self.contribution / self.answers if self.answers else None


@dataclass(frozen=True, slots=True)
class Advice:
    """An article's quadrant, and why it stands there."""

    quadrant: Quadrant
    reason: Reason


def advise(figures: ArticleFigures, thresholds: Thresholds) -> Advice:
    """Place an article and find the reason that its figures give; the strongest evidence comes first."""
    quadrant = classify_quadrant(figures.exposure, figures.rate, thresholds)
    return Advice(quadrant, _REASON_OF[quadrant](figures))


def _carrying(figures: ArticleFigures) -> Reason:
    if figures.answers < LEAST_ANSWERS:
        return "too_few"
    if figures.sole >= _MOSTLY * figures.contribution:
        return "only_source"
    if figures.sole <= _HARDLY * figures.contribution:
        return "duplicate"
    return "working"


def _hidden(figures: ArticleFigures) -> Reason:
    if figures.missed:
        return "retrieval_miss"
    return "too_few" if figures.answers < LEAST_ANSWERS else "seldom_asked"


def _in_vain(figures: ArticleFigures) -> Reason:
    if figures.stale > figures.contribution:
        return "stale"
    if figures.answers < LEAST_ANSWERS:
        return "too_few"
    if figures.relevance is not None and figures.relevance < _LOW_RELEVANCE:
        return "weak_retrieval"
    if figures.unsupported is not None and figures.unsupported >= _MOSTLY:
        return "prior_knowledge"
    if figures.others is not None and figures.others >= _MOSTLY:
        return "outdone"
    return "unclear_use"


def _idle(figures: ArticleFigures) -> Reason:
    if figures.stale > figures.contribution:
        return "stale"
    if not figures.retrieved:
        return "never_found"
    return "cut" if figures.exposure < _MOSTLY * figures.retrieved else "mismatch"


_REASON_OF = {"carrying": _carrying, "hidden": _hidden, "in_vain": _in_vain, "idle": _idle}
