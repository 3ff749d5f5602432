import numpy as np
import pytest

from core.contribution.drift import find_drift, stability_index, watch_agreement

GENERATOR = np.random.default_rng(7)
BEFORE = GENERATOR.uniform(0, 1, 2000)


def test_the_same_distribution_is_stable() -> None:
    assert stability_index(BEFORE, GENERATOR.uniform(0, 1, 2000)) < 0.05


def test_a_shifted_distribution_is_not() -> None:
    assert stability_index(BEFORE, BEFORE / 2) > 0.25


def test_an_index_of_a_known_shift() -> None:
    before, now = np.array([0.0] * 5000 + [1.0] * 5000), np.array([0.0] * 2000 + [1.0] * 8000)
    expected = (0.2 - 0.5) * np.log(0.2 / 0.5) + (0.8 - 0.5) * np.log(0.8 / 0.5)
    assert stability_index(before, now) == pytest.approx(expected, abs=0.002)


def test_no_values_have_no_index() -> None:
    with pytest.raises(ValueError, match="both sides"):
        stability_index(BEFORE, np.array([np.nan]))


def test_features_are_sorted_by_how_far_they_moved() -> None:
    found = find_drift(
        {"window": BEFORE, "line": BEFORE, "name": BEFORE, "gone": BEFORE},
        {"window": BEFORE, "line": BEFORE * 0.3, "name": BEFORE[:50]},
    )
    assert [(item.feature, item.level) for item in found] == [
        ("line", "alarm"),
        ("window", "steady"),
        ("name", "too_few"),
    ]


def test_falling_agreement_raises_the_alarm() -> None:
    weeks = [
        ("2026-W44", 50, 46),
        ("2026-W45", 50, 42),
        ("2026-W46", 50, 38),
        ("2026-W47", 5, 0),
        ("2026-W48", 0, 0),
    ]
    found = watch_agreement(weeks, expected=0.9)
    assert [item.level for item in found] == ["steady", "watch", "alarm", "too_few", "too_few"]
    assert found[-1].share is None
