from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from bots.lag import ALARM_SECONDS, PERIOD_SECONDS, WINDOW, LagMeter


def test_before_the_first_measurement_there_is_no_lag() -> None:
    assert LagMeter().percentile(0.99) == 0.0


@given(st.lists(st.floats(0, 10), min_size=1, max_size=50), st.floats(0, 1))
def test_a_percentile_is_a_measured_lag_and_grows_with_the_share(lags: list[float], share: float) -> None:
    meter = LagMeter()
    for lag in lags:
        meter.note(lag)
    assert meter.percentile(share) in lags
    assert meter.percentile(share) <= meter.percentile(1.0) == max(lags)


def test_only_the_last_minute_counts() -> None:
    meter = LagMeter()
    meter.note(9.0)
    for _ in range(WINDOW):
        meter.note(0.0)
    assert meter.percentile(1.0) == 0.0


def test_a_blocked_loop_is_an_alarm_and_a_late_one_is_not() -> None:
    meter = LagMeter()
    meter.note(ALARM_SECONDS)
    assert meter.alarms == 0
    meter.note(ALARM_SECONDS * 2)
    assert meter.alarms == 1


async def test_the_lag_is_what_a_pause_took_too_long() -> None:
    times: Iterator[float] = iter([0.0, PERIOD_SECONDS + 0.5, 1.0])
    meter = LagMeter(clock=lambda: next(times))

    async def pause(seconds: float) -> None:
        assert seconds == PERIOD_SECONDS

    with suppress(StopIteration, RuntimeError):
        await meter.run(pause)
    assert abs(meter.percentile(1.0) - 0.5) < 1e-9
    assert asyncio.get_running_loop().is_running()
