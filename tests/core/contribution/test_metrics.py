import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution import metrics

LABELS = np.array([True, True, False, True, False, False])
SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.4, 0.2])


def test_auc_counts_pairs_in_the_right_order_and_ties_half() -> None:
    assert metrics.rank_auc(LABELS, SCORES) == pytest.approx(8 / 9)
    assert metrics.rank_auc(np.array([True, False]), np.array([0.5, 0.5])) == 0.5
    assert metrics.rank_auc(np.array([True, True]), np.array([0.1, 0.2])) is None


def test_average_precision_of_a_known_ranking() -> None:
    assert metrics.average_precision(LABELS, SCORES) == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert metrics.average_precision(~LABELS[:2], SCORES[:2]) is None


def test_decisions_at_a_threshold() -> None:
    found = metrics.decide(LABELS, SCORES, 0.7)
    assert (found.precision, found.recall, found.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert found.balanced_accuracy == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert metrics.decide(LABELS, SCORES, 0.95).precision == 0.0


def test_points_run_from_the_strictest_threshold_to_everything() -> None:
    points = metrics.threshold_points(LABELS, SCORES)
    assert [point.threshold for point in points] == [0.9, 0.8, 0.7, 0.6, 0.4, 0.2]
    assert (points[-1].recall, points[-1].false_alarms) == (1.0, 1.0)
    tied = metrics.threshold_points(np.array([True, False]), np.array([0.5, 0.5]))
    assert len(tied) == 1


def test_bins_hold_equal_numbers_and_the_error_weighs_them() -> None:
    probabilities = np.array([0.1] * 10 + [0.9] * 10)
    labels = np.array([False] * 8 + [True] * 2 + [True] * 9 + [False])
    bins = metrics.calibration_bins(labels, probabilities, bins=2)
    assert [(item.count, item.observed) for item in bins] == [(10, 0.2), (10, 0.9)]
    assert metrics.calibration_error(bins) == pytest.approx(0.05)
    assert metrics.calibration_error([]) is None
    assert len(metrics.calibration_bins(labels[:3], probabilities[:3])) == 3


def test_the_threshold_for_a_wanted_precision_keeps_the_most_recall() -> None:
    found = metrics.choose_for_precision(LABELS, SCORES, 0.75)
    assert found is not None
    assert (found.threshold, found.recall) == (0.6, 1.0)
    assert metrics.choose_for_precision(~LABELS, SCORES, 0.99) is None


def test_the_balanced_threshold_needs_both_verdicts() -> None:
    found = metrics.choose_for_balance(LABELS, SCORES)
    assert found is not None
    assert found.balanced_accuracy == pytest.approx(5 / 6)
    assert metrics.choose_for_balance(np.array([True, True]), np.array([0.1, 0.2])) is None


def test_the_interval_repeats_and_resamples_whole_groups() -> None:
    groups = [0] * 10 + [1] * 10 + [2] * 10
    values = np.array([0.0] * 10 + [0.5] * 10 + [1.0] * 10)
    interval = metrics.bootstrap_interval(lambda rows: float(values[rows].mean()), groups)
    assert interval == metrics.bootstrap_interval(lambda rows: float(values[rows].mean()), groups)
    assert interval is not None
    assert interval[0] < 0.2
    assert interval[1] > 0.8
    same = metrics.bootstrap_interval(lambda rows: float(values[rows].mean()), [0] * 30)
    assert same == pytest.approx((0.5, 0.5))
    assert metrics.bootstrap_interval(lambda rows: None, groups) is None
    assert metrics.bootstrap_interval(lambda rows: 1.0, []) is None


def test_kappa_of_a_known_table() -> None:
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert metrics.cohen_kappa(first, second) == pytest.approx(0.4)
    assert metrics.cohen_kappa(first, first) == 1.0
    assert metrics.cohen_kappa([], []) is None
    assert metrics.cohen_kappa(["yes"], ["yes"]) is None
    with pytest.raises(ValueError, match="same pairs"):
        metrics.cohen_kappa(["yes"], [])


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=40))
def test_figures_stay_in_their_ranges(pairs: list[tuple[bool, float]]) -> None:
    labels = np.array([label for label, _ in pairs])
    scores = np.array([score for _, score in pairs])
    auc = metrics.rank_auc(labels, scores)
    reversed_auc = metrics.rank_auc(labels, -scores)
    if auc is not None:
        assert reversed_auc is not None
        assert auc + reversed_auc == pytest.approx(1.0)
    error = metrics.calibration_error(metrics.calibration_bins(labels, scores))
    assert error is not None
    assert 0 <= error <= 1
    precision = metrics.average_precision(labels, scores)
    assert precision is None or 0 <= precision <= 1 + 1e-9
