from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.bands import measure_curves
from core.contribution.population import Sample, curve, decide_weighted


def sample(seed: int, count: int = 200, shift: float = 0.0) -> Sample:
    """Labels that are drawn by the probabilities themselves, or by others."""
    chance = np.random.default_rng(seed)
    said = chance.random(count)
    labels = chance.random(count) < np.clip(said - shift, 0.02, 0.98)
    weights = chance.integers(1, 5, count).astype(float)
    return Sample(labels, said, weights, tuple(range(count)))


def test_labels_of_one_verdict_have_no_curves() -> None:
    some = sample(1)
    only = Sample(np.ones(200, dtype=bool), some.probabilities, some.weights, some.groups)
    assert measure_curves(only) is None
    assert measure_curves(some.part(np.array([], dtype=np.int64))) is None


@given(st.integers(0, 10_000), st.integers(8, 80))
def test_every_interval_holds_its_figure(seed: int, count: int) -> None:
    found = measure_curves(sample(seed, count), draws=60)
    if found is None:
        return
    told = [place.told for place in (*found.reliability, *found.roc, *found.precision)]
    told += [one for at in found.thresholds for one in (at.precision, at.recall)]
    for one in told:
        assert 0 <= one.value <= 1
        if one.low is not None and one.high is not None:
            assert 0 <= one.low <= one.value <= one.high <= 1


@pytest.mark.parametrize("threshold", [0.0, 0.37, 0.5, 0.9])
def test_a_threshold_does_what_the_measure_says_of_it(threshold: float) -> None:
    some = sample(3)
    found = measure_curves(some)
    assert found is not None
    at = next(one for one in found.thresholds if abs(one.threshold - threshold) < 1e-9)
    decision = decide_weighted(some, at.threshold)
    assert at.precision.value == pytest.approx(decision.precision)
    assert at.recall.value == pytest.approx(decision.recall)
    assert at.accepted == int((some.probabilities >= at.threshold).sum())


def test_the_roc_goes_through_the_points_of_the_sample() -> None:
    some = sample(4)
    found = measure_curves(some)
    assert found is not None
    points = [(one.false_alarms, one.recall) for one in curve(some)]
    for place in found.roc:
        near = [recall for alarms, recall in points if abs(alarms - place.x) < 0.02]
        assert not near or min(near) - 0.1 <= place.told.value <= max(near) + 0.1


def test_a_check_that_promises_too_much_lies_below_the_diagonal() -> None:
    honest, boastful = measure_curves(sample(5, 800)), measure_curves(sample(5, 800, shift=0.3))
    assert honest is not None
    assert boastful is not None
    assert all(abs(place.told.value - place.x) < 0.15 for place in honest.reliability)
    assert boastful.reliability[-2].told.value < boastful.reliability[-2].x - 0.15
    assert sum(place.n for place in boastful.reliability) == boastful.n == 800


def test_more_labels_make_narrower_bands() -> None:
    few, many = measure_curves(sample(6, 60)), measure_curves(sample(6, 900))
    assert few is not None
    assert many is not None
    widths = [
        (one.thresholds[50].recall.high or 0.0) - (one.thresholds[50].recall.low or 0.0)
        for one in (few, many)
    ]
    assert widths[1] < widths[0]


def test_the_same_labels_have_the_same_intervals() -> None:
    assert measure_curves(sample(7)) == measure_curves(sample(7))
