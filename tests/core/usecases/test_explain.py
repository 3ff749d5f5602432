from __future__ import annotations

import pytest

from core.domain import Usage
from core.usecases.explain import add_usage


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Usage(), Usage(3, 2, 0.5, 1), Usage(3, 2, 0.5, 1)),
        (Usage(3, 2, 0.5, 1), Usage(), Usage(3, 2, 0.5, 1)),
        (Usage(3, 2, 0.5, 1), Usage(1, 1, 0.25, 2), Usage(4, 3, 0.75, 3)),
        (Usage(3, 2, None, 1), Usage(1, 1, 0.25, 1), Usage(4, 3, None, 2)),
        (Usage(), Usage(), Usage()),
    ],
)
def test_usage_adds_up_and_an_unknown_price_stays_unknown(one: Usage, other: Usage, both: Usage) -> None:
    assert add_usage(one, other) == both
