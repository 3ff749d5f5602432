import numpy as np
import pytest

from core.contribution import metrics
from core.contribution.population import (
    Sample,
    area,
    bins,
    choose_threshold,
    curve,
    decide_weighted,
    describe,
)
from core.contribution.sampling import PairFacts, draw_pairs


def made(seed: int, count: int, weights: list[float] | None = None) -> Sample:
    """Pairs whose probabilities tell the truth."""
    generator = np.random.default_rng(seed)
    probabilities = np.round(generator.beta(0.7, 0.7, count), 3)
    labels = generator.random(count) < probabilities
    given = np.ones(count) if weights is None else np.array(weights)
    return Sample(labels, probabilities, given, tuple(range(count)))


def test_with_equal_weights_the_figures_are_the_plain_ones() -> None:
    sample = made(1, 300)
    assert decide_weighted(sample, 0.5) == metrics.decide(sample.labels, sample.probabilities, 0.5)
    assert area(sample) == pytest.approx(metrics.rank_auc(sample.labels, sample.probabilities))
    plain = metrics.threshold_points(sample.labels, sample.probabilities)
    assert [point.threshold for point in curve(sample)] == [point.threshold for point in plain]
    assert [point.recall for point in curve(sample)] == pytest.approx([point.recall for point in plain])
    assert sum(one.count for one in bins(sample)) == 300
    best = metrics.choose_for_balance(sample.labels, sample.probabilities)
    assert best is not None
    assert choose_threshold(sample, None) == best.threshold


def test_a_pair_of_weight_two_counts_like_two_pairs() -> None:
    single = made(2, 80)
    rows = np.repeat(np.arange(80), np.where(np.arange(80) % 2, 2, 1))
    doubled = single.part(rows)
    weighted = Sample(
        single.labels, single.probabilities, np.where(np.arange(80) % 2, 2.0, 1.0), single.groups
    )
    assert area(weighted) == pytest.approx(area(doubled))
    one, two = decide_weighted(weighted, 0.6), decide_weighted(doubled, 0.6)
    assert (one.precision, one.recall) == pytest.approx((two.precision, two.recall))


def test_a_draw_near_the_threshold_estimates_the_whole_population() -> None:
    whole = made(3, 4000)
    facts = [
        PairFacts("supported" if p >= 0.5 else "unsupported", "slack", "ja", float(p))
        for p in whole.probabilities
    ]
    truth = decide_weighted(whole, 0.5)
    weighted, plain = [], []
    for seed in range(20):
        drawn = draw_pairs(facts, 300, 0.5, seed)
        rows = np.array([one.place for one in drawn])
        weights = np.array([1 / one.inclusion for one in drawn])
        part = whole.part(rows)
        reweighted = Sample(part.labels, part.probabilities, weights, part.groups)
        weighted.append(decide_weighted(reweighted, 0.5).balanced_accuracy)
        plain.append(decide_weighted(part, 0.5).balanced_accuracy)
    assert np.mean(weighted) == pytest.approx(truth.balanced_accuracy, abs=0.02)
    assert abs(np.mean(plain) - truth.balanced_accuracy) > 0.05


def test_the_description_has_every_figure_with_its_interval_and_n() -> None:
    sample = made(4, 200)
    found = describe(sample, 0.5)
    assert (found["n"], found["stands_for"]) == (200, 200)
    names = {"agreement", "precision", "recall", "f1", "balanced_accuracy", "auc", "ece"}
    assert set(found["ci"]) == names
    for name in names - {"ece"}:
        low, high = found["ci"][name]
        assert low <= found[name] <= high
    assert found["ece"] < 0.1
    assert len(found["curve"]) <= 50
    assert found["curve"][-1]["recall"] == pytest.approx(1.0)


def test_one_verdict_alone_has_no_curve_to_speak_of() -> None:
    one = made(5, 20)
    same = Sample(np.ones(20, dtype=bool), one.probabilities, one.weights, one.groups)
    found = describe(same, 0.5)
    assert (found["auc"], found["balanced_accuracy"], found["ci"]["auc"]) == (None, None, None)
    assert choose_threshold(same, None) is None


def test_nothing_at_all_is_no_reason_to_fail() -> None:
    nothing = made(6, 0)
    assert describe(nothing, 0.5)["n"] == 0


def test_a_wanted_precision_is_reached_with_the_highest_recall() -> None:
    sample = made(7, 400)
    threshold = choose_threshold(sample, 0.9)
    assert threshold is not None
    found = decide_weighted(sample, threshold)
    assert found.precision >= 0.9
    better = [point for point in curve(sample) if point.precision >= 0.9]
    assert found.recall == pytest.approx(max(point.recall for point in better))
    assert choose_threshold(sample, 1.01) is None
