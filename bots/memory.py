"""How a process that answers uses memory: few pools, and short pauses for collecting garbage."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 20_000
"""Objects that come between two looks at the youngest ones; an answer makes some thousands."""
YOUNG_PER_MIDDLE = 20
MIDDLE_PER_OLD = 50

_M_ARENA_MAX = -8
"""Of glibc's <malloc.h>."""
_ARENAS = 2


def share_arenas() -> None:
    """Let threads that are started from now on share memory pools, where the C library has several.

    glibc gives every thread a pool of its own, up to 8 a processor, and each keeps what it freed: 57 MB
    after 200 questions to 100,000 chunks.
    """
    if sys.platform == "linux":
        set_option = getattr(ctypes.CDLL(None), "mallopt", None)
        if set_option is not None:  # musl has none, and one pool
            set_option(_M_ARENA_MAX, _ARENAS)


@contextmanager
def settled() -> Iterator[None]:
    """Until the end, what exists now is not looked at again and what comes later less often.

    A look at everything takes up to 75 ms with the libraries that Kiyo loads, in the middle of an answer.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(YOUNG, YOUNG_PER_MIDDLE, MIDDLE_PER_OLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
