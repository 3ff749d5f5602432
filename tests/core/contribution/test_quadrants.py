"""The four fields: shown often or seldom, carries much or little."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.quadrants import QUADRANTS, Quadrant, Thresholds, classify_quadrant, find_thresholds

MIDDLE = Thresholds(exposure=4, rate=0.5)


@pytest.mark.parametrize(
    ("exposure", "rate", "field"),
    [
        (4, 0.5, "carrying"),
        (9, 1.0, "carrying"),
        (3, 0.5, "hidden"),
        (0, 1.0, "hidden"),
        (4, 0.49, "in_vain"),
        (4, 0.0, "in_vain"),
        (3, 0.49, "idle"),
        (0, None, "idle"),
        (9, None, "in_vain"),
    ],
)
def test_a_figure_at_the_threshold_counts_as_much(exposure: int, rate: float | None, field: Quadrant) -> None:
    assert classify_quadrant(exposure, rate, MIDDLE) == field


def test_what_carries_nothing_never_counts_as_carrying_even_if_most_carry_nothing() -> None:
    thresholds = find_thresholds([(0, 0.0), (0, 0.0), (0, 0.0), (3, 0.2)])
    assert thresholds == Thresholds(exposure=0.0, rate=0.0)
    assert classify_quadrant(0, 0.0, thresholds) == "idle"
    assert classify_quadrant(3, 0.2, thresholds) == "carrying"


def test_rates_that_were_never_measured_do_not_move_the_median() -> None:
    assert find_thresholds([(1, None), (3, 0.2), (5, 0.8)]) == Thresholds(exposure=3.0, rate=0.5)


def test_without_articles_the_thresholds_are_zero() -> None:
    assert find_thresholds([]) == Thresholds(0.0, 0.0)


figures = st.tuples(st.integers(0, 100), st.none() | st.floats(0, 1))


@given(st.lists(figures, min_size=1), figures)
def test_more_of_one_figure_never_moves_an_article_to_the_lesser_side(
    others: list[tuple[int, float | None]], one: tuple[int, float | None]
) -> None:
    thresholds = find_thresholds(others)
    exposure, rate = one
    field = classify_quadrant(exposure, rate, thresholds)
    assert field in QUADRANTS
    more = classify_quadrant(exposure + 1, rate, thresholds)
    if field in ("carrying", "in_vain"):
        assert more == field
