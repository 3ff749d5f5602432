from __future__ import annotations

from datetime import date

import pytest

from bots.periods import read_period
from core.errors import AskerError
from core.storage.reports import Period

TODAY = date(2026, 11, 30)


def test_days_are_counted_up_to_today() -> None:
    assert read_period(1, None, None, TODAY) == Period(TODAY, TODAY)
    assert read_period(30, None, None, TODAY) == Period(date(2026, 11, 1), TODAY)


def test_both_dates_are_included_and_either_may_be_left_out() -> None:
    assert read_period(None, "2026-10-01", "2026-10-31", TODAY) == Period(
        date(2026, 10, 1), date(2026, 10, 31)
    )
    assert read_period(None, "2026-10-01", None, TODAY) == Period(date(2026, 10, 1), TODAY)
    assert read_period(None, None, None, TODAY).last == TODAY


@pytest.mark.parametrize(
    ("days", "since", "until", "said"),
    [
        (7, "2026-10-01", None, "either"),
        (None, "October", None, "--since must be a date"),
        (None, None, "2026-13-01", "--until must be a date"),
        (None, "2026-10-02", "2026-10-01", "ends"),
    ],
)
def test_what_is_no_period_is_refused(
    days: int | None, since: str | None, until: str | None, said: str
) -> None:
    with pytest.raises(AskerError, match=said):
        read_period(days, since, until, TODAY)


def test_more_days_than_the_calendar_has_reach_back_to_its_beginning() -> None:
    assert read_period(10**9, None, None, TODAY).first == date.min
