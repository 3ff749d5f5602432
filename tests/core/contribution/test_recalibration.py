import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.calibrate import LEAST_LABELS, TooFewLabelsError
from core.contribution.features import FEATURES
from core.contribution.recalibration import Labelled, recalibrate_on_half, split_groups
from core.contribution.support import load_model, sigmoid

MODEL = load_model()


def made(count: int, *, shift: float = 1.5, seed: int = 1, weights: float = 1.0) -> Labelled:
    """Pairs of which people accept fewer than the model thinks, by `shift` in log odds."""
    generator = np.random.default_rng(seed)
    features = np.zeros((count, len(FEATURES)))
    for name in ("window", "line", "clause", "pieces", "cosine"):
        features[:, FEATURES.index(name)] = generator.beta(1.2, 1.2, count)
    truth = sigmoid(MODEL.log_odds(features) + MODEL.calibration.offset - shift)
    labels = generator.random(count) < truth
    return Labelled(
        features, labels, np.full(count, weights), tuple(f"answer-{n // 2}" for n in range(count))
    )


def test_what_is_fitted_on_one_half_holds_on_the_other() -> None:
    found = recalibrate_on_half(MODEL, made(1200), "mine-1")
    assert (found.model.version, found.fitted_on + found.after["n"]) == ("mine-1", 1200)
    assert found.after["ece"] < 0.05 < found.before["ece"]
    assert found.model.weights == MODEL.weights
    assert found.model.threshold == found.after["threshold"]


def test_the_same_labels_give_the_same_calibration() -> None:
    assert recalibrate_on_half(MODEL, made(300), "x") == recalibrate_on_half(MODEL, made(300), "x")


def test_a_wanted_precision_is_chosen_on_one_half_and_reported_on_the_other() -> None:
    labelled = made(800, shift=-0.5)
    found = recalibrate_on_half(MODEL, labelled, "x", wanted_precision=0.9)
    balanced = recalibrate_on_half(MODEL, labelled, "x")
    assert found.after["precision"] == pytest.approx(0.9, abs=0.06)
    assert found.after["precision"] > balanced.after["precision"]
    assert found.model.threshold > balanced.model.threshold


def test_a_precision_that_nothing_reaches_is_said() -> None:
    mixed = made(300)
    rng = np.random.default_rng(2)
    noise = Labelled(mixed.features, rng.random(300) < 0.5, mixed.weights, mixed.groups)
    with pytest.raises(ValueError, match=r"no threshold reaches a precision of 0\.999"):
        recalibrate_on_half(MODEL, noise, "x", wanted_precision=0.999)


def test_too_few_labels_are_refused_with_what_is_missing() -> None:
    with pytest.raises(TooFewLabelsError, match=f"{LEAST_LABELS - 40} more labels"):
        recalibrate_on_half(MODEL, made(40), "x")


def test_labels_of_one_answer_cannot_be_split() -> None:
    whole = made(200)
    single = Labelled(whole.features, whole.labels, whole.weights, ("only",) * 200)
    with pytest.raises(ValueError, match="too few answers"):
        recalibrate_on_half(MODEL, single, "x")


@given(st.lists(st.integers(0, 20), max_size=60))
def test_groups_stay_whole_and_halves_are_of_about_the_same_size(groups: list[int]) -> None:
    first, second = split_groups(groups)
    assert sorted([*first, *second]) == list(range(len(groups)))
    assert {groups[row] for row in first} & {groups[row] for row in second} == set()
    largest = max((groups.count(group) for group in groups), default=0)
    assert abs(len(first) - len(second)) <= largest


def test_all_weights_doubled_change_nothing() -> None:
    once, twice = made(300), made(300, weights=2.0)
    one = recalibrate_on_half(MODEL, once, "x").model
    two = recalibrate_on_half(MODEL, twice, "x").model
    assert two.calibration.slope == pytest.approx(one.calibration.slope)
    assert two.threshold == pytest.approx(one.threshold)
