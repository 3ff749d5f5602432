from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contribution.correctness import Opinion, compare_with_feedback, wilson_interval


def test_what_is_liked_stands_beside_what_is_carried() -> None:
    liked = [Opinion(0.9, 2, 0), Opinion(0.7, 2, 1), Opinion(None, 1, 0)]
    found = compare_with_feedback([*liked, Opinion(0.2, 0, 1), Opinion(0.5, 1, 1)])
    assert (found.answers, found.liked, found.disliked, found.share) == (5, 3, 1, 0.75)
    assert (found.carried_liked, found.carried_disliked) == (0.8, 0.2)
    assert found.order is None
    assert not found.warns


def test_nothing_said_is_nothing_known() -> None:
    found = compare_with_feedback([])
    assert (found.answers, found.share, found.interval, found.carried_liked) == (0, None, None, None)
    assert not found.warns


def test_a_number_that_people_contradict_is_warned_of() -> None:
    agreeing = [*[Opinion(0.9, 1, 0)] * 10, *[Opinion(0.3, 0, 1)] * 10]
    assert compare_with_feedback(agreeing).order == 1.0
    assert not compare_with_feedback(agreeing).warns
    reversed_ = [*[Opinion(0.3, 1, 0)] * 10, *[Opinion(0.9, 0, 1)] * 10]
    assert compare_with_feedback(reversed_).order == 0.0
    assert compare_with_feedback(reversed_).warns


def test_sources_called_wrong_and_credited_all_the_same_are_counted() -> None:
    found = compare_with_feedback([Opinion(0.5, 0, 1, (True, False)), Opinion(0.5, 0, 1, (True,))])
    assert (found.wrong_sources, found.wrong_but_credited, found.warns) == (3, 2, False)
    assert compare_with_feedback([Opinion(0.5, 0, 1, (True,))] * 10).warns
    assert not compare_with_feedback([Opinion(0.5, 0, 1, (False,))] * 10).warns


def test_the_interval_of_a_share_is_that_of_wilson() -> None:
    assert wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share(counts: tuple[int, int]) -> None:
    found = wilson_interval(*counts)
    assert found is not None
    assert 0 <= found[0] <= counts[0] / counts[1] + 1e-4
    assert counts[0] / counts[1] - 1e-4 <= found[1] <= 1
