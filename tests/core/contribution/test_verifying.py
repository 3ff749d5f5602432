import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.verifying import shift_probabilities

shares = st.floats(0.0, 1.0)


def shift(check: float, said: float, weight: float = 0.3, *, vetoed: bool = False) -> float:
    moved = shift_probabilities(np.array([check]), np.array([said]), np.array([vetoed]), weight)
    return float(moved[0])


@given(shares, shares, st.floats(0.0, 0.5))
def test_a_verifier_moves_the_check_its_own_way_and_within_bounds(
    check: float, said: float, weight: float
) -> None:
    moved = shift(check, said, weight)
    assert 0.0 <= moved <= 1.0
    if said > 0.5:
        assert moved >= check - 1e-8
    if said < 0.5:
        assert moved <= check + 1e-8
    bound = 1 / (1 + np.exp(-4.0 * 0.5))
    if check <= 0.5:
        assert moved <= bound + 1e-9
    if check >= 0.5:
        assert moved >= 1 - bound - 1e-9


def test_a_silent_verifier_leaves_the_check_exactly_as_it_is() -> None:
    assert shift(0.123456789, float("nan")) == 0.123456789
    assert shift(0.123456789, 0.9, weight=0.0) == 0.123456789


def test_a_verifier_cannot_lift_a_veto_and_may_confirm_it() -> None:
    assert shift(0.3, 0.999, vetoed=True) == pytest.approx(0.3)
    assert shift(0.3, 0.01, vetoed=True) < 0.3
