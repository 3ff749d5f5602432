"""Two workers on one database: each in a thread, with a pool of connections of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """What each returned; they begin together."""
    gate = threading.Barrier(len(works))

    def begin(work: Callable[[], T]) -> T:
        gate.wait(timeout=30)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        running = [pool.submit(begin, work) for work in works]
        return [one.result() for one in running]
