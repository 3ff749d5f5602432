"""How late the event loop is: what blocks it makes every channel miss its platform's deadline."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

PERIOD_SECONDS = 0.1
ALARM_SECONDS = 0.25
WINDOW = 600

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class LagMeter:
    """The last minute of lags in seconds. clock: monotonic seconds."""

    clock: Callable[[], float] = time.perf_counter
    alarms: int = 0
    _lags: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW))

    async def run(self, pause: Callable[[float], Awaitable[None]]) -> None:
        """Measure for ever, and log when the loop was blocked for longer than the alarm."""
        while True:
            before = self.clock()
            await pause(PERIOD_SECONDS)
            self.note(self.clock() - before - PERIOD_SECONDS)

    def note(self, lag: float) -> None:
        self._lags.append(max(0.0, lag))
        if lag > ALARM_SECONDS:
            self.alarms += 1
            _log.warning("the event loop was blocked for %.0f ms", lag * 1000)

    def percentile(self, share: float) -> float:
        """The lag that this share of the measurements did not exceed; 0 before the first."""
        ordered = sorted(self._lags)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
