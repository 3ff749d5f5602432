"""Hashes, dates and texts in the form in which the tables hold them."""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

Clock = Callable[[], int]
"""Now in milliseconds since 1970 UTC."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970 UTC of an aware time, exact for whole milliseconds."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def from_ms(milliseconds: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=milliseconds)


def day_of(milliseconds: int) -> int:
    """Days since 1970 in UTC: the unit of the rollups."""
    return milliseconds // 86_400_000


def day_number(day: date) -> int:
    return (day - _EPOCH.date()).days


def day_date(number: int) -> date:
    return _EPOCH.date() + timedelta(days=number)


def text_hash(text: str) -> int:
    """A signed 64-bit BLAKE2b of a statement or line: equal texts have equal hashes."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def storable(text: str) -> str:
    """The text with NUL and lone surrogates, which databases refuse, as U+FFFD; its length is kept."""
    return _UNSTORABLE.sub("\ufffd", text) if _UNSTORABLE.search(text) else text


def finite(figures: Mapping[str, float]) -> dict[str, float]:
    """Without NaN and infinities, which JSON cannot hold."""
    return {name: float(value) for name, value in figures.items() if math.isfinite(value)}


def sampling_step(total: int, limit: int) -> int:
    """Every so many-th key gives at most about `limit` of `total` rows.

    It has no divisor in common with 10, so that rows which were written in rounds are all met.
    """
    step = max(1, -(-total // max(limit, 1)))
    while step % 2 == 0 or step % 5 == 0:
        step += 1
    return step
