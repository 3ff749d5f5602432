from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.memory import Memory


def test_a_value_is_computed_once() -> None:
    memory = Memory[str, int](2)
    assert [memory.recall("a", lambda: 1), memory.recall("a", lambda: 2)] == [1, 1]
    assert memory.made == 1


def test_the_value_that_was_not_used_longest_goes() -> None:
    memory = Memory[str, int](2)
    memory.recall("a", lambda: 1)
    memory.recall("b", lambda: 2)
    memory.find("a")
    memory.keep("c", 3)
    assert [memory.find(key) for key in "abc"] == [1, None, 3]


def test_a_failure_is_not_kept() -> None:
    memory = Memory[str, float](2)
    with pytest.raises(ZeroDivisionError):
        memory.recall("a", lambda: 1 / 0)
    assert memory.recall("a", lambda: 1.0) == 1.0


def test_nothing_is_a_value_too() -> None:
    memory = Memory[str, int | None](2)
    assert memory.recall("a", lambda: None) is None
    assert memory.recall("a", lambda: 1) is None


@given(st.integers(0, 5), st.lists(st.integers(0, 8)))
def test_it_never_grows_beyond_its_capacity(capacity: int, keys: list[int]) -> None:
    memory = Memory[int, int](capacity)
    for key in keys:
        assert memory.recall(key, lambda key=key: key) == key  # type: ignore[misc]  # mypy infers no defaults
        assert len(memory) <= capacity
