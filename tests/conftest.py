"""What holds for the whole test run."""

from __future__ import annotations

import signal

import pytest

from tests.browser.chromium import LEFT_OUT, find_chromium


def pytest_configure() -> None:
    """A run that a shell put into the background inherits that Ctrl-C is ignored, and so would every process
    that a test starts and stops with it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests did not run, and how to make them run; it stands here because the process that writes
    the summary of a run in several processes collects nothing."""
    if find_chromium() is None:
        terminalreporter.write_line(LEFT_OUT, yellow=True)
