from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from core.contribution.calibrate import (
    Example,
    FitOptions,
    TooFewLabelsError,
    fit_isotonic,
    fit_logistic,
    fit_model,
    fit_platt,
    recalibrate,
)
from core.contribution.features import FEATURES, Features
from core.contribution.metrics import calibration_bins, calibration_error, decide
from core.contribution.support import Calibration, SupportModel, load_model, sigmoid

WINDOW = FEATURES.index("window")


def rows(generator: np.random.Generator, strength: float, lines: int = 3) -> Features:
    """Lines of an article of which the last one is the best."""
    found = generator.uniform(0, 0.3, (lines, len(FEATURES)))
    found[:, 5:] = 0
    found[-1, :5] = np.clip(strength + generator.normal(0, 0.15, 5), 0, 1)
    return found


def examples(count: int = 200, seed: int = 1, set_name: str = "one") -> list[Example]:
    generator = np.random.default_rng(seed)
    return [
        Example(rows(generator, 0.8 if index % 2 else 0.4), bool(index % 2), index // 4, set_name)
        for index in range(count)
    ]


def labelled(count: int, seed: int = 3) -> tuple[Features, NDArray[np.bool_]]:
    """Best lines whose verdicts follow the shipped log odds, stretched and shifted."""
    generator = np.random.default_rng(seed)
    features = np.zeros((count, len(FEATURES)))
    features[:, :5] = generator.uniform(0, 1, (count, 1))
    odds = load_model().log_odds(features)
    return features, generator.random(count) < sigmoid(1.5 * odds - 1)


def test_the_same_examples_give_the_same_model() -> None:
    assert fit_model("x", examples()) == fit_model("x", examples())


def test_a_fitted_model_tells_the_verdicts_apart() -> None:
    model = fit_model("x", examples(seed=1))
    fresh = examples(seed=2)
    said = np.array([model.log_odds(example.rows).max() for example in fresh])
    truth = np.array([example.supported for example in fresh])
    assert decide(truth, said, 0.0).balanced_accuracy > 0.9


def test_what_speaks_for_support_never_gets_a_negative_weight() -> None:
    turned = [replace(example, supported=not example.supported) for example in examples()]
    model = fit_model("x", turned)
    assert all(model.weights[name] >= 0 for name in FEATURES[:5])
    assert all(model.weights[name] <= 0 for name in FEATURES[5:])


def test_a_set_of_no_weight_changes_nothing() -> None:
    noise = [replace(example, supported=not example.supported) for example in examples(set_name="two")]
    options = FitOptions(set_weights={"two": 0.0})
    with_noise = fit_model("x", [*examples(), *noise], options)
    alone = fit_model("x", examples(), options)
    assert [round(weight, 6) for weight in with_noise.weights.values()] == [
        round(weight, 6) for weight in alone.weights.values()
    ]


def test_fitting_needs_both_verdicts() -> None:
    with pytest.raises(ValueError, match="both verdicts"):
        fit_model("x", [example for example in examples() if example.supported])


def test_missing_cosines_are_learnt_from_the_others() -> None:
    holed = examples()
    for example in holed[::2]:
        example.rows[:, FEATURES.index("cosine")] = np.nan
    model = fit_model("x", holed)
    assert np.isfinite(model.log_odds(holed[0].rows)).all()


def test_logistic_regression_finds_the_weights_that_made_the_labels() -> None:
    generator = np.random.default_rng(0)
    design = generator.normal(size=(20_000, 2))
    labels = (generator.random(20_000) < sigmoid(design @ np.array([2.0, -1.0]) + 0.5)).astype(float)
    weights, intercept = fit_logistic(design, labels, np.ones(20_000), np.array([1, -1]), 1e-6)
    assert weights == pytest.approx([2.0, -1.0], abs=0.1)
    assert intercept == pytest.approx(0.5, abs=0.1)
    held, _ = fit_logistic(design, labels, np.ones(20_000), np.array([1, 1]), 1e-6)
    assert held[1] == 0.0


def test_logistic_regression_of_separable_labels_stays_finite() -> None:
    design = np.array([[0.0], [1.0]])
    weights, intercept = fit_logistic(design, np.array([0.0, 1.0]), np.ones(2), np.array([1]), 0.1)
    assert np.isfinite(weights).all()
    assert np.isfinite(intercept)


def test_recalibration_makes_probabilities_honest_on_new_labels() -> None:
    features, labels = labelled(1000)
    model = recalibrate(load_model(), features, labels)
    fresh, truth = labelled(4000, seed=4)
    error = calibration_error(calibration_bins(truth, model.probabilities(fresh)))
    assert error is not None
    assert error <= 0.05
    assert model.weights == load_model().weights


def test_the_rival_rule_survives_recalibration() -> None:
    shipped = load_model()
    features, labels = labelled(1000)
    model = recalibrate(shipped, features, labels)

    def margin(one: SupportModel) -> float:
        return float(np.log(one.rival_odds)) / one.calibration.slope

    assert margin(model) == pytest.approx(margin(shipped))


def test_the_distance_to_the_attribution_threshold_survives_recalibration() -> None:
    shipped = load_model()
    features, labels = labelled(1000)
    model = recalibrate(shipped, features, labels)

    def distance(one: SupportModel) -> float:
        odds = [np.log(p / (1 - p)) for p in (one.threshold, one.attribution_threshold)]
        return float(odds[0] - odds[1]) / one.calibration.slope

    assert distance(model) == pytest.approx(distance(shipped))


def test_a_wanted_precision_is_reached_on_the_other_half() -> None:
    features, labels = labelled(2000)
    model = recalibrate(load_model(), features, labels, wanted_precision=0.9)
    fresh, truth = labelled(4000, seed=5)
    assert decide(truth, model.probabilities(fresh), model.threshold).precision >= 0.87


def test_a_precision_out_of_reach_is_said() -> None:
    features, labels = labelled(200)
    features[:] = 0.5
    with pytest.raises(ValueError, match="no threshold"):
        recalibrate(load_model(), features, labels, wanted_precision=1.0)


@pytest.mark.parametrize(
    ("supported", "unsupported", "message"),
    [
        (20, 20, "60 more labels"),
        (100, 3, "12 more of verdict unsupported"),
        (0, 200, "15 more of verdict supported"),
    ],
)
def test_too_few_labels_are_refused_with_what_is_missing(
    supported: int, unsupported: int, message: str
) -> None:
    labels = np.array([True] * supported + [False] * unsupported)
    with pytest.raises(TooFewLabelsError, match=message):
        recalibrate(load_model(), np.zeros((len(labels), len(FEATURES))), labels)


def test_labels_against_the_score_leave_a_rising_curve() -> None:
    scores = np.linspace(-2, 2, 100)
    assert fit_platt(scores, scores < 0).slope >= 0.05


def test_the_isotonic_curve_rises_and_follows_the_shares() -> None:
    scores = np.arange(40, dtype=float)
    labels = np.array([False] * 10 + [True, False] * 10 + [True] * 10)
    curve = fit_isotonic(scores, labels)
    found = curve.apply(scores)
    assert (np.diff(found) >= 0).all()
    assert found[5] < 0.1
    assert found[20] == pytest.approx(0.5, abs=0.1)
    assert found[38] > 0.9


def test_calibrations_are_applied_to_any_shape() -> None:
    assert Calibration(2.0, 1.0).apply(np.array([-0.5])).tolist() == [0.5]
