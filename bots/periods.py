"""Periods as people name them on the command line."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from core.errors import AskerError

if TYPE_CHECKING:
    from core.storage.reports import Period


def read_period(days: int | None, since: str | None, until: str | None, today: date) -> Period:
    """The last `days` days, or from one date to another, both included; all time when nothing is said.

    Raises AskerError for what is no date, or for a period that ends before it begins.
    """
    from core.storage.reports import Period

    if days is not None and (since or until):
        raise AskerError("Say either --days or --since and --until.")
    if days is not None:
        return Period(today - timedelta(days=min(days, today.toordinal()) - 1), today)
    first = read_date(since, "--since") if since else date(1970, 1, 1)
    last = read_date(until, "--until") if until else today
    if last < first:
        raise AskerError(f"The period ends ({last}) before it begins ({first}).")
    return Period(first, last)


def read_date(text: str, option: str) -> date:
    """A day as somebody wrote it. Raises AskerError naming the option."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise AskerError(f"{option} must be a date such as 2026-11-30, not {text!r}.") from None
