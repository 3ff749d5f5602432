from string import Formatter
from typing import get_args

import pytest

from core.contribution.advice import ArticleFigures, Reason, advise
from core.contribution.advice_words import WORDS, explain_advice
from core.contribution.quadrants import Thresholds

THRESHOLDS = Thresholds(exposure=10, rate=0.2)
# retrieved, exposure, answers, missed, stale, contribution, sole
CARRYING = ArticleFigures(30, 20, 20, 0, 0, 10.0, 4.0)


@pytest.mark.parametrize(
    ("figures", "quadrant", "reason"),
    [
        (CARRYING, "carrying", "working"),
        (ArticleFigures(30, 20, 20, 0, 0, 10.0, 9.0), "carrying", "only_source"),
        (ArticleFigures(30, 20, 20, 0, 0, 10.0, 0.2), "carrying", "duplicate"),
        (ArticleFigures(30, 20, 3, 0, 0, 2.0, 2.0), "carrying", "too_few"),
        (ArticleFigures(0, 0, 6, 6, 0, 3.0, 3.0), "hidden", "retrieval_miss"),
        (ArticleFigures(6, 6, 6, 0, 0, 3.0, 3.0), "hidden", "seldom_asked"),
        (ArticleFigures(2, 2, 2, 0, 0, 1.0, 1.0), "hidden", "too_few"),
        (ArticleFigures(30, 20, 20, 0, 0, 0.5, 0.5, relevance=0.2), "in_vain", "weak_retrieval"),
        (ArticleFigures(30, 20, 20, 0, 0, 0.5, 0.5, 0.9, unsupported=0.7), "in_vain", "prior_knowledge"),
        (ArticleFigures(30, 20, 20, 0, 0, 0.5, 0.5, 0.9, 0.1, others=0.8), "in_vain", "outdone"),
        (ArticleFigures(30, 20, 20, 0, 0, 0.5, 0.5), "in_vain", "unclear_use"),
        (ArticleFigures(30, 20, 20, 0, 9, 0.5, 0.5), "in_vain", "stale"),
        (ArticleFigures(30, 20, 2, 0, 0, 0.0, 0.0), "in_vain", "too_few"),
        (ArticleFigures(0, 0, 0, 0, 0, 0.0, 0.0), "idle", "never_found"),
        (ArticleFigures(30, 2, 2, 0, 0, 0.0, 0.0), "idle", "cut"),
        (ArticleFigures(3, 3, 3, 0, 0, 0.0, 0.0), "idle", "mismatch"),
        (ArticleFigures(3, 3, 3, 0, 2, 0.0, 0.0), "idle", "stale"),
    ],
)
def test_the_figures_decide_quadrant_and_reason(figures: ArticleFigures, quadrant: str, reason: str) -> None:
    found = advise(figures, THRESHOLDS)
    assert (found.quadrant, found.reason) == (quadrant, reason)


@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_has_words_in_both_languages_that_name_the_same_figures(reason: Reason) -> None:
    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    assert fields(WORDS["en"][reason][0]) == fields(WORDS["ja"][reason][0])
    why, what = explain_advice(reason, CARRYING, "ja")
    assert why.endswith("。")
    assert what.endswith("。")
    assert not fields(why)


def test_figures_are_filled_into_the_reason() -> None:
    why, what = explain_advice("working", CARRYING, "en")
    assert why == "It is shown often and carries 50% of an answer on average."
    assert what
    assert "–" in explain_advice("weak_retrieval", CARRYING, "ja")[0]
