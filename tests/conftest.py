"""What holds for the whole test run."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """A run that a shell put into the background inherits that Ctrl-C is ignored, and so would every process
    that a test starts and stops with it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
